"""The commands that people type, over the wire."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sulla.channels.run.commands import NOTHING_DONE
from sulla.channels.run.door import PATIENCE_S
from sulla.core.message import Text
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider


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
        said = "Stopped. What waited is dropped, too."
        await scene.until(lambda: said in scene.texts(1), "it is stopped")
        gate.open()
        await wire.say(wire.place(1), wire.person(1), "three")
        await scene.until(lambda: "Third." in scene.texts(1), "the answer")
        provider.assert_done()


async def test_a_stop_says_what_was_stopped_and_what_was_dropped(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    provider = ScriptedProvider(["First.", Say((Gate(), "Second."))])
    place, ann = wire.place(1), wire.person(1)
    async with Scene(wire, tmp_path, store=MemoryStore(clock, random_id), clock=clock, provider=provider) as scene:
        await scene.pair(1, "ann")

        async def stopped() -> str:
            before = len(scene.texts(1))
            await wire.say(place, ann, "/stop")
            await scene.until(lambda: len(scene.texts(1)) > before, "what was stopped")
            return scene.texts(1)[-1]

        assert await stopped() == NOTHING_DONE
        await wire.say(place, ann, "one")
        await scene.until(lambda: "First." in scene.texts(1), "the answer")
        await scene.pass_time(5)
        assert await stopped() == NOTHING_DONE
        await wire.say(place, ann, "two")
        await scene.until(lambda: len(provider.requests) == 2, "it is at work")
        assert await stopped() == "Stopped."
        await scene.pass_time(5)
        assert await stopped() == NOTHING_DONE


async def test_a_message_that_waits_and_is_edited_twice_is_one_message(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say((gate, "First.")), "Second."])
    place, ann = wire.place(1), wire.person(1)
    async with Scene(wire, tmp_path, store=MemoryStore(clock, random_id), clock=clock, provider=provider) as scene:
        await scene.pair(1, "ann")
        await wire.say(place, ann, "one")
        await scene.until(lambda: provider.requests, "it is at work")
        waiting = await wire.say(place, ann, "two")
        for number, text in enumerate(("two, or three", "three"), 2):
            await scene.until(lambda: len(scene.keeper.said) == number, "it was taken in")  # noqa: B023 - at once
            clock.jump(5)
            await wire.edit(place, ann, waiting, text)
        await scene.until(lambda: len(scene.keeper.said) == 4, "the second edit was taken in")
        await wire.say(place, ann, "/status")
        await scene.until(lambda: any("it is at work" in one for one in scene.texts(1)), "how it is")
        assert "messages that wait: 1" in next(one for one in scene.texts(1) if "it is at work" in one)
        gate.open()
        await scene.until(lambda: "Second." in scene.texts(1), "the answer")
        said = [part.text for one in provider.requests[-1].messages for part in one.parts if isinstance(part, Text)]
        assert "three" in said
        assert not [one for one in said if "two" in one]


def _has_said(scene: Scene, many: int) -> bool:
    return len(scene.texts(1)) == many


async def test_another_agent_and_another_conversation(wire: TelegramWire, clock: ManualClock, tmp_path: Path) -> None:
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path, store=store, clock=clock) as scene:
        await scene.pair(1, "ann")
        words = ["/status", "/agent nobody", "/agent helper", "one", "/new", "two", "/help"]
        for number, text in enumerate([*words, "/agent hepler", "/new three"], 1):
            await wire.say(wire.place(1), wire.person(1), text)
            await scene.until(partial(_has_said, scene, number), text)
        said = scene.texts(1)
        assert "no conversation here yet" in said[0]
        assert said[1] == "There is no agent 'nobody', so you go on with sulla. There is: sulla, helper."
        assert (said[3], said[5]) == (f"{ECHO}one", f"{ECHO}two")
        assert "/stop" in said[6]
        assert said[7] == "There is no agent 'hepler', so you go on with helper. Did you mean /agent helper?"
        assert "What stands behind /new was not taken" in said[8]
        (first, one, _), (second, _, _) = scene.keeper.said
        assert first != second
        assert one.agent == "helper"


async def test_an_agent_that_was_made_just_now_can_be_talked_to_and_one_that_is_gone_is_named(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    async with Scene(wire, tmp_path, store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        scene.keeper.agents = ("sulla", "helper", "newcomer")
        await wire.say(wire.place(1), wire.person(1), "/agent newcomer")
        await scene.until(lambda: _has_said(scene, 1), "the command")
        assert scene.texts(1) == ["From your next message on you talk to newcomer."]
        scene.keeper.gone = "newcomer"
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: _has_said(scene, 2), "what became of it")
        assert scene.texts(1)[1].endswith("This was not taken: send it again, to the usual agent, or after /agent.")
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: f"{ECHO}hello" in scene.texts(1), "the answer")
        assert [said.agent for _, said, _ in scene.keeper.said] == ["sulla"]


async def test_whoever_finds_no_room_for_half_a_minute_is_told_what_to_do(
    wire: TelegramWire, clock: ManualClock, tmp_path: Path
) -> None:
    async with Scene(wire, tmp_path, store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        scene.keeper.full = True
        await wire.say(wire.place(1), wire.person(1), "one")
        await scene.pass_time(PATIENCE_S - 5)
        assert scene.texts(1) == []
        await scene.until(lambda: scene.texts(1), "that it was not taken")
        for way in ("Send it again", "/status", "/stop", "/new"):
            assert way in scene.texts(1)[0]
        scene.keeper.full = False
        await wire.say(wire.place(1), wire.person(1), "one")
        await scene.until(lambda: f"{ECHO}one" in scene.texts(1), "the answer")
        assert [said.text for _, said, _ in scene.keeper.said] == ["one"]
