"""Rankings are joined by rank, and only what has enough of a question is told unasked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.search.terms import asked_terms
from sulla.memory.fusion import WordSpread, fused, may_tell, telling_hits
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
    ranked = [_ranked(*ranking) for ranking in rankings]
    assert [hit.note for hit in fused(ranked, 10)] == list(best)
    assert [hit.note for hit in fused(ranked, 2)] == list(best[:2])


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


WORDS = ["tea", "kiln", "tin", "meeting", "opera", "time", "work"]


@given(st.lists(st.sampled_from(WORDS), unique=True), st.lists(st.sets(st.sampled_from(WORDS)), max_size=6))
def test_where_a_note_is_told_it_was_known_that_one_may_be(asked: list[str], notes: list[set[str]]) -> None:
    hits = [MemoryHit(make_note(" ".join(sorted(words)) or "-"), 1.0) for words in notes]
    having = {word: sum(word in words for words in notes) for word in WORDS}
    spread = WordSpread(len(notes), {word: count for word, count in having.items() if count})
    assert may_tell(asked, spread) or telling_hits(asked, spread, hits) == []


@pytest.mark.parametrize(
    ("asked", "having", "may"),
    [
        (["tea"], {"tea": 3}, True),
        (["tea"], {}, False),  # nobody ever spoke of it
        (["tea", "tin"], {"tea": 3, "tin": 2}, True),
        (["meeting"], {"meeting": 600}, False),
        (["bombay", "opera", "kiln", "tea"], {"tea": 3}, False),  # all that has one of them has no other
        ([], {}, False),
    ],
)
def test_nothing_need_be_looked_for_where_no_note_can_have_enough(
    asked: list[str], having: dict[str, int], may: bool
) -> None:
    assert may_tell(asked, WordSpread(1000, having)) is may
