"""Phrases are found by whole words, whatever case and marks, and a thousand of them cost a message little."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput, TooLarge
from sulla.routes.phrases import MOST_GAP_WORDS, Choice, Found, Gap, PhraseIndex, phrase_of
from sulla.routes.words import words_of


def found(phrase: str, text: str) -> list[str]:
    """The places of a text where a phrase is found."""
    words = words_of(text)
    return [words.said(one.first, one.last) for one in PhraseIndex([phrase_of(phrase)]).find(words)]


@pytest.mark.parametrize(
    ("phrase", "text", "where"),
    [
        ("do", "Don't undo it", []),
        ("search", "research", []),
        ("kill myself", "I KILL -- myself!", ["kill myself"]),
        ("kill myself", "kill. Myself.", ["kill myself"]),
        ("don't live", "I dont live", ["dont live"]),
        ("dont live", "I don\u2019t live", ["don't live"]),
        ("self-harm", "self harm and self-harm", ["self harm", "self harm"]),
        ("suicid*", "suicidal, suicide; unsuicidal", ["suicidal", "suicide"]),
        ("self harm*", "self-harming", ["self harming"]),
        ("a|b c", "a c, b c, c c", ["a c", "b c"]),
        ("a|b* c", "bee c", ["bee c"]),
        ("kill ... myself", "kill myself", ["kill myself"]),
        ("kill ... myself", "kill, or so, myself", ["kill or so myself"]),
        ("kill ... myself", "kill one two three four myself", ["kill one two three four myself"]),
        ("kill ... myself", "kill one two three four five myself", []),
        ("kill ...1 myself", "kill one myself, kill one two myself", ["kill one myself"]),
        ("kill ... myself", "kill it. Then I, myself", []),
        ("café", "cafe", ["cafe"]),
        ("straße", "STRASSE", ["strasse"]),
        ("a \u2026 b", "a x b", ["a x b"]),
    ],
)
def test_what_is_found(phrase: str, text: str, where: list[str]) -> None:
    assert found(phrase, text) == where


def test_a_phrase_is_read_into_its_parts() -> None:
    assert phrase_of("I'm ...2 a|b* c") == (
        Choice(frozenset({"im"}), frozenset()),
        Gap(2),
        Choice(frozenset({"a"}), frozenset({"b"})),
        Choice(frozenset({"c"}), frozenset()),
    )


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("?!", "no words"),
        ("...", "no words"),
        ("a ...10 b", "is no gap"),
        ("a ...0 b", "is no gap"),
        ("a ...3x b", "is no gap"),
        ("a...b", "is no gap"),
        ("a .... b", "is no gap"),
        ("ab*c", "at the end of a word"),
        ("a *b", "at the end of a word"),
        ("a * b", "at the end of a word"),
        ("a|b*c d", "at the end of a word"),
        ("... a", "beginning or end"),
        ("a ...", "beginning or end"),
        ("a ... ...2 b", "side by side"),
        ("a ... b ... c ... d ... e", "3 are allowed"),
        ("a| b", "not one word"),
        ("self-harm|cut", "not one word"),
        (" ".join("a" * 21), "20 are allowed"),
        ("|".join(f"w{number}" for number in range(65)), "64 are allowed"),
    ],
)
def test_one_that_can_never_be_found_or_has_too_much_is_refused(phrase: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        phrase_of(phrase)


def test_an_index_does_not_grow_without_bound() -> None:
    def half(row: int, at: int) -> str:
        bits = int.from_bytes(blake2b(f"{row} {at}".encode()).digest()[:4])
        return "|".join(f"w{word}" for word in range(24) if bits >> word & 1)

    rows = [" ".join(half(row, at) for at in range(5)) for row in range(40)]
    with pytest.raises(TooLarge, match="write fewer"):
        PhraseIndex([phrase_of(row) for row in rows])


_WORDS = st.sampled_from(["a", "b", "ab", "c"])
_TEXTS = st.lists(_WORDS, max_size=12)


@st.composite
def _phrases(draw: st.DrawFn) -> str:
    parts = [draw(st.sampled_from(["a", "b", "a|b", "a*", "c"]))]
    for _ in range(draw(st.integers(0, 3))):
        gap = draw(st.sampled_from(["", "", " ...1", f" ...{MOST_GAP_WORDS}"]))
        parts.append(f"{gap} {draw(st.sampled_from(['a', 'b', 'a|b', 'a*', 'c']))}".strip())
    return " ".join(parts)


def _naive(phrase: str, text: list[str]) -> set[tuple[int, int]]:
    """The same by trying everything."""
    slots = phrase_of(phrase)

    def ends(slot: int, at: int) -> set[int]:
        if slot == len(slots):
            return {at - 1}
        one = slots[slot]
        if isinstance(one, Gap):
            return set().union(*(ends(slot + 1, at + skipped) for skipped in range(one.most + 1)))
        if at >= len(text):
            return set()
        fits = text[at] in one.words or any(text[at].startswith(stem) for stem in one.stems)
        return ends(slot + 1, at + 1) if fits else set()

    return {(first, last) for first in range(len(text)) for last in ends(0, first)}


@given(st.lists(_phrases(), min_size=1, max_size=6), _TEXTS)
def test_the_index_finds_what_trying_everything_finds(phrases: list[str], text: list[str]) -> None:
    index = PhraseIndex([phrase_of(phrase) for phrase in phrases])
    got = set(index.find(words_of(" ".join(text))))
    every = {Found(at, *span) for at, phrase in enumerate(phrases) for span in _naive(phrase, text)}
    ends = {(one.number, one.last) for one in every}
    firsts = {end: [one.first for one in every if (one.number, one.last) == end] for end in ends}
    utmost = {Found(number, find(firsts[number, last]), last) for number, last in ends for find in (min, max)}
    assert utmost <= got <= every
