"""The log of a heartbeat is read a page at a time, newest first: each wake once, and no more of the log than needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.heartbeat.log import RECORDS, read_ticks
from sulla.heartbeat.ticks import Tick
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from tests.heartbeat.test_node import DONE, MORE, Heart


@pytest.fixture
async def heart(store: MemoryStore, tmp_path: Path) -> Heart:
    made = Heart(store, tmp_path, ScriptedProvider())
    await made.open()
    return made


async def pages(heart: Heart, limit: int) -> list[Tick]:
    found: list[Tick] = []
    before: int | None = None
    while True:
        page = await read_ticks(heart.world.threads, heart.thread, limit, before)
        assert len(page.ticks) <= limit
        found += page.ticks
        if page.next is None:
            return found
        assert before is None or page.next < before
        before = page.next


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_every_wake_is_told_once_whatever_the_size_of_a_page(heart: Heart, limit: int) -> None:
    await heart.beat()
    heart.project("tour")
    heart.provider.add(MORE, MORE, DONE, MORE, DONE)
    await heart.beat()
    heart.clock.jump(10.0)
    await heart.beat()
    found = await pages(heart, limit)
    assert [(tick.status, len(tick.cycles)) for tick in found] == [("done", 2), ("done", 3), ("skipped", 0)]
    assert [tick.seq for tick in found] == sorted((tick.seq for tick in found), reverse=True)
    assert found[1].cycles[0].summary == "half way"
    assert all(cycle.thread_id.startswith("thr_") for tick in found for cycle in tick.cycles)


async def test_of_a_long_log_no_more_is_read_than_a_page_needs(heart: Heart, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(200):
        await heart.beat()
    read, entries = [0], heart.world.threads.entries

    async def counted(*args: Any, **kwargs: Any) -> Any:
        found = await entries(*args, **kwargs)
        read[0] += len(found)
        return found

    monkeypatch.setattr(heart.world.threads, "entries", counted)
    page = await read_ticks(heart.world.threads, heart.thread, 20)
    assert (len(page.ticks), read[0]) == (20, RECORDS * 21)
    assert len(await pages(heart, 100)) == 200


async def test_a_thread_that_is_not_there_is_not_found(heart: Heart) -> None:
    with pytest.raises(NotFound):
        await read_ticks(heart.world.threads, ThreadId("thr_none"), 1)
    page = await read_ticks(heart.world.threads, heart.thread, 1)
    assert (page.ticks, page.next) == ((), None)
