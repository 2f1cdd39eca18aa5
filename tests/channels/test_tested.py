"""A channel is tested: its service is asked, and what the daemon's own one fails of is told, too."""

from __future__ import annotations

from pathlib import Path

from sulla.channels.lines import Lines
from sulla.channels.machine.people import MOST_CODES, Identity
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


async def test_one_that_fails_in_the_daemon_does_not_work_though_its_service_lets_it_in(tmp_path: Path) -> None:
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        lines = Lines({"tg": scene.line}, scene.people)
        await scene.until(lambda: scene.line.state == "well", "it is well")
        found = await lines.test_channel("tg")
        assert (bool(found.account), found.why) == (True, "")
        scene.line.standing = scene.line.standing.at(1, "failing", "another program reads the same bot")
        found = await lines.test_channel("tg")
        assert found.account
        assert "failing: another program reads the same bot" in found.why
    await wire.stop()


async def test_one_whose_codes_are_all_given_says_so_and_the_others_give_theirs(tmp_path: Path) -> None:
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        lines = Lines({"chat": scene.line}, scene.people)
        await scene.until(lambda: scene.line.state == "well", "it is well")
        given = [await scene.people.ask(Identity("chat", str(number)), "p") for number in range(MOST_CODES + 1)]
        assert [bool(code) for code in given] == [True] * MOST_CODES + [False]
        assert await scene.people.ask(Identity("another", "1"), "p")
        (row,) = (await lines.list_channels()).channels
        assert row.state == "well"
        assert row.why.startswith("all its codes are given")
    await wire.stop()
