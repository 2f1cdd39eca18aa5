"""A log that is carried on: whoever dies in between, nothing of it is lost and nothing is there twice."""

from __future__ import annotations

import pytest

from sulla.core.errors import Busy, CorruptRecord, NotFound, StoreUnavailable
from sulla.schedules import records as f
from sulla.schedules.forms import spec_to_json
from sulla.schedules.log import LEASE_S, MOST_RECORDS, ScheduleLog
from sulla.schedules.state import MOST_ASKED, MOST_NOTES, ScheduleState, apply
from sulla.schedules.stored_state import HEAD, KIND, begin, key_of, parse_key, state_from_json, state_to_json
from sulla.store.memory import MemoryStore
from sulla.store.sealing import seal
from sulla.store.values import Record
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from tests.schedules.town import every, opened

ID = "s1"
SET = f.ScheduleSet(spec_to_json(every(60)), "me", 1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    store = await opened(clock)
    await store.offer(key_of(ID, 1), "created", f.encode(SET), digest=b"", create=HEAD, wakes=False)
    return store


def fired(at_ms: int) -> f.Fired:
    return f.Fired(f"slot{at_ms}", at_ms, 1, at_ms, at_ms, at_ms)


async def fill(log: ScheduleLog, count: int = MOST_RECORDS) -> None:
    await log.read()
    at_ms = log.state.settled_ms if log.state is not None else 0
    while log.seq < count:
        at_ms += 1
        await log.offer(fired(at_ms), f"slot:{at_ms}", b"slot")
        await log.offer(f.Delivered(f"slot{at_ms}", at_ms), f"begun:{at_ms}", b"begun")


async def test_a_full_log_is_carried_on_with_all_that_it_came_to(store: MemoryStore) -> None:
    log = ScheduleLog(store, "home1:1", ID, 1)
    await fill(log)
    before = log.state
    await log.tidy()
    assert log.key == key_of(ID, 2)
    assert log.state == before
    assert [info.key for info in await store.find(kind=KIND)] == [key_of(ID, 2)]
    await log.offer(fired(5), "slot:5", b"slot")  # the store has forgotten it; the fold has not
    assert log.state == before


class Death(Exception):
    """Of the process that carries a log on."""


@pytest.mark.parametrize("step", range(4))
async def test_whoever_dies_at_any_step_another_one_does_what_is_left(
    store: MemoryStore, clock: ManualClock, step: int
) -> None:
    steps = 0
    counting = False

    async def plan(touch: Touch) -> None:
        nonlocal steps
        if counting and touch.phase == "before":
            steps += 1
            if steps > step:
                raise Death

    dying = ScheduleLog(FaultyStore(store, plan), "home1:1", ID, 1)
    await fill(dying)
    before, counting = dying.state, True
    with pytest.raises(Death):
        await dying.tidy()
    await clock.advance(LEASE_S + 1)
    other = ScheduleLog(store, "home2:1", ID, 1)
    await other.read()
    await other.tidy()
    assert other.state == before
    assert other.key == key_of(ID, 2)
    assert [info.key for info in await store.find(kind=KIND)] == [key_of(ID, 2)]


async def test_who_was_behind_finds_the_later_log(store: MemoryStore) -> None:
    log, behind = ScheduleLog(store, "home1:1", ID, 1), ScheduleLog(store, "home2:1", ID, 1)
    await behind.read()
    await fill(log)
    await log.tidy()
    assert await behind.offer(fired(10_000), "slot:10000", b"slot")
    assert behind.key == key_of(ID, 2)
    assert behind.state is not None
    assert behind.state.settled_ms == 10_000


async def test_what_is_offered_while_a_log_is_carried_on_is_not_taken_for_done(
    store: MemoryStore, clock: ManualClock
) -> None:
    log, behind = ScheduleLog(store, "home1:1", ID, 1), ScheduleLog(store, "home2:1", ID, 1)
    await fill(log)
    await behind.read()
    grant = await store.acquire(log.key, "home1:1", LEASE_S)
    assert grant is not None
    await store.append(grant.lease, 1, [f.encode(f.Moved())], HEAD, 0)  # and there it stands still
    with pytest.raises(Busy):
        await behind.offer(f.SchedulePaused("me", 5), "pause", b"turn")
    await clock.advance(LEASE_S + 1)
    assert await behind.offer(f.SchedulePaused("me", 5), "pause", b"turn") in (True, False)
    assert behind.state is not None
    assert behind.state.paused


async def test_a_removed_one_takes_no_more(store: MemoryStore) -> None:
    log = ScheduleLog(store, "home1:1", ID, 1)
    await log.read()
    await log.offer(f.ScheduleDeleted("me", 2), "removed", b"removed")
    await log.tidy()
    assert await store.find(kind=KIND) == []
    with pytest.raises(NotFound, match="it was removed"):
        await log.offer(fired(9), "slot:9", b"slot")


async def test_what_cannot_be_read_is_its_trouble_and_stays_so(store: MemoryStore) -> None:
    await store.offer(key_of(ID, 1), "x", f.encode(SET), digest=b"", wakes=False)
    log = ScheduleLog(store, "home1:1", ID, 1)
    await log.read()
    assert log.state is not None
    await store.offer(key_of(ID, 1), "y", f.encode(f.LogStarted({})), digest=b"", wakes=False)
    await log.read()
    assert "record 3" in log.trouble
    assert log.state is None


async def test_an_outage_while_it_is_read_changes_nothing(store: MemoryStore) -> None:
    away = True

    async def plan(touch: Touch) -> None:
        if away:
            raise StoreUnavailable("away")

    log = ScheduleLog(FaultyStore(store, plan), "home1:1", ID, 1)
    await log.read()
    with pytest.raises(StoreUnavailable):
        await log.offer(fired(2), "slot:2", b"slot")
    away = False
    assert await log.offer(fired(2), "slot:2", b"slot")


# ------------------------------------------------------------------------------------------------------------- facts

FACTS: tuple[f.Fact, ...] = (
    SET,
    f.SchedulePaused("me", 2),
    f.ScheduleResumed("me", 3),
    f.ScheduleDeleted("me", 4),
    fired(5),
    f.Fired("now:r", 5, 1, asked_by="me"),
    f.Missed(1, 2, 3, 4, 5),
    f.Skipped("s", 1, 2, "full", 3, 4),
    f.Rewound(9, 1),
    f.Delivered("s", 1, "thr_1", "run_1"),
    f.Failed("s", 1, "broke", begun=True),
    f.Succeeded("s", 1),
    f.Ended("s", 1, "skipped", "others went on"),
    f.Moved(),
    f.LogStarted({"a": [1, None, "x"]}),
)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact.kind))
def test_each_fact_reads_as_it_was_written(fact: f.Fact) -> None:
    draft = f.encode(fact)
    assert f.decode(Record(1, draft.kind, True, draft.body), "log") == fact
    with pytest.raises(CorruptRecord, match=r"^log record 1"):
        f.decode(Record(1, draft.kind, True, draft.body[:-1] + b"!"), "log")
    other = Record(1, "OTHER", True, seal("OTHER", b"{}"))
    with pytest.raises(CorruptRecord, match="not what this version writes"):
        f.decode(other, "log")


def test_keys_are_read_back_and_others_are_none() -> None:
    assert parse_key(key_of("a.b-c", 12)) == ("a.b-c", 12)
    for other in ("schedule:a", "schedule:a:0", "schedule::1", "thr_1", "schedule:a b:1"):
        assert parse_key(other) is None


def test_a_state_is_bounded_and_reads_as_it_was_written() -> None:
    state = begin(ID, SET, "log")
    for number in range(2, 500):
        for fact in (fired(number), f.Fired(f"now:{number}", number, 1, asked_by="me")):
            state = apply(state, fact, "log")
        for slot in (f"slot{number}", f"now:{number}"):
            state = apply(state, f.Delivered(slot, number), "log")
    assert isinstance(state, ScheduleState)
    assert (len(state.notes), len(state.asked), state.pending) == (MOST_NOTES, MOST_ASKED, ())
    assert state_from_json(state_to_json(state), "log") == state
    with pytest.raises(CorruptRecord, match="begins with"):
        begin(ID, fired(1), "log")
