"""A message is taken back as long as its turn has not begun, and nothing else is touched by that."""

from __future__ import annotations

import asyncio

from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World


async def _world(provider: ScriptedProvider) -> World:
    clock = ManualClock()
    store = MemoryStore(clock, random_id)
    await store.open()
    return World(store, provider, clock=clock, completion="plain")


async def _ends(world: World, thread: str) -> list[tuple[str, str]]:
    log = await world.log(thread)  # type: ignore[arg-type]  # its id
    found = (entry.data["outcome"] for entry in log if entry.kind == "RUN_FINISHED")
    return [(str(one.get("status", "")), str(one.get("reason", ""))) for one in found if isinstance(one, dict)]


async def test_what_waits_is_taken_back_alone() -> None:
    provider = ScriptedProvider(["First.", "Third."])
    world = await _world(provider)
    thread = await world.thread()
    sent = [await world.send(thread, text) for text in ("one", "two", "three")]
    log = await world.log(thread)
    message = next(str(entry.data["message_id"]) for entry in log if entry.seq == sent[1].seq)
    for _ in range(2):  # the same request again is the same one
        await world.threads.stop(thread, "taken", only=message)
    await world.work()
    provider.assert_done()
    assert sorted(await _ends(world, thread)) == [
        ("cancelled", "withdrawn"),
        ("done", ""),
        ("done", ""),
    ]
    state = await world.threads.load(thread)
    assert state is not None
    assert (state.held, len(state.inbox.waiting), len(state.inbox.controls)) == (0, 0, 0)


async def test_what_has_begun_goes_on() -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("Fi", gate, "rst."))])
    world = await _world(provider)
    thread = await world.thread()
    sent = await world.send(thread, "one")
    message = next(str(entry.data["message_id"]) for entry in await world.log(thread) if entry.seq == sent.seq)
    async with asyncio.TaskGroup() as group:
        group.create_task(world.work())
        await gate.reached()
        await world.threads.stop(thread, "late", only=message)
        gate.open()
    assert [status for status, _ in await _ends(world, thread)] == ["done"]
    ignored = [entry.data["reason"] for entry in await world.log(thread) if entry.kind == "INPUT_IGNORED"]
    assert ignored == ["the message that is taken back waits no longer"]
    state = await world.threads.load(thread)
    assert state is not None
    assert state.held == 0
