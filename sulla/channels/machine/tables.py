"""Tables where a service has none: in letters of one width where they are narrow enough, else as a list. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

MOST_COLUMNS: Final = 60
"""How wide a table may be that is shown as one: about what fits beside a chat's list without being broken."""
_BETWEEN: Final = " | "


def room_of(text: str) -> int:
    """How much longer a text may be for the tables in it, in characters; what the text takes with that never falls as
    it grows.

    Args:
        text: CommonMark. Each line with a bar may be of a table.
    """
    lines = (line for line in text.split("\n") if "|" in line)
    return sum(max(MOST_COLUMNS - len(line), len(line) // 2) for line in lines)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """A table in letters of one width, the first row as its head; empty where it is too wide for that.

    Args:
        rows: cells as people read them.
    """
    widths = [max(map(_columns, column)) for column in zip_longest(*rows, fillvalue="")]
    if sum(widths) + len(_BETWEEN) * (len(widths) - 1) > MOST_COLUMNS:
        return ""
    lines = [
        _BETWEEN.join(cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines[:1], "-|-".join("-" * width for width in widths), *lines[1:]])


def listed(rows: Sequence[Sequence[str]], most: int) -> str:
    """A table as a list, in which each cell stands behind its column's head; the rows as they are where that is too
    long.

    Args:
        rows: cells as people read them; the first is the head.
        most: so many characters it may have.
    """
    head, *below = rows
    items: list[str] = []
    for row in below:
        cells = [f"{name}: {cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell]
        items.append("\u2022 " + "\n  ".join(cells))
    said = "\n".join(items)
    return said if below and len(said) <= most else "\n".join(_BETWEEN.join(row) for row in rows)


def _columns(text: str) -> int:
    """How wide a text is in letters of one width: what is wide in East Asia takes two."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
