"""Three daemons with three homes on one Redis fire the same schedules, and one of them dies: each time comes once."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from sulla.core.ids import MessageId, ThreadId, derived_id
from sulla.schedules.spec import Every, MessageAction, Spec
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore
from sulla.terminal.client import open_client
from sulla.terminal.place import door
from sulla.testing.clock import ManualClock
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.records import Input
from tests.daemon.running import Place
from tests.faults.backend import CLOCK, Backend, several_daemons

SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261121"))
PERIOD_S = 2
LOOK_S = 0.5


async def _kept(backend: Backend) -> dict[str, ScheduleState]:
    """What the logs of the schedules add up to, read beside the daemons."""
    store = backend.make()
    await store.open()
    try:
        book = ScheduleStore(store, ManualClock(), "harness:1")
        await book.open()
        return {one.id: one.state for one in book.page("", 1000) if one.state is not None}
    finally:
        await store.close()


async def _make(home: Path, names: list[str]) -> None:
    async with open_client(door(home)) as client:
        for name in names:
            await client.call("schedule.add", schedule=name, every_s=PERIOD_S, message=f"time for {name}")


async def _pause(home: Path, names: list[str]) -> None:
    async with open_client(door(home)) as client:
        for name in names:
            await client.call("schedule.pause", schedule=name)


async def _until(backend: Backend, holds: Callable[[dict[str, ScheduleState]], bool]) -> dict[str, ScheduleState]:
    async with asyncio.timeout(120):
        while True:
            if holds(found := await _kept(backend)):
                return found
            await CLOCK.sleep(LOOK_S)  # leaves the machine to the daemons between two looks


async def _round(folder: Path, backend: Backend, schedules: int, slots: int, seed: int) -> None:
    chance = random.Random(seed)
    names = [f"s{number}" for number in range(schedules)]
    with ExitStack() as stack:
        places, daemons = [], []
        for number in range(3):
            (folder / str(number)).mkdir()
            place = Place(folder / str(number) / "home", SULLA_MODEL="offline", **backend.settings)
            places.append(place)
            daemons.append(stack.enter_context(place.up()))
        await _make(places[0].home, names)
        victim = chance.randrange(3)
        when = chance.randrange(slots // 4, slots // 2)
        await _until(backend, lambda found: sum(state.fired for state in found.values()) >= when)
        daemons[victim].process.kill()
        await _until(backend, lambda found: sum(state.fired for state in found.values()) >= slots)
        await _pause(places[(victim + 1) % 3].home, names)
        found = await _until(backend, lambda found: not any(state.pending for state in found.values()))
    for name in names:
        _judge(found[name], await _inputs(backend, name), victim, when)


async def _inputs(backend: Backend, name: str) -> list[Entry]:
    thread_id = ThreadId(derived_id("thr", "request", f"schedule:{name}:sulla"))
    return [entry for entry in await backend.read_log(thread_id) if isinstance(entry.fact, Input)]


def _judge(state: ScheduleState, inputs: list[Entry], victim: int, when: int) -> None:
    said = f"{state.id}: daemon {victim} was killed at firing {when}"
    assert state.missed == state.skipped == state.failed == 0, (said, state.notes)
    messages = Counter(entry.fact.message_id for entry in inputs if isinstance(entry.fact, Input))
    assert set(messages.values()) == {1}, said
    # The times from the first to the last one, each of them and no other.
    first_ms = _first_ms(state)
    expected = {
        derived_id("msg", "schedule", state.id, state.slot_name(at_ms))
        for at_ms in range(first_ms, first_ms + state.fired * PERIOD_S * 1000, PERIOD_S * 1000)
    }
    assert set(messages) == expected, said


def _first_ms(state: ScheduleState) -> int:
    when = state.spec.when
    return getattr(when, "anchor_ms", 0) + PERIOD_S * 1000


@several_daemons("schedules")
@pytest.mark.timeout(200)
async def test_three_daemons_and_one_that_dies_fire_each_time_once(
    tmp_path: Path, backend_of: Callable[[str], Backend]
) -> None:
    await _round(tmp_path, backend_of("redis"), schedules=8, slots=40, seed=SEED)


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["redis", "postgres"])
async def test_two_hundred_times_of_three_daemons_come_once(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    print(f"seed {SEED}")
    await _round(tmp_path, backend_of(kind), schedules=20, slots=200, seed=SEED)


def _said(state: ScheduleState, number: int) -> Entry:
    at_ms = _first_ms(state) + number * PERIOD_S * 1000
    message_id = MessageId(derived_id("msg", "schedule", state.id, state.slot_name(at_ms)))
    return Entry(number + 1, Input.kind, True, Origin(0), Input(message_id, "hello").data())


@pytest.mark.parametrize(
    "numbers", [(0, 1), (0, 1, 2, 2), (0, 1, 3), (0, 1, 2, 3)], ids=["lost", "twice", "another", "more"]
)
def test_the_judge_notices_what_must_not_be(numbers: tuple[int, ...]) -> None:
    state = ScheduleState("s1", Spec(Every(PERIOD_S, 1000), MessageAction("hello")), fired=3)
    _judge(state, [_said(state, number) for number in range(3)], 0, 0)
    with pytest.raises(AssertionError):
        _judge(state, [_said(state, number) for number in numbers], 0, 0)
