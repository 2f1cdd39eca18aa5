"""A channel is made beside the event loop: what its library takes to be imported keeps nobody waiting."""

from __future__ import annotations

import threading
from pathlib import Path

from sulla.channels.base import Channel
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


async def test_the_loop_goes_on_while_a_channel_is_made(tmp_path: Path) -> None:
    clock, imported, threads = ManualClock(), threading.Event(), list[int]()
    wire = TelegramWire(clock)
    await wire.start()

    def make() -> Channel:
        threads.append(threading.get_ident())
        assert imported.wait(20.0)  # nobody would set it if the loop waited
        return wire.channel()

    scene = Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock)
    scene.line.make = make
    async with scene:
        await scene.until(lambda: threads, "it is being made")
        await scene.pass_time(1.0)
        assert scene.line.held is None
        imported.set()
        await scene.until(lambda: scene.line.state == "well", "it is well")
    assert threads != [threading.get_ident()]
    await wire.stop()
