"""Text that somebody else has chosen, such that whoever reads it sees all of it, and as it stands. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

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


def _seen(char: str) -> bool:
    if _MARKS.match(char) or char in _BLANK_LETTERS:
        return False
    return unicodedata.category(char) not in _UNSEEN
