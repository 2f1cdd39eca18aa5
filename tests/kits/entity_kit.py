"""What whoever keeps statements beside the notes must hold, wherever these are.

A test module of a backend has a fixture ``index``, as for `memory_kit`, and imports all of this too.
"""

from __future__ import annotations

import sys

import pytest

from sulla.memory.base import MemoryIndex
from sulla.memory.entities.statement import EntityName, Statement
from sulla.memory.note import MemoryNote, ReadPosition
from tests.kits.memory_kit import SMALL, make_note

ANA = EntityName("person", "Ana")


def make_statement(value: str, *source: MemoryNote, scope: str = "ada") -> Statement:
    """A fact that was drawn from notes; without any it is a person's."""
    ids = tuple(note.id for note in source)
    return Statement(
        f"st_{value}", scope, "fact", ANA, "is", value, EntityName("place", "Zürich"), 7, ids, tainted=False
    )


async def _kept(index: MemoryIndex, scope: str = "ada") -> list[str]:
    return [one.statement.value for one in await index.statements.since(scope, 0, 1000)]


async def _undrawn(index: MemoryIndex, scope: str = "ada", limit: int = 100) -> list[str]:
    return [note.text for note in await index.statements.undrawn(scope, limit)]


async def test_from_each_note_is_drawn_once_whoever_comes_first(index: MemoryIndex) -> None:
    late, early, fact = make_note("late", at_ms=9), make_note("early", at_ms=5), make_note("fact", kind="fact", at_ms=7)
    await index.add([late, early, fact, make_note("an errand", kind="errand"), make_note("his", scope="bob")])
    assert await _undrawn(index) == ["early", "fact", "late"]
    assert await _undrawn(index, limit=2) == ["early", "fact"]
    assert await _undrawn(index, "nobody") == []
    mine, his = make_statement("mine", early, fact), make_statement("his", late)
    assert await index.statements.put("ada", [mine], [early.id, fact.id])
    assert not await index.statements.put("ada", [his], [late.id, fact.id])
    assert await _kept(index) == ["mine"]
    assert await _undrawn(index) == ["late"]
    assert await index.statements.put("ada", [], [late.id])  # nothing came of it, and that is that
    assert await _undrawn(index) == []
    await index.add([early])  # known: nothing of it is new
    assert await _undrawn(index) == []


async def test_what_was_kept_comes_back_word_for_word_in_its_order(index: MemoryIndex) -> None:
    note = make_note("said")
    await index.add([note])
    drawn, said = make_statement('Zürich "8"\n日本語', note), make_statement("by a person")
    assert await index.statements.scopes() == []
    assert await index.statements.put("ada", [drawn])
    assert await index.statements.scopes() == ["ada"]
    first = await index.statements.revision("ada")
    assert await index.statements.put("ada", [said, drawn])
    kept = await index.statements.since("ada", 0, 10)
    assert [one.statement for one in kept] == [drawn, said]
    assert await index.statements.since("ada", kept[0].seq, 10) == kept[1:]
    assert await index.statements.since("ada", 0, 1) == kept[:1]
    now = await index.statements.revision("ada")
    assert (first.last, now.last) == (kept[0].seq, kept[1].seq)
    assert first.removed == now.removed == 0
    assert await index.statements.since("bob", 0, 10) == []
    assert (await index.statements.revision("bob")).last == 0


async def test_nothing_is_kept_of_a_note_that_is_gone(index: MemoryIndex) -> None:
    here, gone = make_note("here"), make_note("gone")
    await index.add([here, gone])
    await index.delete([gone.id])
    both, one = make_statement("from both", here, gone), make_statement("from one", here)
    assert await index.statements.put("ada", [both, one], [here.id, gone.id])
    assert await _kept(index) == ["from one"]


async def test_with_a_note_all_goes_that_was_drawn_from_it_whatever_removed_the_note(index: MemoryIndex) -> None:
    fact = make_note("a fact", kind="fact", thread="thr_2")
    episode, other = make_note("an episode", at_ms=9000), make_note("elsewhere", thread="thr_2", at_ms=9001)
    oldest = make_note("the oldest", at_ms=1, thread="thr_3")
    notes = [fact, episode, other, oldest]
    await index.add(notes, ("thr_1", ReadPosition(5, tainted=False)))
    drawn = [make_statement(f"of {note.text}", note) for note in notes]
    shared, said = make_statement("of two", fact, other), make_statement("by a person")
    await index.statements.put("ada", [*drawn, shared, said], [note.id for note in notes])
    before = await index.statements.revision("ada")
    await index.delete([fact.id])
    assert await _kept(index) == ["of an episode", "of elsewhere", "of the oldest", "by a person"]
    assert (await index.statements.revision("ada")).removed > before.removed
    await index.drop_thread("thr_1")
    assert await _kept(index) == ["of elsewhere", "of the oldest", "by a person"]
    await index.add([make_note(f"newer {n}", at_ms=9100 + n) for n in range(SMALL.episodes - 1)])
    assert await _kept(index) == ["of elsewhere", "by a person"]
    await index.delete([other.id])
    assert await _kept(index) == ["by a person"]
    await index.add([fact])  # made anew, e.g. after the file was lost
    assert "a fact" in await _undrawn(index)


async def test_statements_are_removed_for_good_and_the_others_stay(index: MemoryIndex) -> None:
    note = make_note("said")
    await index.add([note])
    await index.statements.put("ada", [make_statement("one", note), make_statement("two", note)], [note.id])
    last = (await index.statements.revision("ada")).last
    assert await index.statements.remove(["st_two", "st_nothing"]) == 1
    assert await index.statements.remove([]) == 0
    assert await _kept(index) == ["one"]
    assert await _undrawn(index) == []  # what is forgotten does not come back by itself
    await index.statements.put("ada", [make_statement("three")])
    assert [one.seq for one in await index.statements.since("ada", last, 10)] > [last]
    await index.delete([note.id])
    assert await _kept(index) == ["three"]
    await index.statements.remove(["st_three"])
    assert await index.statements.scopes() == []


async def test_of_too_many_the_oldest_go_and_never_what_a_person_said(index: MemoryIndex) -> None:
    note, his = make_note("said"), make_note("his", scope="bob")
    await index.add([note, his])
    await index.statements.put("bob", [make_statement("bob's", his, scope="bob")])
    await index.statements.put("ada", [make_statement("by a person")])
    await index.statements.put("ada", [make_statement(f"number {n}", note) for n in range(5)], [note.id], most=3)
    assert await _kept(index) == ["by a person", "number 2", "number 3", "number 4"]
    assert await _kept(index, "bob") == ["bob's"]


async def test_only_the_newest_notes_are_drawn_from(index: MemoryIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[type(index.statements).__module__], "NEWEST", 2)
    await index.add([make_note(f"number {n}", at_ms=n + 1) for n in range(5)])
    assert await _undrawn(index) == ["number 3", "number 4"]
