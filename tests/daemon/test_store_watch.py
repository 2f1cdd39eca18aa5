"""A store that is away or another one is noticed within a second, and everybody who asks is told so at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from sulla.core.errors import StoreReplaced, StoreUnavailable
from sulla.daemon.store_watch import ANSWER_S, EVERY_S, FAILING_S, LEAST_BYTES, PROBE, PROBE_S, StoreWatch, room_of
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head
from sulla.testing.clock import ManualClock


class Moody(MemoryStore):
    """A store whose presence a test decides on."""

    def __init__(self, clock: ManualClock) -> None:
        names = iter(range(100))
        super().__init__(clock, lambda prefix: f"{prefix}_{next(names)}")
        self.away = False
        self.silent = False
        self.other = ""
        self.full = ""
        self.tried = 0

    async def _put(self, key: str, value: bytes, ttl_s: float | None) -> None:
        self.tried += 1
        if self.full:
            raise StoreUnavailable(self.full, refused=self.full != "too slow")
        await super()._put(key, value, ttl_s)

    async def incarnation(self) -> str:
        """As the test says."""
        if self.silent:
            await asyncio.Event().wait()
        if self.away:
            raise StoreUnavailable("nobody is there")
        return self.other or await super().incarnation()


@pytest.fixture
async def store(manual_clock: ManualClock) -> AsyncIterator[Moody]:
    made = Moody(manual_clock)
    await made.open()
    yield made
    await made.close()


async def test_a_store_that_is_away_is_told_as_such_until_it_is_back(store: Moody, manual_clock: ManualClock) -> None:
    watch = StoreWatch(store, manual_clock)
    await watch.begin()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watch.run())
        store.away = True
        await manual_clock.advance(EVERY_S)
        with pytest.raises(StoreUnavailable, match="nobody is there") as caught:
            watch.check()
        assert caught.value.retryable
        assert caught.value.retry_after_s == 1.0
        store.away = False
        await manual_clock.advance(EVERY_S)
        watch.check()
        running.cancel()


async def test_a_store_that_says_nothing_is_away_too(store: Moody, manual_clock: ManualClock) -> None:
    watch = StoreWatch(store, manual_clock)
    await watch.begin()
    store.silent = True
    async with asyncio.TaskGroup() as group:
        looking = group.create_task(watch.look())
        await manual_clock.advance(ANSWER_S)
        assert looking.done()
    with pytest.raises(StoreUnavailable, match="no answer in 1 s"):
        watch.check()


async def test_a_store_that_was_emptied_is_told_once_and_nothing_mends_it(
    store: Moody, manual_clock: ManualClock
) -> None:
    told: list[str] = []
    watch = StoreWatch(store, manual_clock, lambda: told.append("replaced"))
    mine = await watch.begin()
    store.other = "store_other"
    for _ in range(3):
        await watch.look()
    store.other = mine
    await watch.look()
    with pytest.raises(StoreReplaced, match="--accept-store") as caught:
        watch.check()
    assert not caught.value.retryable
    assert told == ["replaced"]


async def test_a_home_knows_the_store_that_it_used_last(store: Moody, manual_clock: ManualClock) -> None:
    watch = StoreWatch(store, manual_clock)
    mine = await watch.begin()
    assert await watch.begin(mine) == mine
    with pytest.raises(StoreReplaced, match="not the one that this home used last"):
        await watch.begin("store_of_before")


async def test_a_full_disk_is_told_as_such_until_there_is_room(store: Moody, manual_clock: ManualClock) -> None:
    full = ["the disk is full"]
    watch = StoreWatch(store, manual_clock, room=lambda: full[0])
    await watch.begin()
    await watch.look()
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        watch.check()
    full[0] = ""
    await watch.look()
    watch.check()


async def test_a_store_that_refused_a_write_is_told_as_such_until_one_goes_through(
    store: Moody, manual_clock: ManualClock
) -> None:
    watch = StoreWatch(store, manual_clock, refusals=store.refusals)
    await watch.begin()
    await watch.look()
    store.full = "it is full"
    await watch.look()
    watch.check_open()
    assert store.tried == 0, "nothing is tried while nobody was refused anything"
    with pytest.raises(StoreUnavailable):
        await store.put("some", b"thing")
    for _ in range(10):
        await watch.look()
        with pytest.raises(StoreUnavailable, match="it is full") as caught:
            watch.check_open()
        assert isinstance(watch.trouble, StoreUnavailable)
        watch.check()  # reading goes on
        assert caught.value.retry_after_s == 1.0
    assert store.tried == 2, "and then not at each look"
    store.full = ""
    await manual_clock.advance(PROBE_S)
    await watch.look()
    watch.check_open()
    assert watch.trouble is None
    assert await store.get(PROBE) is None
    await manual_clock.advance(PROBE_S)
    await watch.look()
    assert store.tried == 3


async def test_a_write_that_failed_for_another_reason_is_no_refusal(store: Moody, manual_clock: ManualClock) -> None:
    watch = StoreWatch(store, manual_clock, refusals=store.refusals)
    await watch.begin()
    store.full = "too slow"
    with pytest.raises(StoreUnavailable):
        await store.put("some", b"thing")
    await watch.look()
    watch.check()
    assert store.tried == 1


def test_a_disk_counts_as_full_before_nothing_fits_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = room_of(tmp_path / "sulla.db")
    assert look() == ""
    assert room_of(None)() == ""
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=LEAST_BYTES - 1))
    said = "the disk is full: free some space; nothing that was acknowledged is lost"
    assert f"{said} ({LEAST_BYTES - 1:,} bytes are free, and 1,048,576 have to be)" in look()


async def test_a_home_whose_store_was_elsewhere_is_not_given_an_empty_one_unasked(
    store: Moody, manual_clock: ManualClock
) -> None:
    watch = StoreWatch(store, manual_clock)
    begun = await watch.begin()
    with pytest.raises(StoreReplaced, match=r"the store is empty, .* is in redis://there: .*--accept-store"):
        await watch.check_moved("redis://there", {"store_old"})
    await watch.check_moved("redis://there", {"store_old", begun})
    await store.offer("t1", "m1", Draft("INPUT", b""), digest=b"d", create=Head("thread"))
    await watch.check_moved("redis://there", {"store_old"})


async def test_a_call_that_fails_at_a_store_that_answers_is_told_for_a_while(
    store: Moody, manual_clock: ManualClock
) -> None:
    watch = StoreWatch(store, manual_clock, refusals=store.refusals)
    await watch.begin()
    await _fails(store, "no connection left")
    await watch.look()
    assert "no connection left" in watch.failing
    assert watch.trouble is None
    watch.check_open()
    await manual_clock.advance(FAILING_S - EVERY_S)
    await _fails(store, "still none")
    await watch.look()
    await manual_clock.advance(FAILING_S)
    assert "still none" in watch.failing
    await manual_clock.advance(EVERY_S)
    assert watch.failing == ""


async def test_what_fails_in_an_outage_is_part_of_that(store: Moody, manual_clock: ManualClock) -> None:
    watch = StoreWatch(store, manual_clock, refusals=store.refusals)
    await watch.begin()
    store.away = True
    await watch.look()
    await _fails(store, "away")
    store.away = False
    await watch.look()
    await watch.look()
    assert (watch.failing, watch.trouble) == ("", None)


async def _fails(store: Moody, said: str) -> None:
    with pytest.raises(StoreUnavailable, match=said), store.refusals:
        raise StoreUnavailable(said)
