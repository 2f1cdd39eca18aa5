"""Output for people: aligned columns and a little emphasis on a terminal, plain text anywhere else.

Nothing here moves the cursor, and what others wrote cannot either: their control characters are left out.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern
from sulla.terminal.place import colour_is_wanted

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_REORDERING = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""What has a line read in another order than it is written in. It is shown by its number: who put it there hides
something."""
_MARKS = dict.fromkeys((0x61C, 0x200E, 0x200F, *_REORDERING))
"""What turns the direction of a line: within a table it would move other people's columns."""

_EMPHASIS = late_pattern(r"\x1b\[[0-9;]*m")
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
    """How many columns of a terminal a line takes up; our own emphasis takes none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in (_EMPHASIS.sub("", text) if "\x1b" in text else text)
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


_LAST: Final = 12
"""So many columns of the terminal the last column of a table keeps."""
_ID_COLUMNS: Final = 28
"""How wide an id is that the daemon has made."""
_ID: Final = late_pattern(r"[a-z]+_[0-9a-f]{24}")
_SHORT_ID: Final = 12
"""So much of one is left where there is no room: the beginning of an id is enough wherever one is taken."""
_TIME: Final = late_pattern(r"\d{4}-(\d\d-\d\d \d\d:\d\d)(?::\d\d)?")
_SHORT_TIME: Final = 11
"""A time without its year and seconds."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that are printed as they come, so a long list needs no memory.

    On a terminal each row fits one row of it: where it is too narrow, ids are shown by their beginnings, times without
    their year, other cells but the first one end in ``…``, and columns that still have no room are left out, the last
    but one first. In a file or a pipe nothing is cut.

    Args:
        heads: the columns' names.
        widths: how wide each column but the last one is; what is wider pushes the rest aside where there is room.
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
        *texts, last = [one_line(str(cell)) for cell in cells]
        columns = self.paper.columns
        if columns is None:
            return (_aligned(texts, self.widths) + last).rstrip()
        widths = self._fitted(columns - _LAST)
        line = _aligned(texts, self.widths)
        if widths != list(self.widths) or width(line) > columns - _LAST:
            short = [_short(text, wide) for text, wide in zip(texts, widths, strict=False)]
            line = _aligned([texts[0] if not _ID.fullmatch(texts[0]) else short[0], *short[1:]], widths)
        return (line + one_line(last, max(1, columns - width(line)))).rstrip()

    def _fitted(self, room: int) -> list[int]:
        """How wide each column but the last one is on this terminal; fewer than there are if not all have room."""
        widths, least = (
            list(self.widths),
            [_least(wide, head) for wide, head in zip(self.widths, self.heads, strict=False)],
        )
        while sum(widths) + 2 * len(widths) > room and len(widths) > 1:
            spare = [wide - few for wide, few in zip(widths, least, strict=False)]
            if (most := max(spare)) > 0:
                at, over = spare.index(most), sum(widths) + 2 * len(widths) - room
                widths[at] -= most if least[at] in (_SHORT_ID, _SHORT_TIME) else min(most, over)
            else:
                del widths[-1]
        return widths


def _least(wide: int, head: str) -> int:
    """How narrow a column may become."""
    if wide >= _ID_COLUMNS:
        return _SHORT_ID
    return min(wide, max(len(head), _SHORT_TIME if wide > _SHORT_TIME else 4))


def _short(text: str, wide: int) -> str:
    """A cell in a column that it may be too wide for."""
    if width(text) <= wide:
        return text
    if _ID.fullmatch(text):
        return text[:wide]
    found = _TIME.fullmatch(text)
    return found[1] if found is not None and wide >= _SHORT_TIME else one_line(text, wide)


def _aligned(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(text + " " * max(2, wide + 2 - width(text)) for text, wide in zip(texts, widths, strict=False))
