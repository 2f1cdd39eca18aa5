"""Forgotten means gone: by words, by meaning, from what is exported and from the file; also where the process is killed
before, between or after any two statements."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from asyncio import Future
from collections.abc import Callable, Coroutine
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from sulla.memory.entities.graphs import Graphs
from sulla.memory.entities.statement import EntityName, Statement, statement_from_json
from sulla.memory.note import MemoryNote, ReadPosition
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.memory.vectors.base import LEAST, NoteVector
from sulla.memory.vectors.search import Meanings
from sulla.memory.vectors.signature import normalised, pack, signature_of
from sulla.store.sqlite.thread import SqliteThread
from tests.kits.in_turn import in_turn
from tests.kits.memory_kit import make_note
from tests.kits.points import some
from tests.memory.embedder import place

pytestmark = in_turn(3)

T = TypeVar("T")

GONE, STAYS = make_note("the doctor is Halloran"), make_note("the bicycle is green")


class Here:
    """Does all work at once, and kills its process before the statement of a number.

    Args:
        path: the file.
        last: the number of the first statement that is not carried out; 0 for none.
    """

    def __init__(self, path: Path, last: int) -> None:
        self._path = path
        self._last = last
        self.statements = 0

    async def start(self) -> None:
        self._connection = open_memory(self._path, 5.0)
        self._connection.set_trace_callback(self._heard)

    async def stop(self) -> None:
        self._connection.close()

    def _heard(self, statement: str) -> None:
        self.statements += 1
        if self.statements == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        self._connection.execute("BEGIN IMMEDIATE")
        done = self.read(work)
        self._connection.execute("COMMIT")
        return done

    def read(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        done: Future[T] = asyncio.get_running_loop().create_future()
        done.set_result(work(self._connection))
        return done


def vector_of(note: MemoryNote) -> NoteVector:
    vector = normalised(place(note.text))
    return NoteVector(note, signature_of(vector), pack(vector))


class Work(Protocol):
    """Something that changes a memory."""

    __name__: str

    def __call__(self, index: SqliteMemory) -> Coroutine[object, object, None]:
        """Do it."""
        ...


async def fill(index: SqliteMemory) -> None:
    await index.vectors.use("m:one")
    await index.add([GONE, STAYS], ("thr_1", ReadPosition(1, tainted=False)))
    await index.vectors.put("m:one", [vector_of(GONE), vector_of(STAYS)])


def drawn_of(*notes: MemoryNote) -> Statement:
    """What was drawn from notes, in their own words."""
    text = " and ".join(note.text for note in notes)
    ids = tuple(note.id for note in notes)
    name = EntityName("person", "Halloran" if GONE in notes else "Bike")
    return Statement(f"st_{'_'.join(ids)}", "ada", "fact", name, "is", text, None, 1, ids, tainted=False)


OF_GONE, OF_BOTH, OF_OTHER = drawn_of(GONE), drawn_of(GONE, STAYS), drawn_of(STAYS)


async def draw(index: SqliteMemory) -> None:
    await index.statements.put("ada", [OF_GONE, OF_BOTH, OF_OTHER], [GONE.id, STAYS.id], 100)


async def forget_drawn(index: SqliteMemory) -> None:
    await draw(index)
    await forget(index)


async def forget_statements(index: SqliteMemory) -> None:
    await draw(index)
    await index.statements.remove([OF_GONE.id, OF_BOTH.id])


async def correct(index: SqliteMemory) -> None:
    await draw(index)
    said = replace(OF_OTHER, id="st_said", value="blue", source=())
    await index.statements.put("ada", [said])


async def trim(index: SqliteMemory) -> None:
    await draw(index)
    await index.statements.put("ada", [], (), 1)


async def forget(index: SqliteMemory) -> None:
    await index.delete([GONE.id])


async def drop(index: SqliteMemory) -> None:
    await index.drop_thread("thr_1")


async def switch(index: SqliteMemory) -> None:
    await index.vectors.use("m:two")


async def embed_again(index: SqliteMemory) -> None:
    await switch(index)
    await index.vectors.put("m:two", [vector_of(note) for note in await index.vectors.missing(9)])


def _whole(path: Path) -> tuple[set[str], set[str]]:
    """Which notes there are, and which of them have a vector; all that belongs to a note is there or gone with it."""
    with sqlite3.connect(path) as left:
        notes = dict(left.execute("SELECT number, id FROM note"))
        assert {row for (row,) in left.execute("SELECT rowid FROM words")} == set(notes)
        signed = dict(left.execute("SELECT seq, note FROM signature"))
        assert {seq for (seq,) in left.execute("SELECT seq FROM vector")} == set(signed)
        placed = {number for (number,) in left.execute("SELECT number FROM note WHERE placed = 1")}
        assert set(signed.values()) == placed <= set(notes)
        drawn = dict(left.execute("SELECT seq, body FROM statement"))
        sources: dict[int, set[str]] = {seq: set() for seq in drawn}
        for note, seq in left.execute("SELECT note, statement FROM source"):
            sources[seq].add(notes[note])
        assert sources == {seq: set(statement_from_json(body).source) for seq, body in drawn.items()}
        marked = {number for (number,) in left.execute("SELECT number FROM note WHERE drawn = 1")}
        assert not drawn or marked
    left.close()
    return set(notes.values()), {notes[number] for number in placed}


@pytest.mark.parametrize(
    "work",
    some(
        [fill, forget, drop, switch, embed_again, draw, forget_drawn, forget_statements, correct, trim], 3, "forgotten"
    ),
)
def test_whenever_it_is_killed_a_note_is_there_or_gone_with_all_that_is_its(tmp_path: Path, work: Work) -> None:
    ended = False
    for last in count(1):
        path = tmp_path / f"m{last}.db"

        async def course(path: Path, last: int) -> None:
            if work is not fill:
                index = SqliteMemory(Here(path, 0))
                await index.open()
                await fill(index)
                await index.close()
            index = SqliteMemory(Here(path, last))
            await index.open()
            await work(index)

        child = os.fork()
        if not child:
            try:
                asyncio.run(course(path, last))
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        ended = not os.WIFSIGNALED(status)
        if path.exists():
            asyncio.run(_mended(path, work))
        if ended:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert last > 5


DRAWN = {
    "draw": {OF_GONE.id, OF_BOTH.id, OF_OTHER.id},
    "forget_drawn": {OF_OTHER.id},
    "forget_statements": {OF_OTHER.id},
    "correct": {OF_GONE.id, OF_BOTH.id, OF_OTHER.id, "st_said"},
    "trim": {OF_OTHER.id},
}
"""What is left of statements by each work."""


def _drawn(path: Path) -> set[str]:
    with sqlite3.connect(path) as left:
        found = {id_ for (id_,) in left.execute("SELECT id FROM statement")}
    left.close()
    return found


async def _mended(path: Path, work: Work) -> None:
    """What is left is whole, and doing it again does it to its end."""
    index = SqliteMemory(SqliteThread(path, 5.0, open_memory))
    await index.open()
    _whole(path)
    await work(index)
    await index.close()
    notes, placed = _whole(path)
    both = {GONE.id, STAYS.id}
    wanted: dict[str, tuple[set[str], set[str]]] = {
        "fill": (both, both),
        "forget": ({STAYS.id}, {STAYS.id}),
        "drop": (set(), set()),
        "switch": (both, set()),
        "embed_again": (both, both),
        "forget_drawn": ({STAYS.id}, {STAYS.id}),
    }
    assert (notes, placed) == wanted.get(work.__name__, (both, both))
    assert _drawn(path) == DRAWN.get(work.__name__, set())


async def test_what_was_forgotten_is_found_nowhere_and_its_vector_cannot_be_read_from_the_file(tmp_path: Path) -> None:
    index = SqliteMemory(SqliteThread(tmp_path / "m.db", 5.0, open_memory))
    await index.open()
    await fill(index)
    await draw(index)
    graphs = Graphs(index.statements)
    assert (await graphs.of(["ada"])).named("Halloran")

    async def asked(question: str) -> list[float]:
        return place(question)

    meanings = Meanings(index.vectors, asked)
    assert [hit.note.id for hit in await meanings.near(["ada"], "physician", 5)] == [GONE.id]
    await forget(index)
    for finder in (meanings, Meanings(index.vectors, asked)):  # one that has its signature in memory, and a new one
        assert await finder.near(["ada"], "physician", 5, LEAST) == []
    assert await index.search(["ada"], "doctor Halloran", 5) == []
    for known in (graphs, Graphs(index.statements)):  # one that has read it, and a new one
        assert (await known.of(["ada"])).named("Halloran") == ()
        assert (await known.of(["ada"])).named("Bike")
    assert await index.recent(["ada"], "episode", 9) == [STAYS]  # what an export goes by
    await index.close()
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())  # what a backup has
    for gone, there in ((vector_of(GONE).packed, vector_of(STAYS).packed), (b"is Halloran", b"is green")):
        assert gone[:64] not in left
        assert there[:64] in left
    assert vector_of(GONE).signature not in left
