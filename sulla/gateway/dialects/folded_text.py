"""A text as tags are looked for in it: wide letters are plain ones, and what cannot be seen is not there. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sulla.core.dataclass import dataclass

_UNSEEN: Final = frozenset(("Cf", "Mn", "Me"))
"""Categories of characters that nobody sees where they stand between letters: joiners, soft hyphens, marks."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and a pattern that are drawn as nothing."""
_ANGLES: Final = {**dict.fromkeys("\u2039\u27e8\u3008", "<"), **dict.fromkeys("\u203a\u27e9\u3009", ">")}
"""Other angles, which a model reads as those of a tag."""
_OTHER: Final = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text, and where each of its characters stands in the one that it was made of."""

    text: str
    places: tuple[int, ...] | None = None
    """None where both are the same."""

    def place(self, at: int) -> int:
        """Where a character stands in the text that this was made of.

        Args:
            at: where it stands in this one; its length for the end.
        """
        return at if self.places is None else self.places[at]


def fold(text: str) -> FoldedText:
    """Fold a text.

    Args:
        text: any.
    """
    if _OTHER.search(text) is None:
        return FoldedText(text)
    kept, places = list[str](), list[int]()
    for at, char in enumerate(text):
        if char.isascii():
            plain = char
        elif unicodedata.category(char) in _UNSEEN or char in _BLANK:
            continue
        else:
            plain = unicodedata.normalize("NFKC", char)
            plain = _ANGLES.get(plain, plain)
        kept.append(plain if len(plain) == 1 else char)
        places.append(at)
    return FoldedText("".join(kept), (*places, len(text)))
