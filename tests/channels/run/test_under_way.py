"""What is being sent when a channel rests or ends comes to its end, so that nobody doubts whether it arrived."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sulla.channels.base import Channel, Outcome, Place, Said, SaidFile
from sulla.channels.run.talking import LAST_S
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock

ANSWER_S = LAST_S / 2
"""How long the service takes to say that it has a message: less than it is waited for."""


class Slow:
    """Makes channels to a service that has a message at once, and says so later.

    Args:
        wire: the service.
        clock: all time.
    """

    def __init__(self, wire: TelegramWire, clock: ManualClock) -> None:
        self._wire = wire
        self._clock = clock
        self.has = asyncio.Event()
        """It has a message."""

    def make(self) -> Channel:
        """One more channel."""
        channel = self._wire.channel()
        sends, files = channel.send, channel.send_file

        async def send(place: Place, said: Said) -> Outcome:
            return await self._late(await sends(place, said))

        async def send_file(place: Place, file: SaidFile) -> Outcome:
            return await self._late(await files(place, file))

        vars(channel).update(send=send, send_file=send_file)
        return channel

    async def _late(self, outcome: Outcome) -> Outcome:
        self.has.set()
        await self._clock.sleep(ANSWER_S)
        return outcome


async def test_a_rest_breaks_off_no_send(wire: TelegramWire, clock: ManualClock, tmp_path: Path) -> None:
    slow = Slow(wire, clock)
    scene = Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock)
    scene.line.make = slow.make
    async with scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(slow.has.is_set, "the service has it")
        wire.away(True)
        await scene.until(lambda: scene.line.state == "failing", "it rests")
        wire.away(False)
        await scene.until(lambda: scene.line.state == "well", "it goes on")
        await scene.pass_time(60)
        assert scene.texts(1) == [f"{ECHO}hello"]


async def test_an_end_breaks_off_no_send(wire: TelegramWire, clock: ManualClock, tmp_path: Path) -> None:
    slow, store = Slow(wire, clock), MemoryStore(clock, random_id)
    scene = Scene(wire, tmp_path / "ws", store=store, clock=clock)
    scene.line.make = slow.make
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "report.txt").write_text("all is well")
    async with scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(slow.has.is_set, "the service has it")
        await scene.until(lambda: scene.line.held is not None and not scene.line.held.book.items, "it is told")
        slow.has.clear()
        thread = scene.keeper.said[0][0]
        assert await scene.line.send_file(thread, "report.txt", "The report.", "k1", 11) == ""
        await scene.until(slow.has.is_set, "the service has the file")
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock, boot=2) as scene:
        await scene.until(lambda: scene.line.state == "well", "it goes on")
        await scene.pass_time(60)
        assert [one.file for one in wire.seen(wire.place(1))] == [None, b"all is well"]
