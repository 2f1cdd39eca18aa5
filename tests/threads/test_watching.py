"""Whoever watches is told each fact that this process kept, once, and each moment that it showed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sulla.core.errors import MessageIdReused, StoreUnavailable
from sulla.core.event import Moment, TextShown
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.store import FaultyStore, Plan, Touch, at_record
from sulla.testing.world import World
from sulla.threads.log.records import Input
from sulla.threads.watching import CommittedFact

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


class Recorder:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.facts: list[tuple[ThreadId, str, RunId | None]] = []
        self.moments: list[tuple[RunId, Moment]] = []

    def kept(self, thread_id: ThreadId, kept: Sequence[CommittedFact]) -> None:
        self.facts += [(thread_id, one.fact.kind, one.origin.run_id) for one in kept]

    def shown(self, run_id: RunId, moment: Moment) -> None:
        self.moments.append((run_id, moment))


async def test_every_record_of_a_turn_is_told_in_the_order_of_the_log(store: MemoryStore) -> None:
    told = Recorder()
    world = World(store, ScriptedProvider([DONE]), watcher=told)
    thread = await world.thread()
    sent = await world.ask(thread, "hello")
    assert told.facts == [(thread, entry.kind, entry.origin.run_id) for entry in await world.log(thread)]
    assert {run for _, _, run in told.facts[1:]} == {sent.run_id}


async def test_every_piece_of_a_reply_is_told(store: MemoryStore) -> None:
    told = Recorder()
    world = World(store, ScriptedProvider([DONE]), watcher=told)
    sent = await world.ask(await world.thread(), "hello")
    assert {run for run, _ in told.moments} == {sent.run_id}
    assert "".join(moment.delta for _, moment in told.moments if isinstance(moment, TextShown)).strip() == "All right."


async def test_a_message_that_is_sent_again_is_told_once(store: MemoryStore) -> None:
    told = Recorder()
    world = World(store, ScriptedProvider(), watcher=told)
    thread = await world.thread()
    for _ in range(3):
        await world.threads.send(thread, Input(MessageId("msg"), "hello"))
    with pytest.raises(MessageIdReused):
        await world.threads.send(thread, Input(MessageId("msg"), "something else"))
    assert [kind for _, kind, _ in told.facts] == ["THREAD_CREATED", "INPUT"]


def _failing(times: int, phase: str) -> Plan:
    left = times

    async def plan(touch: Touch) -> None:
        nonlocal left
        if touch.method == "append" and touch.phase == phase and left:
            left -= 1
            raise StoreUnavailable("for a moment")

    return plan


@pytest.mark.parametrize("phase", ["before", "after"])
async def test_a_write_that_had_to_be_repeated_is_told_once(store: MemoryStore, phase: str) -> None:
    told, clock = Recorder(), ManualClock()
    world = World(FaultyStore(store, _failing(1, phase)), ScriptedProvider([DONE]), clock=clock, watcher=told)
    thread = await world.thread()
    await world.send(thread, "hello")
    turn = asyncio.ensure_future(world.turns.attend(thread))
    while not turn.done():
        await clock.advance(0.05)
    await turn
    assert [kind for _, kind, _ in told.facts] == [entry.kind for entry in await world.log(thread)]


async def test_what_was_not_kept_is_not_told(store: MemoryStore) -> None:
    async def lose() -> None:
        raise StoreUnavailable("for good")

    told, clock = Recorder(), ManualClock()
    plan = at_record("MODEL_STARTED", 1, "before", lose)
    world = World(FaultyStore(store, plan), ScriptedProvider([DONE]), clock=clock, watcher=told, lease_ttl_s=0.01)
    thread = await world.thread()
    await world.send(thread, "hello")
    with pytest.raises(StoreUnavailable):
        await world.turns.attend(thread)
    assert [kind for _, kind, _ in told.facts] == [entry.kind for entry in await world.log(thread)]
    assert "MODEL_STARTED" not in {kind for _, kind, _ in told.facts}
