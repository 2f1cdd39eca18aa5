"""What people are told waits for them, in whichever daemon they come to, and is told to each once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from sulla.core.errors import NotFound, Refused, StoreUnavailable
from sulla.people.inbox import LOOK_S, MOST_NEWS, SWEEP_S, NoticeInbox
from sulla.people.notices import (
    FOR_ALARMS,
    HEAD,
    KEPT_DAYS,
    KIND,
    MOST_A_DAY,
    MOST_OF_PLAYBOOKS,
    NoticeKept,
    key_of,
)
from sulla.store.base import Subscription
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, LogInfo
from sulla.testing.clock import ManualClock

DAY_S = 86_400


@pytest.fixture
async def store(manual_clock: ManualClock) -> AsyncIterator[MemoryStore]:
    """A store of its own."""
    made = MemoryStore(manual_clock, lambda prefix: f"{prefix}_1")
    await made.open()
    yield made
    await made.close()


@pytest.fixture
def board(store: MemoryStore, manual_clock: ManualClock) -> NoticeInbox:
    """One daemon's."""
    return NoticeInbox(store, manual_clock, "one:1")


@pytest.fixture
def other(store: MemoryStore, manual_clock: ManualClock) -> NoticeInbox:
    """Another daemon's."""
    return NoticeInbox(store, manual_clock, "two:1")


def note(clock: ManualClock, number: int = 1, text: str = "Tea is ready.") -> NoticeKept:
    at_ms = round(clock.now() * 1000)
    return NoticeKept(f"ntc_{number}", "thr_1", "run_1", "sulla", text, "normal", False, at_ms)


@asynccontextmanager
async def running(board: NoticeInbox, clock: ManualClock) -> AsyncIterator[None]:
    task = asyncio.create_task(board.run())
    await clock.settle()
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_notice_is_kept_once_and_waits_for_each_person(
    board: NoticeInbox, other: NoticeInbox, manual_clock: ManualClock
) -> None:
    assert await board.keep(note(manual_clock))
    assert not await board.keep(note(manual_clock))
    assert not await other.keep(note(manual_clock))
    assert await other.waiting("ann") == await other.waiting("bob") == 1
    assert await other.seen(["ntc_1", "ntc_1"], "ann") == 1
    assert await board.seen(["ntc_1"], "ann") == 0
    assert (await board.waiting("ann"), await board.waiting("bob")) == (0, 1)


async def test_a_call_that_is_made_again_after_midnight_tells_nothing_twice(
    board: NoticeInbox, other: NoticeInbox, manual_clock: ManualClock
) -> None:
    await board.keep(note(manual_clock))
    await manual_clock.advance(DAY_S)
    assert not await other.keep(note(manual_clock))
    assert len(await other.list("", 10, "")) == 1


async def test_whoever_follows_in_another_daemon_hears_of_it_at_once(
    board: NoticeInbox, other: NoticeInbox, manual_clock: ManualClock
) -> None:
    heard: list[list[str]] = []
    async with running(other, manual_clock):
        with other.follow(lambda: heard.append([one.text for one in other.news("ann", 0)])):
            await board.keep(note(manual_clock))
            await manual_clock.settle()
            assert heard == [["Tea is ready."]]
        await board.keep(note(manual_clock, 2))
        await manual_clock.settle()
        assert len(heard) == 1


async def test_many_at_once_are_one_look(
    store: MemoryStore,
    board: NoticeInbox,
    other: NoticeInbox,
    manual_clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = 0
    async with running(other, manual_clock):
        with other.follow(lambda: None):
            find = store.find

            async def counted(**asked: Any) -> list[LogInfo]:
                nonlocal looks
                looks += 1
                return await find(**asked)

            monkeypatch.setattr(store, "find", counted)
            for _ in range(100):
                store.publish("notices", b"")
            await manual_clock.settle()
            assert looks == 1


async def test_a_bus_that_ends_is_listened_to_again(
    store: MemoryStore, board: NoticeInbox, manual_clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = 0
    subscribe = store.subscribe

    def ends(channel: str) -> AbstractAsyncContextManager[Subscription]:
        nonlocal began
        began += 1
        if began == 1:
            raise StoreUnavailable("the bus is away")
        return subscribe(channel)

    monkeypatch.setattr(store, "subscribe", ends)
    async with running(board, manual_clock):
        await manual_clock.advance(LOOK_S)
        assert began == 2


async def test_a_wake_up_that_got_lost_is_made_up_for(
    store: MemoryStore,
    board: NoticeInbox,
    other: NoticeInbox,
    manual_clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = asyncio.Event()
    async with running(other, manual_clock):
        with other.follow(changed.set):
            monkeypatch.setattr(store, "publish", lambda channel, payload: None)
            await board.keep(note(manual_clock))
            await manual_clock.advance(LOOK_S)
            assert changed.is_set()
            assert [one.id for one in other.news("ann", 0)] == ["ntc_1"]


async def test_who_was_long_away_is_told_the_newest_and_finds_the_others_in_the_list(
    board: NoticeInbox, manual_clock: ManualClock
) -> None:
    for number in range(MOST_NEWS + 5):
        await board.keep(note(manual_clock, number))
        await manual_clock.advance(0.001)
    told = board.news("ann", 0)
    assert [one.id for one in (told[0], told[-1])] == ["ntc_5", f"ntc_{MOST_NEWS + 4}"]
    assert await board.waiting("ann") == MOST_NEWS + 5
    pages: list[str] = []
    while page := await board.list(pages[-1] if pages else "", 40, "ann"):
        pages += [one.id for one in page]
    assert pages == [f"ntc_{number}" for number in reversed(range(MOST_NEWS + 5))]


async def test_a_day_has_room_for_so_many(board: NoticeInbox, manual_clock: ManualClock) -> None:
    for number in range(MOST_A_DAY):
        await board.keep(replace(note(manual_clock, number), urgency="high"))
    with pytest.raises(Refused, match="200 things today"):
        await board.keep(replace(note(manual_clock, MOST_A_DAY), urgency="high"))
    assert not await board.keep(note(manual_clock, 3))
    await manual_clock.advance(DAY_S)
    assert await board.keep(note(manual_clock, MOST_A_DAY))


async def test_whatever_else_is_told_all_day_an_alarm_is_heard(board: NoticeInbox, manual_clock: ManualClock) -> None:
    for number in range(MOST_A_DAY - FOR_ALARMS):
        await board.keep(note(manual_clock, number))
    with pytest.raises(Refused, match="150 things that are not urgent today"):
        await board.keep(note(manual_clock, MOST_A_DAY))
    assert await board.keep(replace(note(manual_clock, MOST_A_DAY), urgency="high"))


async def test_playbooks_leave_room_for_what_agents_tell(board: NoticeInbox, manual_clock: ManualClock) -> None:
    for number in range(MOST_OF_PLAYBOOKS):
        await board.keep(replace(note(manual_clock, number), agent=""))
    with pytest.raises(Refused, match="100 things by playbooks today"):
        await board.keep(replace(note(manual_clock, MOST_A_DAY), agent=""))
    assert await board.keep(note(manual_clock, MOST_A_DAY))


async def test_old_days_go_with_their_logs(
    store: MemoryStore, board: NoticeInbox, other: NoticeInbox, manual_clock: ManualClock
) -> None:
    await board.keep(note(manual_clock))
    await manual_clock.advance(KEPT_DAYS * DAY_S)
    async with running(board, manual_clock), running(other, manual_clock):
        assert len(await board.list("", 10, "")) == 1
        manual_clock.jump(DAY_S)
        await manual_clock.advance(SWEEP_S)
        assert await store.find(kind=KIND) == []
        assert await board.list("", 10, "") == []


async def test_the_same_words_of_an_agent_are_known_until_somebody_has_seen_them(
    board: NoticeInbox, other: NoticeInbox, manual_clock: ManualClock
) -> None:
    await board.keep(note(manual_clock, text="Backup failed at 08:00."))
    found = await other.said_before("sulla", "backup  FAILED at 09:30.", "ntc_2")
    assert found is not None
    assert found.id == "ntc_1"
    assert await other.said_before("sulla", "Backup worked at 09:30.", "ntc_2") is None
    assert await other.said_before("cook", "Backup failed at 09:30.", "ntc_2") is None
    # The same call again after a crash is no second telling.
    assert await other.said_before("sulla", "Backup failed at 08:00.", "ntc_1") is None
    await other.seen(["ntc_1"], "ann")
    assert await board.said_before("sulla", "Backup failed at 09:30.", "ntc_2") is None


async def test_what_was_told_in_a_conversation_goes_with_it(
    board: NoticeInbox, other: NoticeInbox, manual_clock: ManualClock
) -> None:
    await board.keep(note(manual_clock))
    await manual_clock.advance(DAY_S)
    await board.keep(note(manual_clock, 2))
    await board.keep(replace(note(manual_clock, 3), thread_id="thr_2"))
    await other.forget("thr_1")
    assert [one.id for one in await board.list("", 10, "")] == ["ntc_3"]
    assert [one.id for one in board.news("ann", 0)] == ["ntc_3"]


async def test_what_is_not_there_cannot_be_seen_nor_stood_behind(board: NoticeInbox, manual_clock: ManualClock) -> None:
    await board.keep(note(manual_clock))
    with pytest.raises(NotFound, match="ntc_no"):
        await board.seen(["ntc_1", "ntc_no"], "ann")
    assert await board.waiting("ann") == 1
    with pytest.raises(NotFound, match="ntc_no"):
        await board.list("ntc_no", 10, "")


async def test_a_damaged_record_hides_its_own_day_from_there_on_and_no_other(
    store: MemoryStore, board: NoticeInbox, manual_clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    await board.keep(note(manual_clock))
    day = key_of(round(manual_clock.now() * 1000))
    await store.offer(day, "bad", Draft("NOTICE_KEPT", b"1 00000000 {}"), digest=b"bad", create=HEAD, wakes=False)
    await board.keep(note(manual_clock, 2))
    await manual_clock.advance(DAY_S)
    await board.keep(note(manual_clock, 3))
    assert [one.id for one in await board.list("", 10, "")] == ["ntc_3", "ntc_1"]
    assert [record.message for record in caplog.records if "checksum" in record.message] != []


async def test_another_store_in_its_place_is_read_from_its_beginning(
    store: MemoryStore, board: NoticeInbox, manual_clock: ManualClock
) -> None:
    await board.keep(note(manual_clock))
    day = key_of(round(manual_clock.now() * 1000))
    grant = await store.acquire(day, "three:1", 30.0)
    assert grant is not None
    await store.delete(grant.lease)
    await manual_clock.advance(1)
    assert await board.keep(note(manual_clock, 2))
    assert [one.id for one in await board.list("", 10, "")] == ["ntc_2"]
