"""A range of a text's lines, with a first line that says which. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput

MAX_SHOWN_BYTES = 40_000
"""The most that one call shows of a text: below the cap on every result, so that cuts fall between lines."""
_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class ShownRange:
    """Some lines of a text."""

    told: str
    """``[name: lines 1-40 of 90; go on with first_line=41]``, and the lines without the last one's line break."""
    text: str
    """The lines alone, exactly as they are, the last line break included."""
    first_line: int
    last_line: int
    lines: int
    """How many the text has."""
    is_cut: bool
    """Whether not all of the lines that were asked for are shown."""


def show_range(name: str, text: str, first_line: int, lines: int, most: int = MAX_SHOWN_BYTES) -> ShownRange:
    """Some lines of a text.

    Args:
        name: what it is called, for the first line.
        text: the whole.
        first_line: counted from 1.
        lines: how many at most; 0 for all to the end. Fewer are shown where they are more than `most`.
        most: bytes of them in UTF-8.

    Raises:
        InvalidInput: the text has no such line.
    """
    total = text.count("\n") + (not text.endswith("\n"))
    if not text:
        return ShownRange(f"[{name} is empty]", "", 1, 0, 0, is_cut=False)
    if first_line > total:
        raise InvalidInput(f"{name!r} has only {total} lines; first_line={first_line} is behind its end")
    wanted = min(lines or total, total - first_line + 1)
    start, shown, size = _start(text, first_line), 0, 0
    end = start
    if wanted == total - first_line + 1 and len(text) - start < most and len(text[start:].encode()) < most:
        end, shown = len(text), wanted
    while shown < wanted:
        following = text.find("\n", end) + 1 or len(text)
        size += len(text[end:following].rstrip("\n").encode()) + 1
        if size > most and shown:
            break
        end, shown = following, shown + 1
    last = first_line + shown - 1
    more = f"; go on with first_line={last + 1}" if last < total else ""
    found = text[start:end]
    told = found.removesuffix("\n")
    is_cut = shown < wanted
    if size - 1 > most and shown == 1:
        told = found = told.encode()[:most].decode(errors="ignore")
        more, is_cut = f"; only the beginning of this very long line is shown{more}", True
    head = f"[{name}: lines {first_line}-{last} of {total}{more}]"
    return ShownRange(f"{head}\n{told}", found, first_line, last, total, is_cut)


def _start(text: str, first_line: int) -> int:
    """Where a line begins, without a list of all: a text of line breaks alone has as many lines as bytes."""
    start, skip = 0, first_line - 1
    while (breaks := text.count("\n", start, start + _BLOCK)) < skip:
        skip -= breaks
        start += _BLOCK
    for _ in range(skip):
        start = text.index("\n", start) + 1
    return start
