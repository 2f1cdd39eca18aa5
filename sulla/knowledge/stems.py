"""What is left of an English word without its ending, so that ``cancelled`` finds ``cancellation``. Pure.

Not a stem that a linguist would accept: the question and the text lose the same, and that is enough.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_ENDINGS: Final = (
    *(("ization", 4), ("ation", 4), ("ement", 4), ("ment", 3), ("ness", 4), ("abl", 4), ("ibl", 4), ("anc", 4)),
    *(("enc", 4), ("ing", 3), ("ion", 4), ("iv", 4), ("ed", 3), ("er", 4), ("or", 4), ("ly", 5), ("al", 4)),
)
"""Each with the letters that have to be left before it; the longer one of two that fit comes first. A last `e` is gone
by then."""
_VOWELS: Final = frozenset("aeiouy")
_ROUNDS: Final = 3
"""Endings that one word may lose."""
_KNOWN: Final = 20_000
"""Words that are remembered: most of a text are said again and again."""


@lru_cache(_KNOWN)
def stem(word: str) -> str:
    """A word without its ending.

    Args:
        word: one of `terms`, so without a plural's ending. What is not of plain letters stays as it is.
    """
    if not (word.isascii() and word.isalpha()) or len(word) < 4:
        return word
    for _ in range(_ROUNDS):
        word = word.removesuffix("e") if len(word) > 4 else word
        shorter = _without(word)
        if shorter == word:
            break
        word = shorter
    return _undoubled(word)


def _without(word: str) -> str:
    for ending, least in _ENDINGS:
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) >= least and not _VOWELS.isdisjoint(left):
            return _undoubled(left)
    return word


def _undoubled(word: str) -> str:
    """``shipp`` to ``ship``, and ``suppli`` and ``supply`` to the same."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS:
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word
