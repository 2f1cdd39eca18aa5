"""What whoever keeps the vectors of notes must hold, wherever the notes are.

A test module of a backend has a fixture ``index``, as for `memory_kit`, and imports all of this too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from sulla.memory.base import MemoryIndex
from sulla.memory.note import MemoryNote, ReadPosition
from sulla.memory.vectors.base import NoteVector
from tests.kits.memory_kit import SMALL, make_note


def vector_of(note: MemoryNote, number: int = 7) -> NoteVector:
    """A vector that can be told from others; what its bytes mean is no concern of a store."""
    return NoteVector(note, bytes([number]) * 96, bytes([255 - number]) * 1536)


async def _missing(index: MemoryIndex, limit: int = 100) -> list[str]:
    return [note.text for note in await index.vectors.missing(limit)]


async def _found(index: MemoryIndex, scope: str = "ada") -> dict[str, tuple[bytes, bytes]]:
    """Texts with signature and vector, in the order in which they were kept."""
    signed = await index.vectors.signed(scope, 0, 1000)
    seqs = [one.seq for one in signed]
    assert seqs == sorted(set(seqs))
    placed = {one.seq: one for one in await index.vectors.placed(scope, seqs)}
    assert set(placed) == set(seqs)
    return {placed[one.seq].note.text: (one.signature, placed[one.seq].packed) for one in signed}


async def _keep(index: MemoryIndex, notes: Sequence[MemoryNote], model: str = "m:one") -> int:
    return await index.vectors.put(model, [vector_of(note, number) for number, note in enumerate(notes)])


async def test_a_note_lacks_a_vector_until_it_has_one_and_is_found_with_it_from_then_on(index: MemoryIndex) -> None:
    before, after = make_note("kept before", at_ms=5), make_note("kept after", at_ms=6)
    await index.add([before])
    await index.vectors.use("m:one")
    await index.add([after])
    assert await _missing(index) == ["kept after", "kept before"]
    assert await _missing(index, 1) == ["kept after"]
    assert await _keep(index, [before, after]) == 2
    assert await _missing(index) == []
    assert await _found(index) == {
        "kept before": (bytes([0]) * 96, bytes([255]) * 1536),
        "kept after": (bytes([1]) * 96, bytes([254]) * 1536),
    }


async def test_nothing_is_kept_twice_and_nothing_of_a_note_that_is_gone(index: MemoryIndex) -> None:
    await index.vectors.use("m:one")
    note, gone = make_note("here"), make_note("gone before its vector came")
    await index.add([note, gone])
    await index.delete([gone.id])
    assert await _keep(index, [note, gone]) == 1
    assert await _keep(index, [gone, note]) == 0
    assert await _found(index) == {"here": (bytes([0]) * 96, bytes([255]) * 1536)}
    assert await index.vectors.put("m:one", []) == 0


async def test_signatures_are_read_on_from_where_they_were_left(index: MemoryIndex) -> None:
    await index.vectors.use("m:one")
    notes = [make_note(f"number {n}") for n in range(5)]
    await index.add(notes)
    await _keep(index, notes[:3])
    first = await index.vectors.signed("ada", 0, 2)
    rest = await index.vectors.signed("ada", first[-1].seq, 10)
    assert [one.signature[0] for one in (*first, *rest)] == [0, 1, 2]
    await _keep(index, notes[3:])
    assert len(await index.vectors.signed("ada", rest[-1].seq, 10)) == 2


async def test_a_number_is_not_given_again_when_the_newest_note_is_gone(index: MemoryIndex) -> None:
    await index.vectors.use("m:one")
    old, new = make_note("old"), make_note("new")
    await index.add([old])
    await _keep(index, [old])
    (read,) = await index.vectors.signed("ada", 0, 10)
    await index.delete([old.id])
    await index.add([new])
    await _keep(index, [new])
    assert len(await index.vectors.signed("ada", read.seq, 10)) == 1


async def test_nobody_finds_the_vectors_of_another(index: MemoryIndex) -> None:
    await index.vectors.use("m:one")
    hers, his = make_note("hers"), make_note("his", scope="bob")
    await index.add([hers, his])
    await _keep(index, [hers, his])
    (seq,) = [one.seq for one in await index.vectors.signed("bob", 0, 10)]
    assert list(await _found(index)) == ["hers"]
    assert await index.vectors.placed("ada", [seq]) == []
    assert await index.vectors.signed("nobody", 0, 10) == []
    assert await index.vectors.placed("nobody", []) == []


async def test_with_a_note_its_vector_is_gone_whatever_removed_the_note(index: MemoryIndex) -> None:
    await index.vectors.use("m:one")
    fact = make_note("a fact", kind="fact", thread="thr_2")
    episode, other = make_note("an episode", at_ms=9000), make_note("elsewhere", thread="thr_2", at_ms=9001)
    oldest = make_note("the oldest", at_ms=1, thread="thr_3")
    await index.add([fact, episode, other, oldest], ("thr_1", ReadPosition(5, tainted=False)))
    await _keep(index, [fact, episode, other, oldest])
    seqs = [one.seq for one in await index.vectors.signed("ada", 0, 10)]
    await index.delete([fact.id])
    assert list(await _found(index)) == ["an episode", "elsewhere", "the oldest"]
    await index.drop_thread("thr_1")
    assert list(await _found(index)) == ["elsewhere", "the oldest"]
    await index.add([make_note(f"newer {n}", at_ms=9100 + n) for n in range(SMALL.episodes - 1)])
    assert list(await _found(index)) == ["elsewhere"]
    assert [one.note.text for one in await index.vectors.placed("ada", seqs)] == ["elsewhere"]
    assert "the oldest" not in await _missing(index)


async def test_another_model_means_all_anew_and_nothing_of_the_old_one_stays(
    index: MemoryIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[type(index.vectors).__module__], "MAX_REMOVED", 4)
    await index.vectors.use("m:one")
    notes = [make_note(f"number {n}", at_ms=n + 1) for n in range(10)]
    await index.add(notes)
    await _keep(index, notes[:9])
    await index.vectors.use("m:one")
    assert await _missing(index) == ["number 9"]
    await index.vectors.use("m:two")
    assert await _found(index) == {}
    assert sorted(await _missing(index)) == [f"number {n}" for n in range(10)]
    assert await _keep(index, notes, "m:one") == 0
    assert await _keep(index, notes, "m:two") == 10
    assert len(await _found(index)) == 10
    assert await _missing(index) == []
