"""Lists that somebody typed, in a mail that has a text and a page: programs indent them in the text as they do what is
cited. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from sulla.channels.mail.words import parted

_ITEM: Final = re.compile(r" {3,12}(?:[-*+•◦▪]|\d{1,3}[.)]) {1,4}(\S.*)", re.DOTALL)
_GOES_ON: Final = re.compile(r" {3,16}\S.*", re.DOTALL)
_MARKS: Final = re.compile(r"[\s*_]+")
"""What a text has otherwise than a page: blanks, broken lines, and marks of what is bold or slanted there."""
_MOST_LINES: Final = 20
"""Of an item."""


def unindented(text: str, page: Callable[[], str]) -> str:
    """A mail's text, in which those items of lists are not indented that its page has among its sender's own words.
    The page is held to all rules for pages: so nobody's words become his that would not in a mail without a text.

    Args:
        text: the plain one.
        page: makes the same mail's page as text; empty for none.
    """
    lines = text.split("\n")
    found = [at for at, line in enumerate(lines) if _ITEM.fullmatch(line)]
    own = {_bare(line.removeprefix("- ")) for line in parted(page()).own.split("\n")} - {""} if found else set()
    if not own:
        return text
    for at in found:
        end = _end(lines, at, own)
        lines[at:end] = [line.lstrip(" ") for line in lines[at:end]]
    return "\n".join(lines)


def _end(lines: list[str], at: int, own: set[str]) -> int:
    """The first line behind an item that is its sender's own; the item's own where it is not."""
    first = _ITEM.fullmatch(lines[at])
    words = _bare(first[1]) if first else ""
    for end in range(at + 1, min(at + _MOST_LINES, len(lines)) + 1):
        if words in own:
            return end
        if end == len(lines) or _ITEM.fullmatch(lines[end]) or not _GOES_ON.fullmatch(lines[end]):
            break
        words += _bare(lines[end])
    return at


def _bare(line: str) -> str:
    return _MARKS.sub("", line)
