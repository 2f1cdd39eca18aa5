"""The commands that people type, over the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[TelegramWire]:
    wire = TelegramWire(clock)
    await wire.start()
    yield wire
    await wire.stop()


async def test_a_stop_drops_what_waits_and_the_next_message_is_answered(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say((gate, "First.")), "Third."])
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path, store=store, clock=clock, provider=provider) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "one")
        await scene.until(lambda: provider.requests, "it is at work")
        await wire.say(wire.place(1), wire.person(1), "two")
        await wire.say(wire.place(1), wire.person(1), "/stop")
        await scene.until(lambda: any("Stopped" in one for one in scene.texts(1)), "it is stopped")
        gate.open()
        await wire.say(wire.place(1), wire.person(1), "three")
        await scene.until(lambda: "Third." in scene.texts(1), "the answer")
        provider.assert_done()


def _has_said(scene: Scene, many: int) -> bool:
    return len(scene.texts(1)) == many


async def test_another_agent_and_another_conversation(wire: TelegramWire, clock: ManualClock, tmp_path: Path) -> None:
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path, store=store, clock=clock) as scene:
        await scene.pair(1, "ann")
        for number, text in enumerate(("/status", "/agent nobody", "/agent helper", "one", "/new", "two", "/help"), 1):
            await wire.say(wire.place(1), wire.person(1), text)
            await scene.until(partial(_has_said, scene, number), text)
        said = scene.texts(1)
        assert "no conversation here yet" in said[0]
        assert "no agent" in said[1]
        assert (said[3], said[5]) == (f"{ECHO}one", f"{ECHO}two")
        assert "/stop" in said[6]
        (first, one, _), (second, _, _) = scene.keeper.said
        assert first != second
        assert one.agent == "helper"
