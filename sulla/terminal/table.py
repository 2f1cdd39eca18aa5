"""Output for people: aligned columns and a little emphasis on a terminal, plain text anywhere else.

Nothing here moves the cursor, and what others wrote cannot either: their control characters are left out.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence

from sulla.core.dataclass import dataclass
from sulla.terminal.place import colour_is_wanted

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_REORDERING = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""What has a line read in another order than it is written in. It is shown by its number: who put it there hides
something."""
_MARKS = dict.fromkeys((0x61C, 0x200E, 0x200F, *_REORDERING))
"""What turns the direction of a line: within a table it would move other people's columns."""

_BOLD, _FAINT, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def harmless(text: str) -> str:
    """A text without control characters and what else cannot be seen, but with its lines and tabs, and with what emoji
    and scripts need; orders to read it backwards are shown as ``\\u202e``."""
    if text.isascii():
        return text.translate(_CONTROLS)
    from sulla.agent.input.sanitize import sanitize

    return sanitize(text.translate(_CONTROLS).translate(_REORDERING)).text


def one_line(text: str, most: int | None = None) -> str:
    """A text as one line, as harmless as `harmless` makes it, without anything that turns its direction.

    Args:
        text: anything.
        most: the most columns that it may take up; what is longer ends in ``…``.
    """
    line = " ".join(harmless(" ".join(text.split()).translate(_MARKS)).split())
    if most is None or width(line) <= most:
        return line
    shown, room = "", most - 1
    for character in line:
        room -= width(character)
        if room < 0:
            break
        shown += character
    return shown + "…"


def width(text: str) -> int:
    """How many columns of a terminal a line takes up."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


@dataclass(frozen=True, slots=True)
class Paper:
    """What is printed on.

    Args:
        columns: how wide it is; None if it has no edge, because it is a file or a pipe.
        colour: whether emphasis can be seen and is wanted.
    """

    columns: int | None = None
    colour: bool = False

    def bold(self, text: str) -> str:
        """The text, emphasized."""
        return f"{_BOLD}{text}{_PLAIN}" if self.colour else text

    def faint(self, text: str) -> str:
        """The text, less important."""
        return f"{_FAINT}{text}{_PLAIN}" if self.colour else text


def columns_of_terminal() -> int:
    """How wide the terminal is."""
    import shutil

    return shutil.get_terminal_size().columns


def paper() -> Paper:
    """Standard output as it is."""
    return Paper(columns_of_terminal(), colour_is_wanted()) if sys.stdout.isatty() else Paper()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that are printed as they come, so a long list needs no memory.

    Args:
        heads: the columns' names.
        widths: how wide each column but the last one is; what is wider pushes the rest aside and is never cut.
        paper: where to; the last column is cut at its edge.
    """

    heads: Sequence[str]
    widths: Sequence[int]
    paper: Paper

    def head(self) -> str:
        """The line of names."""
        return self.paper.bold(self.row(self.heads))

    def row(self, cells: Sequence[object]) -> str:
        """One line."""
        line = ""
        for cell, wide in zip(cells[:-1], self.widths, strict=True):
            text = one_line(str(cell))
            line += text + " " * max(2, wide + 2 - width(text))
        room = None if self.paper.columns is None else max(1, self.paper.columns - width(line))
        return (line + one_line(str(cells[-1]), room)).rstrip()
