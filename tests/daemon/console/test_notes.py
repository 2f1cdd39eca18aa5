"""People look through what agents remember, and have it forgotten when they have seen what goes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.core.errors import NotAvailable, NotFound, Refused
from sulla.daemon.console.notes import AgentNotes
from sulla.memory.memory import Memory
from sulla.memory.note import EVERYONE, Kind, MemoryNote
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread
from sulla.testing.clock import ManualClock

AT_MS = 1_800_000_000_000


def note(
    number: int, text: str, kind: Kind = "episode", scope: str = "sulla", *, at_ms: int = 0, tainted: bool = False
) -> MemoryNote:
    about = ("sulla", f"thr_{number}", "run_1", f"about {number}")
    return MemoryNote(f"n{number}", kind, scope, text, at_ms or AT_MS + number, *about, tainted=tainted)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    index = SqliteMemory(SqliteThread(tmp_path / "memory.db", 5.0, open_memory))
    await index.open()
    yield Memory(index, ManualClock())
    await index.close()


async def pages(notes: AgentNotes, limit: int) -> list[list[str]]:
    found: list[list[str]] = []
    before: int | None = None
    while True:
        page = await notes.newest("sulla", None, before, limit)
        found.append([one.id for one in page.notes])
        before = page.next_ms
        if before is None:
            return found


async def test_what_is_found_is_that_of_the_agent_and_of_all(memory: Memory) -> None:
    await memory.index.add(
        [
            note(1, "otters swim", tainted=True),
            note(2, "otters sleep", "fact", EVERYONE),
            note(3, "otters hide", scope="reader"),
            note(4, "zebras run"),
        ]
    )
    found = (await AgentNotes(memory).search("sulla", "otters", 20)).notes
    assert {one.id for one in found} == {"n1", "n2"}
    first = next(one for one in found if one.id == "n1")
    assert (first.text, first.asked, first.thread_id, first.at_ms, first.tainted) == (
        *("otters swim", "about 1", "thr_1", AT_MS + 1, True),
    )


@pytest.mark.parametrize("limit", [1, 2, 3, 200])
async def test_pages_have_each_note_once_and_the_newest_first(memory: Memory, limit: int) -> None:
    kinds: list[Kind] = ["episode", "fact", "errand"]
    await memory.index.add([note(number, "x", kinds[number % 3]) for number in range(1, 8)])
    found = await pages(AgentNotes(memory), limit)
    assert [one for page in found for one in page] == [f"n{number}" for number in range(7, 0, -1)]
    assert all(len(page) <= limit for page in found)


async def test_notes_of_one_moment_are_not_torn_apart(memory: Memory) -> None:
    await memory.index.add([note(1, "x", at_ms=AT_MS), note(2, "x", at_ms=AT_MS), note(3, "x", at_ms=AT_MS + 9)])
    assert await pages(AgentNotes(memory), 2) == [["n3"], ["n1", "n2"]]


async def test_one_kind_alone_comes_if_it_is_asked_for(memory: Memory) -> None:
    await memory.index.add([note(1, "x"), note(2, "x", "fact")])
    page = await AgentNotes(memory).newest("sulla", "fact", None, 9)
    assert [one.id for one in page.notes] == ["n2"]


async def test_only_what_was_shown_is_forgotten(memory: Memory) -> None:
    await memory.index.add([note(1, "x"), note(2, "y"), note(3, "z", scope="reader")])
    notes = AgentNotes(memory)
    shown = await notes.forget("sulla", ["n1"], None)
    assert ([one.id for one in shown.would_go], shown.forgotten) == (["n1"], 0)
    with pytest.raises(Refused):
        await notes.forget("sulla", ["n1", "n2"], shown.code)
    with pytest.raises(NotFound):
        await notes.forget("sulla", ["n3"], None)
    gone = await notes.forget("sulla", ["n1"], shown.code)
    assert (gone.forgotten, gone.would_go, gone.code) == (1, (), "")
    assert [one.id for one in await memory.index.get(["n1", "n2", "n3"])] == ["n2", "n3"]


async def test_without_a_memory_that_is_said() -> None:
    with pytest.raises(NotAvailable, match=r"memory\.enabled"):
        await AgentNotes(None).search("sulla", "otters", 9)
