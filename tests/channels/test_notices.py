"""A notice that goes out by a channel: what somebody is asked stands there to the letter."""

from __future__ import annotations

from pathlib import Path

from sulla.channels.lines import Lines
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock

PROMPT = "Pour [](/not) it\u202e?"


async def test_a_question_stands_to_the_letter_and_other_notices_are_what_their_authors_wrote(tmp_path: Path) -> None:
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        place = wire.place(1)
        await wire.say(place, wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1) and scene.settled, "an answer")
        lines, address = Lines({"tg": scene.line}, scene.people), f"channel://tg/{place.id}"
        assert await lines.notify(address, "asked", PROMPT, "k1", "wait:thr_else:human:1") == ""
        assert await lines.notify(address, "told", "**now**", "k2", "notice:thr_else") == ""
        await scene.until(lambda: len(scene.texts(1)) == 3 and scene.settled, "both notices")
        asked, told = wire.seen(place)[1:]
        assert (asked.exact, asked.text.endswith("\nasked")) == (("Pour [](/not) it\\u202e?",), True)
        assert (told.exact, "**" in told.text) == ((), False)
    await wire.stop()
