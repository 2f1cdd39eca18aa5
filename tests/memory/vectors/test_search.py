"""What is near is found, whatever is added, removed or embedded anew meanwhile, and what is held is bounded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from sulla.memory.note import MemoryNote
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.vectors import search
from sulla.memory.vectors.base import NoteVector
from sulla.memory.vectors.search import Meanings
from sulla.memory.vectors.signature import normalised, pack, signature_of
from sulla.memory.vectors.ways import PLAIN, Way, load_way
from tests.kits.memory_kit import make_note
from tests.memory.embedder import place
from tests.memory.world import make_index

Load = Callable[[], Way]


@pytest.fixture(params=["plain", "loaded"])
def load(request: pytest.FixtureRequest) -> Load:
    """Both ways to compare: what is found depends on neither."""
    return load_way if request.param == "loaded" else lambda: PLAIN


@pytest.fixture
async def index() -> AsyncIterator[SqliteMemory]:
    backend = make_index()
    await backend.open()
    await backend.vectors.use("m:one")
    yield backend
    await backend.close()


async def asked(question: str) -> Sequence[float]:
    return place(question)


async def keep(index: SqliteMemory, notes: Sequence[MemoryNote], model: str = "m:one") -> None:
    await index.add(notes)
    places = [(note, normalised(place(note.text))) for note in notes]
    await index.vectors.put(model, [NoteVector(note, signature_of(one), pack(one)) for note, one in places])


async def found(meanings: Meanings, question: str, *scopes: str, limit: int = 5) -> list[str]:
    return [hit.note.text for hit in await meanings.near(scopes or ("ada", ""), question, limit)]


async def test_what_means_the_same_is_found_and_nothing_else(index: SqliteMemory, load: Load) -> None:
    meanings = Meanings(index.vectors, asked, load)
    assert await found(meanings, "physician") == []
    await keep(index, [make_note("the doctor is Halloran"), make_note("green bicycle"), make_note("slate tiles")])
    await keep(index, [make_note("the clinic of Bob", scope="bob"), make_note("everybody's doctor", scope="")])
    assert sorted(await found(meanings, "physician")) == ["everybody's doctor", "the doctor is Halloran"]
    assert await found(meanings, "physician", "bob") == ["the clinic of Bob"]
    assert await found(meanings, "quantum chromodynamics") == []
    assert len(await found(meanings, "physician", limit=1)) == 1


async def test_what_comes_later_is_found_and_what_is_gone_is_not(index: SqliteMemory, load: Load) -> None:
    meanings = Meanings(index.vectors, asked, load)
    first, second = make_note("the doctor is Halloran"), make_note("a surgery in Weaver Street")
    await keep(index, [first])
    assert await found(meanings, "physician") == [first.text]
    await keep(index, [second])
    assert set(await found(meanings, "physician")) == {first.text, second.text}
    await index.delete([first.id])
    assert await found(meanings, "physician") == [second.text]
    assert meanings.held == 1


async def test_what_is_behind_many_notes_that_are_gone_is_found(
    index: SqliteMemory, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CANDIDATES", 4)
    gone = [make_note("physician") for _ in range(8)]
    stays = make_note("the doctor is Halloran, and the rest of it is about slate tiles")
    await keep(index, [*gone, stays])
    meanings = Meanings(index.vectors, asked, load)
    assert await found(meanings, "physician", limit=2) == ["physician"] * 2
    await index.delete([note.id for note in gone])
    assert await found(meanings, "physician", limit=2) == [stays.text]


async def test_after_another_model_only_its_vectors_are_found(index: SqliteMemory, load: Load) -> None:
    meanings = Meanings(index.vectors, asked, load)
    old, new = make_note("the doctor is Halloran"), make_note("the clinic is in Weaver Street")
    await keep(index, [old])
    assert await found(meanings, "physician") == [old.text]
    await index.vectors.use("m:two")
    assert await found(meanings, "physician") == []
    await keep(index, [new], "m:two")
    assert await found(meanings, "physician") == [new.text]


async def test_the_scope_that_was_asked_longest_ago_makes_room_and_is_read_again(
    index: SqliteMemory, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_SIGNATURES", 5)
    for scope in ("ada", "bob", "cleo"):
        await keep(index, [make_note(f"doctor {scope} {n}", scope=scope) for n in range(3)])
    meanings = Meanings(index.vectors, asked, load)
    for scope in ("ada", "bob", "cleo", "ada"):
        assert len(await found(meanings, "physician", scope)) == 3
        assert meanings.held <= 5


async def test_what_is_held_of_removed_notes_is_bounded(
    index: SqliteMemory, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_STALE", 4)
    meanings = Meanings(index.vectors, asked, load)
    for number in range(40):
        note = make_note(f"slate tile {number}")
        await keep(index, [note])
        assert await found(meanings, "quantum chromodynamics") == []
        await index.delete([note.id])
        assert meanings.held <= 7
