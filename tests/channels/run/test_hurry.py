"""A service that repeats what it was told, or answers at once with nothing new, is asked once in a second."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from sulla.channels.base import Place
from sulla.channels.machine.hurry import FREE, KNOWN_FREE, PAUSE_S, WHY, Hurry
from sulla.channels.mail.mailbox import Mailbox
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.discord import DiscordWire
from sulla.testing.channels.mail.wire import MailWire
from sulla.testing.channels.matrix import MatrixWire
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


class Forgetful(TelegramWire):
    """Answers at once, and tells all that it ever told, or nothing."""

    asked = 0
    broken = False
    repeats = True

    async def _get_updates(self, args: Mapping[str, Any]) -> web.Response:
        if not self.broken:
            return await super()._get_updates(args)
        self.asked += 1
        kept = self._updates
        return web.json_response({"ok": True, "result": (kept.told + kept.waiting) if self.repeats else kept.waiting})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[Forgetful]:
    wire = Forgetful(clock)
    await wire.start()
    yield wire
    await wire.stop()


@pytest.mark.parametrize("repeats", [True, False])
async def test_it_is_asked_seldom_and_says_so_until_it_is_well(
    wire: Forgetful, clock: ManualClock, tmp_path: Path, repeats: bool
) -> None:
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        wire.broken, wire.repeats = True, repeats
        await scene.until(lambda: scene.line.why == WHY, "that it says so")
        assert scene.line.state == "well"
        before, began_s = wire.asked, clock.elapsed()
        await scene.pass_time(60)
        assert 20 < wire.asked - before <= clock.elapsed() - began_s + 1
        await wire.say(wire.place(1), wire.person(1), "still there?")
        await scene.until(lambda: len(scene.texts(1)) == 2, "an answer")
        assert scene.texts(1) == [f"{ECHO}hello", f"{ECHO}still there?"]
        wire.broken = False
        await scene.until(lambda: not scene.line.why, "that it is well")
        assert scene.line.state == "well"


async def test_it_is_logged_once_also_where_the_service_takes_messages_meanwhile(
    wire: Forgetful, clock: ManualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        wire.broken = True
        await scene.until(lambda: scene.line.why == WHY, "that it says so")

        def said(many: int) -> bool:
            return len(scene.texts(1)) == many

        def slows(so: bool) -> bool:
            return (scene.line.why == WHY) is so

        place = Place(wire.place(1).id).key
        for number in range(2, 8):
            assert await scene.line.tell(place, f"word {number}")
            await scene.until(partial(said, number), "what is said")
            assert scene.line.why == WHY
            await scene.pass_time(5)
        for repeats in (False, True) * 3:
            wire.broken = repeats
            await scene.until(partial(slows, repeats), "how it is")
        assert sum(WHY in one.getMessage() for one in caplog.records) == 1


async def test_a_homeserver_that_does_not_wait_is_asked_seldom(
    clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(since: int, seconds: float) -> None:
        return

    wire = MatrixWire(clock)
    monkeypatch.setattr(wire.rooms, "wait", at_once)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.until(lambda: scene.line.why == WHY, "that it says so")
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert scene.texts(1) == [f"{ECHO}hello"]
    await wire.stop()


async def test_a_mail_server_that_tells_of_nothing_on_and_on_is_asked_seldom(
    clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(box: Mailbox, seconds: float) -> None:
        return

    monkeypatch.setattr(Mailbox, "wait", at_once)
    wire = MailWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.until(lambda: scene.line.why == WHY, "that it says so")
        await scene.pair(1, "ann")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert scene.texts(1) == [f"{ECHO}hello"]
    await wire.stop()


async def test_what_a_service_tells_again_holds_nothing_up_and_nothing_is_called_well_that_is_away(
    clock: ManualClock, tmp_path: Path
) -> None:
    wire = DiscordWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        place, ann = wire.place(1), wire.person(1)
        for number in range(10):
            await wire.say(place, ann, f"message {number}")
            await scene.until(lambda: len(scene.texts(1)) > number, "an answer")  # noqa: B023 - at once
        for _ in range(3):
            await wire.repeat()
            await scene.pass_time(2)
        began_s = clock.elapsed()
        await wire.say(place, ann, "still there?")
        await scene.until(lambda: scene.texts(1)[-1] == f"{ECHO}still there?", "an answer")
        assert clock.elapsed() - began_s < 5
        assert (len(scene.texts(1)), scene.line.standing.said) == (11, "well")
        await wire.repeat()
        wire.away(True)
        began_s = clock.elapsed()
        await scene.until(lambda: scene.line.state == "failing", "that it is away")
        assert clock.elapsed() - began_s < 5
    wire.away(False)
    await wire.stop()


def test_the_pauses_of_what_brings_nothing_and_of_what_is_known() -> None:
    hurry = Hurry(0.0)
    assert [hurry.came(0.0, fresh=False) for _ in range(FREE + 2)] == [0.0] * FREE + [PAUSE_S] * 2
    assert hurry.slows
    assert hurry.came(100.0, fresh=True) == 0.0
    known = [hurry.came(100.0, fresh=False, moves=True) for _ in range(2 * KNOWN_FREE)]
    assert [number for number, pause_s in enumerate(known, 1) if pause_s] == [KNOWN_FREE, 2 * KNOWN_FREE]
    assert not hurry.slows
