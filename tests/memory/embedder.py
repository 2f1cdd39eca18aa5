"""The embedder of the tests: deterministic, local, and no language model.

A text's place is the sum of directions that are drawn from hashes: of its words, of the letters in them, and of the
groups of a small thesaurus (recall_set/concepts.toml) that they stand in. So texts are near that share words, stems or
groups. It shows that the search finds what an embedder says is near, joins it with what words find, and is silent where
nothing is; how well a real model knows English it cannot show.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from math import sqrt
from pathlib import Path

from sulla.core.search.terms import terms
from sulla.memory.fusion import USUAL_WORDS

NUMBERS = 768
_GROUPS = tomllib.loads((Path(__file__).parent / "recall_set" / "concepts.toml").read_text())["groups"]
_WORD, _LETTERS, _GROUP = 1.0, 0.4, 2.0
"""What each of a word's directions weighs."""
_USUAL = 0.3
"""What a word weighs that stands in every second sentence."""
TELLING = 0.8
"""How near a note is with it that is told unasked; chosen by the questions in recall_set/trial.jsonl."""


def stem(word: str) -> str:
    """A word without the commonest endings of English."""
    for ending in ("ing", "ed", "er", "ly", "es", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_GROUPS_OF: dict[str, list[int]] = {}
for _number, _line in enumerate(_GROUPS):
    for _root in dict.fromkeys(stem(term) for term in terms(_line)):
        _GROUPS_OF.setdefault(_root, []).append(_number)


@cache
def _direction(name: str) -> tuple[float, ...]:
    """A direction of its own: signs drawn from a hash."""
    bits = int.from_bytes(b"".join(blake2b(f"{name}/{n}".encode(), digest_size=48).digest() for n in range(2)), "big")
    return tuple(1.0 if bits >> place & 1 else -1.0 for place in range(NUMBERS))


@cache
def _word(word: str) -> tuple[float, ...]:
    root = stem(word)
    padded = f"<{word}>"
    parts = [(f"w:{root}", _WORD)]
    pieces = [padded[at : at + 4] for at in range(max(1, len(padded) - 3))]
    parts += [(f"l:{piece}", _LETTERS / sqrt(len(pieces))) for piece in pieces]
    groups = _GROUPS_OF.get(root, [])
    parts += [(f"g:{group}", _GROUP / sqrt(len(groups))) for group in groups]
    sums = [0.0] * NUMBERS
    for name, weight in parts:
        sums = [total + weight * number for total, number in zip(sums, _direction(name), strict=True)]
    weight = _USUAL if word in USUAL_WORDS or root in USUAL_WORDS else 1.0
    return tuple(weight * number for number in sums)


def place(text: str) -> list[float]:
    """A text's place; what is said often counts little more than what is said once."""
    sums = [0.0] * NUMBERS
    for word, times in Counter(terms(text)).items():
        weight = sqrt(times)
        sums = [total + weight * number for total, number in zip(sums, _word(word), strict=True)]
    sums[0] += 1e-6  # a text without words stands somewhere too
    return sums


async def embed(texts: Sequence[str]) -> list[list[float]]:
    """Places, one for each text, as a service gives them."""
    return [place(text) for text in texts]
