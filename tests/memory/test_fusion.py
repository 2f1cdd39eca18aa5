"""Rankings are joined by rank, and only what has enough of a question is told unasked."""

from __future__ import annotations

import pytest

from sulla.core.search.terms import asked_terms
from sulla.memory.fusion import WordSpread, fused, telling_hits
from sulla.memory.note import MemoryHit, MemoryNote
from tests.kits.memory_kit import make_note

A, B, C, D = (make_note(text) for text in "abcd")


def _ranked(*notes: MemoryNote) -> list[MemoryHit]:
    return [MemoryHit(note, 100.0 - place) for place, note in enumerate(notes)]


@pytest.mark.parametrize(
    ("rankings", "best"),
    [
        (((A, B, C),), (A, B, C)),
        (((A, B), (B, A)), (A, B)),
        (((A, B, C), (C,)), (C, A, B)),  # found both ways before found one way
        (((A, B), ()), (A, B)),
        (((), ()), ()),
        (((A,), (B,), (B, C)), (B, A, C)),  # a third way counts as the others
    ],
)
def test_what_several_rankings_have_comes_first(
    rankings: tuple[tuple[MemoryNote, ...], ...], best: tuple[MemoryNote, ...]
) -> None:
    given = [_ranked(*ranking) for ranking in rankings]
    assert [hit.note for hit in fused(given, 10)] == list(best)
    assert [hit.note for hit in fused(given, 2)] == list(best[:2])


def test_one_ranking_stays_as_it_is() -> None:
    ranking = _ranked(A, B)
    assert fused([ranking], 5) == ranking


@pytest.mark.parametrize(
    ("question", "having", "text", "told"),
    [
        ("Where is the tea?", {"tea": 3}, "tea in the tin", True),
        ("Where is the tea tin?", {"tea": 3, "tin": 2}, "tea in the tin", True),
        ("Tell me of the tea in Bombay in 1870", {"tea": 3}, "tea in the tin", False),  # a small part of it
        ("thanks a lot", {"thank": 2}, "thanks", False),  # small talk
        ("the meeting", {"meeting": 600}, "a meeting", False),  # in more than half of all
        ("the meeting on kilns", {"meeting": 600, "kiln": 2}, "a meeting", False),
        ("the meeting on kilns", {"meeting": 600, "kiln": 2}, "kilns", True),
    ],
)
def test_only_what_has_enough_of_the_rare_words_is_told_unasked(
    question: str, having: dict[str, int], text: str, told: bool
) -> None:
    hits = [MemoryHit(make_note(text), 1.0)]
    assert telling_hits(asked_terms(question), WordSpread(1000, having), hits) == (hits if told else [])


def test_in_a_memory_of_a_few_notes_a_word_is_enough() -> None:
    hits = [MemoryHit(make_note("the kiln"), 1.0)]
    assert telling_hits(["kiln"], WordSpread(1, {"kiln": 1}), hits) == hits
