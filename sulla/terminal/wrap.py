"""Lines as wide as a terminal. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sulla.core.pattern import late_pattern
from sulla.terminal.table import width

ERASE_BELOW: Final = "\x1b[K\x1b[C\x1b[J\x1b[D"
"""Has a terminal erase all from the beginning of a row on. Not by one order: given at the top of the screen, that has
tmux keep for good what is erased."""
_MOST_NAME: Final = 22
_LEAST: Final = 20
_UNITS: Final = late_pattern(r"\x1b\[[0-9;]*m|.", re.DOTALL)
"""Characters, and our own emphasis whole."""
_LEAD: Final = late_pattern(r"((?:\x1b\[[0-9;]*m)*)( *)")


def wrapped(line: str, columns: int) -> Iterator[str]:
    """A line in rows, broken at blanks where there are any; nothing is left out but the blanks that it breaks at.

    Args:
        line: without line ends.
        columns: the width of a row; more than 1.
    """
    row, room = "", columns
    for word in _words(line.replace("\t", "    ")):
        wide = width(word)
        if wide <= room:
            row, room = row + word, room - wide
            continue
        if row.strip():
            yield row.rstrip()
            row, room, word = "", columns, word.lstrip(" ")
        for character in _UNITS.findall(word):
            wide = width(character)
            if wide > room:
                yield row
                row, room = "", columns
            row, room = row + character, room - wide
    yield row.rstrip()


def indented(line: str, columns: int) -> Iterator[str]:
    """A line in rows, each as far from the edge as it is.

    Args:
        line: without line ends.
        columns: the width of a row; more than 1.
    """
    found = _LEAD.match(line)
    emphasis, blanks = found.groups() if found is not None else ("", "")
    lead = blanks[: columns // 2]
    for row in wrapped(emphasis + line[len(emphasis) + len(blanks) :], columns - len(lead)):
        yield f"{lead}{row}".rstrip()


def added_rows(widths: Sequence[int], columns: int) -> int:
    """How many more rows these take up on a terminal that has become so narrow.

    Args:
        widths: how wide each row is that was written.
        columns: how wide the terminal is now.
    """
    return sum(max(0, wide - 1) // max(1, columns) for wide in widths)


def in_two(rows: Iterable[tuple[str, str]], columns: int) -> Iterator[str]:
    """Names and what they are, side by side; what does not fit beside a name goes on below it.

    Args:
        rows: the pairs.
        columns: the width of a row.
    """
    pairs = list(rows)
    wide = min(max((width(name) for name, _ in pairs), default=0), _MOST_NAME)
    for name, about in pairs:
        lead = name + " " * (wide - width(name))
        if width(name) > wide:
            yield name
            if not about:
                continue
            lead = " " * wide
        for row in wrapped(about, max(_LEAST, columns - wide - 2)):
            yield f"{lead}  {row}".rstrip()
            lead = " " * wide


def _words(line: str) -> Iterator[str]:
    """Each word with the blanks before it."""
    start = 0
    for at in range(1, len(line)):
        if line[at] == " " and line[at - 1] != " ":
            yield line[start:at]
            start = at
    yield line[start:]
