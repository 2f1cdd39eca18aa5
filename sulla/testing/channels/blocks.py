"""What people see of a message in blocks of code, as their apps read it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Final

_DISCORD: Final = re.compile(
    r"\\[^0-9A-Za-z\s]"
    r"|```(?:[a-z0-9_+\-.#]+?\n)?\n*(?P<block>[^\n][^\0]*?)\n*```"
    r"|(?P<ticks>`+)[^\0]*?[^`](?P=ticks)(?!`)",
    re.IGNORECASE,
)
"""As Discord's apps read from the front on: what is escaped, a block, code in a line."""


def discord_blocks(content: str) -> tuple[str, ...]:
    """The blocks of a message of Discord's.

    Args:
        content: as it was written.
    """
    return tuple(found["block"] for found in _DISCORD.finditer(content) if found["block"])


def telegram_blocks(text: str, entities: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The blocks of a message of Telegram's in which nothing else is.

    Args:
        text, entities: as they were sent.
    """
    units = text.encode("utf-16-le")
    spans = [(int(one["offset"]), int(one["offset"]) + int(one["length"]), str(one["type"])) for one in entities]
    return tuple(
        units[start * 2 : end * 2].decode("utf-16-le")
        for start, end, kind in spans
        if kind == "pre" and sum(first < end and start < last for first, last, _ in spans) == 1
    )


def page_blocks(page: str) -> tuple[str, ...]:
    """The blocks of a page, with what is no block put aside.

    Args:
        page: HTML.
    """
    reader = _Blocks()
    reader.feed(page)
    reader.close()
    return tuple(one.removesuffix("\n") for one in reader.found)


class _Blocks(HTMLParser):
    """Reads one page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._open = False
        self._begun = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See the standard library. In a block nothing else begins."""
        assert not self._open or tag == "code", f"{tag} begins in a block"
        if tag == "pre":
            self._open = self._begun = True
            self.found.append("")
        else:
            self._begun = False

    def handle_endtag(self, tag: str) -> None:
        """See the standard library."""
        self._open = self._open and tag != "pre"

    def handle_data(self, data: str) -> None:
        """See the standard library. Browsers leave out the end of the line on which a block begins."""
        if self._open:
            self.found[-1] += data.removeprefix("\n") if self._begun else data
            self._begun = False
