"""The words that a note is found by. The same for every backend, so that all of them find the same. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_TERMS: Final = 400
"""Of one note; its sizes leave room for fewer."""

MAX_ASKED_TERMS: Final = 32
"""Of one question: the first ones."""

_WORD = re.compile(r"[^\W_]+")
_LETTERS = 40
"""What is kept of a very long word."""
_STOP = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have he her him his how i if in "
    "into is it its just me my not of on or our out please she so than that the their them then there these they this "
    "to up us was we were what when where which who why will with would you your".split()
)


def terms(text: str, most: int = MAX_TERMS) -> list[str]:
    """The words of a text in their order: no case, no accents, no plural, nothing that stands in every text.

    What is written without spaces (Chinese, Japanese, Thai) becomes pairs of characters.

    Args:
        text: anything.
        most: how many are given at most.
    """
    plain = text.casefold()
    if not plain.isascii():  # else it has no accents, and to look for them takes longer than all the rest
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    found: list[str] = []
    for match in _WORD.finditer(plain):
        found += _pieces(match[0])
        if len(found) >= most:
            break
    return found[:most]


def asked_terms(text: str) -> list[str]:
    """The words of a question, each once, in their order."""
    return list(dict.fromkeys(terms(text, 4 * MAX_ASKED_TERMS)))[:MAX_ASKED_TERMS]


def _pieces(word: str) -> list[str]:
    if not word.isascii() and any(_is_spaceless(c) for c in word):
        return [word[n : n + 2] for n in range(len(word) - 1)] or [word]
    if word in _STOP or (len(word) == 1 and not word.isdecimal()):
        return []
    return [_singular(word)[:_LETTERS]]


def _singular(word: str) -> str:
    """Without an English plural's ending (Harman's s-stemmer: three rules that rarely join what does not belong)."""
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else word[:-3] + "y"
    if word.endswith(("us", "ss")):
        return word
    return word[:-1]


def _is_spaceless(character: str) -> bool:
    return "\u0e00" <= character <= "\u0eff" or "\u3040" <= character <= "\u9fff" or character >= "\U00020000"
