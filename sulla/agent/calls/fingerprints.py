"""Tells whether words of one text still stand in another, from short digests of its runs of words alone. Pure.

A person who changes one word of a page has not made the rest of it theirs. So a text is known by every run of `RUN`
words in it, by its lines that are shorter, and by its long numbers: neither new line breaks, nor indentation, bullets,
numbers, ticks or capitals change those, nor do words that are put before or behind a short line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from typing import Final

from sulla.core.pattern import late_pattern

RUN: Final = 5
"""Words in a row: fewer are the same in many texts by chance."""
SHORT_LINE: Final = 8
"""Letters and digits of a line of fewer words that is known all the same; shorter ones are headings and brackets."""
LONG_NUMBER: Final = 6
"""Digits of a number that is known by itself, as those of accounts and telephones are; shorter ones count entries."""
MOST_EACH: Final = 4_000
"""Runs, lines and numbers of one text that are kept, about ten pages; of a longer text none are."""
_BYTES: Final = 6
"""Of one fingerprint: two texts of 4,000 words have one in common by chance once in 17 million times."""

Fingerprints = frozenset[bytes]

_ALONE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = late_pattern(rf"[{_ALONE}]|(?:(?![{_ALONE}])[^\W_])+")
"""A word; in scripts that put no blanks between words, a letter."""
_NUMBER = re.compile(rf"[0-9](?: ?[0-9]){{{LONG_NUMBER - 1},}}")
"""A long number, in groups or not; what has other signs in it may be a date."""


def fingerprints(text: str, known: Fingerprints = frozenset(), most: int = MOST_EACH) -> Fingerprints | None:
    """Those of a text.

    Args:
        text: the text.
        known: those that are left out.
        most: how many there may be.

    Returns:
        Them; None if there are more.
    """
    found: set[bytes] = set()
    for run in _runs(text):
        if run not in known:
            found.add(run)
            if len(found) > most:
                return None
    return frozenset(found)


def any_left(text: str, words: Fingerprints) -> bool:
    """Whether a text has any of these in it."""
    return any(run in words for run in chain(_runs(text), _within_lines(text)))


def pack(found: Fingerprints) -> str:
    """Them as text, to be kept."""
    return b"".join(sorted(found)).hex()


def unpack(packed: str) -> Fingerprints:
    """What `pack` has made.

    Raises:
        ValueError: it has not.
    """
    raw = bytes.fromhex(packed)
    if len(raw) % _BYTES:
        raise ValueError("these are no fingerprints")
    return frozenset(raw[at : at + _BYTES] for at in range(0, len(raw), _BYTES))


def _runs(text: str) -> Iterator[bytes]:
    """The fingerprint of every run of words, over the ends of lines too, of the short lines and of long numbers."""
    for number in _NUMBER.finditer(unicodedata.normalize("NFKC", text)):
        yield _digest(number[0].replace(" ", ""))
    last: list[str] = []
    for words in _lines(text):
        if len(words) < RUN and sum(map(len, words)) >= SHORT_LINE:
            yield _digest("\n".join(words))
        for word in words:
            last.append(word)
            if len(last) >= RUN:
                yield _digest(" ".join(last[-RUN:]))
                del last[:-RUN]


def _within_lines(text: str) -> Iterator[bytes]:
    """The fingerprints that some words of each line would have as a short line: there may be others around it now."""
    for words in _lines(text):
        for size in range(2, RUN):
            for at in range(len(words) - size + 1):
                part = words[at : at + size]
                if sum(map(len, part)) >= SHORT_LINE:
                    yield _digest("\n".join(part))


def _lines(text: str) -> Iterator[list[str]]:
    """The words of each line. Numbers and single letters are left out: they number and tick the entries of lists."""
    for line in unicodedata.normalize("NFKC", text).casefold().splitlines():
        words = _WORD.findall(line)
        yield [word for word in words if not (word.isascii() and (len(word) == 1 or word.isdigit()))]


def _digest(run: str) -> bytes:
    return blake2b(run.encode("utf-8", "replace"), digest_size=_BYTES).digest()
