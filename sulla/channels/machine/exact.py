"""What is shown to the letter: words that an agent or somebody outside has chosen, and by which a person decides. Such
a piece is no CommonMark, and nothing in it is a mark at any service; each kind's form writes it as the block of code
that its service has. Pure.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from sulla.channels.machine.cutting import Room

ROW_COLUMNS: Final = 72
"""How wide a block is where apps do not break its lines: nobody sees what is beyond the edge unless he looks there."""
_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"))
_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by their category, of which nobody sees anything."""
_JOINED: Final = re.compile(r"(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")
"""What scripts and emoji need between two of their characters."""
_MARKS: Final = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_ACCENTS: Final = 2
"""So many marks may stand on one letter; more cover what is above and below it."""


def literal(text: str) -> str:
    """A text as it is shown to the letter: what nobody sees, or what turns a line around, is spelled as JSON does
    (``\\u202e``); the ends of its lines stay. A text of JSON says the same then, and one in ASCII is as it was.

    Args:
        text: it.
    """
    text = text.replace("\r\n", "\n").strip("\n")
    if text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable()):
        return text
    kept = {found.start() for found in _JOINED.finditer(text)}
    made: list[str] = []
    accents = 0
    for at, char in enumerate(text):
        accents = accents + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        shown = char in "\n " or at in kept or (_seen(char) and accents <= _ACCENTS)
        made.append(char if shown else json.dumps(char)[1:-1])
    return "".join(made)


def in_line(text: str) -> str:
    """The same of a text that is one line.

    Args:
        text: it.
    """
    return literal(" ".join(text.split()))


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


def _seen(char: str) -> bool:
    if _MARKS.match(char) or char in _BLANK_LETTERS:
        return False
    return unicodedata.category(char) not in _UNSEEN
