"""Where a call may begin that is written within a line, and what a piece of text must not be shown before. Pure.

Only what is sure by its beginning counts: a tool's name with an object or with a keyword in its parentheses, an object
that names a tool or arguments first, or a marker. A tool's name with other words in parentheses is prose.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from sulla.agent.model.written import values as v

_FEW: Final = r"[ \t]{0,8}"
_KEYS: Final = (*v.NAME_KEYS, *v.ARGUMENT_KEYS, *v.OTHER_KEYS)
_MOST_TAIL: Final = 160
"""Code points of a beginning at the most."""
_MARKER: Final = v.MARKERS[1]


_WORD: Final = re.compile(r"[\w.-]*")
_LAST: Final = re.compile(r"(?<![\w.-])[\w.-]+\Z")
_BRACKETS: Final = "({["


@lru_cache(maxsize=64)
def inline_begins(names: frozenset[str]) -> InlineBegins:
    """What finds calls of some tools; made once for the same ones.

    Args:
        names: of the tools.
    """
    return InlineBegins(names)


def past_word(text: str, at: int) -> int:
    """Where the word ends that goes on at a place.

    Args:
        text: the text.
        at: the place.
    """
    found = _WORD.match(text, at)
    return found.end() if found is not None else at


def is_wordly(char: str) -> bool:
    """Whether a word, or a name with points, may go on behind a character.

    Args:
        char: it.
    """
    return _WORD.fullmatch(char) is not None


class InlineBegins:
    """Finds where calls of tools may begin within a line.

    Args:
        names: of the tools.
    """

    __slots__ = ("_begins", "_tail", "_words")

    def __init__(self, names: Collection[str]) -> None:
        called = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        before = rf"(?:(?:{'|'.join(sorted(v.BEFORE))})\.)?"
        inside = rf"\({_FEW}(?:\{{{_FEW}[\"']|[A-Za-z_]\w{{0,63}}{_FEW}=(?=[^=]))"
        keyed = rf"\{{{_FEW}[\"'](?:{'|'.join(_KEYS)})[\"']{_FEW}:"
        marker = re.escape(_MARKER)
        named = rf"(?<![\w.-]){before}(?:{called}){inside}|{keyed}|" if names else ""
        self._begins = re.compile(rf"{named}{marker}")
        parts = [rf"{re.escape(_MARKER[:end])}" for end in range(1, len(_MARKER))]
        if names:
            some = rf"\({_FEW}(?:\{{{_FEW}|[A-Za-z_]\w{{0,63}}{_FEW}=?)?"
            parts.append(rf"(?<![\w.-]){before}(?:{called}){some}")
            parts.append(rf"\{{{_FEW}(?:[\"']\w{{0,20}}(?:[\"']{_FEW})?)?")
        self._tail = re.compile(rf"(?:{'|'.join(parts)})\Z")
        whole = [*names, *(f"{one}.{name}" for one in v.BEFORE for name in names)]
        self._words = frozenset(word[:end] for word in whole for end in range(1, len(word) + 1))

    def find(self, text: str, at: int, end: int) -> tuple[int, int] | None:
        """The first place where one may begin, and where its beginning ends; None if there is none.

        Args:
            text: the text.
            at: from where.
            end: up to where.
        """
        if not any(text.find(char, at, end) >= 0 for char in _BRACKETS):
            return None
        found = self._begins.search(text, at, end)
        return found.span() if found is not None else None

    def held(self, text: str, at: int) -> int:
        """From where on the end of a text must not be shown yet; its length if all may.

        Args:
            text: the text.
            at: from where it is looked at.
        """
        at = max(at, len(text) - _MOST_TAIL)
        if any(text.find(char, at) >= 0 for char in _BRACKETS) and (found := self._tail.search(text, at)) is not None:
            return found.start()
        word = _LAST.search(text, at)
        return word.start() if word is not None and word[0] in self._words else len(text)
