"""A channel is called well once its service has answered, and not for nothing but that it was reached."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.channels.base import Batch, Channel
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock

SILENT_S = 30.0


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    scene = Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock)
    scene.line.make = lambda: _gone_at_once(wire.channel(), clock)
    async with scene:
        await scene.until(lambda: scene.line.held, "it is held")
        yield scene
    await wire.stop()


def _gone_at_once(channel: Channel, clock: ManualClock) -> Channel:
    """One whose service is away again as soon as it was reached: what is asked then gets no answer for long."""

    async def receive(cursor: str) -> AsyncIterator[Batch]:
        await clock.sleep(10 * SILENT_S)
        yield Batch((), cursor)

    vars(channel)["receive"] = receive
    return channel


async def test_one_whose_service_is_away_again_at_once_is_not_well(scene: Scene) -> None:
    for _ in range(int(SILENT_S)):
        await scene.pass_time(1.0)
        assert scene.line.state == "not begun"


async def test_what_the_service_takes_says_that_it_is_well(scene: Scene) -> None:
    held, place = scene.line.held, scene.wire.place(1)
    assert held is not None
    held.talk(place)
    assert await scene.line.tell(place.id, "hello")
    await scene.until(lambda: scene.texts(1) == ["hello"], "it is told")
    await scene.until(lambda: scene.line.state == "well", "it is well")
