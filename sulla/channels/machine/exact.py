"""What is shown to the letter: words that an agent or somebody outside has chosen, and by which a person decides. Such
a piece is no CommonMark, and nothing in it is a mark at any service; each kind's form writes it as the block of code
that its service has. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.channels.machine.cutting import Room

ROW_COLUMNS: Final = 72
"""How wide a block is where apps do not break its lines: nobody sees what is beyond the edge unless he looks there."""


def rows(text: str) -> str:
    """What is shown to the letter in lines of which each fits where apps do not break them. In a line of JSON that was
    broken so no other end of a line can be.

    Args:
        text: it.
    """
    lines = text.split("\n")
    return "\n".join(line[at : at + ROW_COLUMNS] for line in lines for at in range(0, max(1, len(line)), ROW_COLUMNS))


def apart(blocks: Sequence[str], text: str, most: int, room: Room) -> list[tuple[str, ...]]:
    """Blocks as they go into messages, in order; one that is too long is cut, and nothing is left out.

    Args:
        blocks: they; as `literal` made them.
        text: what each message says below them.
        most: what one message may take.
        room: counts that.
    """
    messages: list[tuple[str, ...]] = []
    now: tuple[str, ...] = ()
    for block in blocks:
        rest = block
        while rest:
            fits = _fitting(now, rest, text, most, room)
            if not fits and now:
                messages.append(now)
                now = ()
                continue
            at = _beside_blanks(rest, max(1, fits))
            now, rest = (*now, rest[:at]), rest[at:]
            if rest:
                messages.append(now)
                now = ()
    return [*messages, now] if now else messages


def _fitting(now: tuple[str, ...], rest: str, text: str, most: int, room: Room) -> int:
    """How many characters of a block fit below what a message has."""
    low, high = 0, len(rest)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if room(text, *now, rest[:middle]) <= most else (low, middle - 1)
    return low


def _beside_blanks(rest: str, at: int) -> int:
    """Where to cut at the latest: not at a blank, which services take off a message's ends."""
    if at >= len(rest):
        return at
    return next((cut for cut in range(at, at // 2, -1) if not rest[cut - 1 : cut + 1].count(" ")), at)
