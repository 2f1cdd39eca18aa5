"""Reads a page's tags as programs that show pages do, in a time that grows with its length and no faster. Pure.

The standard library's parser looks through the rest of a page at each tag, comment or quote that is not closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Final

_RAW: Final = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements in which nothing but their own end is a tag."""
_BEGINS: Final = re.compile(r"<(?=[a-zA-Z/!?])")
"""Any other ``<`` is text."""
_OPENS: Final = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_ATTRIBUTE: Final = re.compile(r"[\s/]*([^\s/>=][^\s/>=]*|=[^\s/>=]*)")
_VALUE: Final = re.compile(r"\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(?![\"'])([^\s>]*))")
_UNCLOSED: Final = re.compile(r"\s*=\s*[\"']")
_BLANKS: Final = re.compile(r"[\s/]*")
MOST_MARKS: Final = 50_000
"""Of one page; what stands behind more is left out. A long one that people write has some thousand."""
_MOST_ATTRIBUTES: Final = 50
"""Of one tag that are handed on."""


class TagReader:
    """Hands on what one page has, in its order; whoever extends it takes that. What begins and is not closed before the
    page's end is left out, as it is not shown.
    """

    def read(self, html: str) -> None:
        """Read a page.

        Args:
            html: whatever a mail brings.
        """
        at, raw = 0, ""
        for _ in range(MOST_MARKS):
            if at >= len(html):
                return
            begin = _end_tag(html, raw, at) if raw else _next_mark(html, at)
            if begin < 0:
                self.has_data(unescape(html[at:]))
                return
            if begin > at:
                text = html[at:begin]
                self.has_data(text if raw else unescape(text))
            at, raw = self._mark(html, begin)

    def begins(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins.

        Args:
            tag: its name, in small letters.
            attributes: by their names, in small letters; of those of one name the first.
        """

    def ends(self, tag: str) -> None:
        """An element ends."""

    def has_data(self, text: str) -> None:
        """There is text."""

    def _mark(self, html: str, at: int) -> tuple[int, str]:
        """What begins with a ``<``: where it ends, and the element in which no tags are from there on."""
        found = _OPENS.match(html, at)
        if found is None:
            return self._no_tag(html, at), ""
        tag = found[2].lower()
        attributes, end = _attributes(html, found.end())
        if end < 0:
            return len(html), ""
        if found[1]:
            self.ends(tag)
            return end, ""
        self.begins(tag, attributes)
        return end, tag if tag in _RAW else ""

    def _no_tag(self, html: str, at: int) -> int:
        if html.startswith("<!--", at):
            end = html.find("-->", at + 2)  # `<!-->` is one already
            return len(html) if end < 0 else end + len("-->")
        end = html.find(">", at)  # `<!`, `<?`, `</`
        return len(html) if end < 0 else end + 1


def _attributes(html: str, at: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag and where it ends; -1 where it does not."""
    found: dict[str, str] = {}
    while (name := _ATTRIBUTE.match(html, at)) is not None:
        at, said = name.end(), ""
        if (value := _VALUE.match(html, at)) is not None:
            at, said = value.end(), value[1] or value[2] or value[3] or ""
        elif _UNCLOSED.match(html, at):
            return found, -1
        if len(found) < _MOST_ATTRIBUTES:
            found.setdefault(name[1].lower(), unescape(said))
    blanks = _BLANKS.match(html, at)
    end = blanks.end() if blanks is not None else at
    return found, end + 1 if html.startswith(">", end) else -1


def _next_mark(html: str, at: int) -> int:
    found = _BEGINS.search(html, at)
    return -1 if found is None else found.start()


def _end_tag(html: str, tag: str, at: int) -> int:
    found = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(html, at)
    return -1 if found is None else found.start()
