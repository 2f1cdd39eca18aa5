"""The part of a text in which the words that were looked for stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from sulla.core.cut import cut
from sulla.core.search.terms import terms

_WORD: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
"""A word as it is written, with accents that are characters of their own."""
_BEFORE: Final = 40
"""Code points that stand before the first word that fits: few, so that a narrow line shows the word too."""


def excerpt(text: str, asked: Collection[str], most_chars: int) -> str:
    """As much of a text as there is room for, where most of the words stand that were asked for; its beginning where
    none does. What was left out at an end is marked with ``…``.

    Args:
        text: it.
        asked: the terms of the question, as `terms.asked_terms` gives them.
        most_chars: code points, the marks among them.
    """
    if len(text) <= most_chars:
        return text
    wanted = set(asked)
    hits = [(match.start(), found) for match in _WORD.finditer(text) if (found := wanted.intersection(terms(match[0])))]
    room = most_chars - _BEFORE - 2
    best, most = 0, 0
    for number, (start, _) in enumerate(hits):
        # No further than there can be words: a long text can be nothing but hits.
        near = [found for at, found in hits[number : number + room] if at < start + room]
        if (fit := len(set[str]().union(*near))) > most:
            best, most = start, fit
    start = _begin(text, best - _BEFORE, best) if best > _BEFORE else 0
    return cut(text[start:], most_chars) if start == 0 else "…" + cut(text[start:], most_chars - 1)


def _begin(text: str, earliest: int, latest: int) -> int:
    """Where a word begins between two places, if one does."""
    blank = re.search(r"\s", text[earliest:latest])
    return earliest + blank.end() if blank is not None else earliest
