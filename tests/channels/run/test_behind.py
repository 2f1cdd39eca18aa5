"""A file that comes slowly and a message that finds no room hold up nothing but what comes behind them in their own
conversation, also over a kill.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from sulla.channels.base import Attachment, Channel
from sulla.channels.machine.book import decode, encode, encode_changes, with_changes, written
from sulla.channels.machine.untaken import EVERY_MS
from sulla.channels.machine.values import MOST_BEHIND_EACH, MOST_ITEMS
from sulla.channels.run.door import FULL, PATIENCE_S
from sulla.channels.run.files import FETCH_S, LEAST_BYTES, WITHIN_S
from sulla.channels.run.incoming import FETCHED_AT_ONCE
from sulla.core.ids import ThreadId
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Mortal
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.threads.log.records import Input
from sulla.threads.store import Sent


class Dripping(TelegramWire):
    """Files whose names begin with `slow` bring so many bytes in a second."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.clock = clock
        self.bytes_per_s = 1
        self.stuck = True
        """Whether they never end."""

    def channel(self, *, secret: str | None = None) -> Channel:
        channel = super().channel(secret=secret)
        fetch = channel.fetch

        async def drip(attachment: Attachment) -> AsyncIterator[bytes]:
            while self.stuck and attachment.name.startswith("slow"):
                await self.clock.sleep(1.0)
                yield b"x" * self.bytes_per_s
            async for piece in fetch(attachment):
                yield piece

        channel.fetch = drip  # type: ignore[method-assign]  # the test's own
        return channel

    async def send(self, number: int, name: str, text: str = "see") -> None:
        await self.say(self.place(number), self.person(number), text, files=[(name, b"content", "file")])

    async def tell(self, number: int, text: str) -> None:
        await self.say(self.place(number), self.person(number), text)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def wire(clock: ManualClock) -> AsyncIterator[Dripping]:
    wire = Dripping(clock)
    await wire.start()
    yield wire
    await wire.stop()


def scene_of(wire: Dripping, folder: Path, store: MemoryStore, boot: int = 1) -> Scene:
    return Scene(wire, folder / "ws", store=store, clock=wire.clock, boot=boot)


async def test_a_slow_file_holds_nobody_else_up(wire: Dripping, clock: ManualClock, tmp_path: Path) -> None:
    wire.bytes_per_s = LEAST_BYTES
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        for number, name in ((1, "ann"), (2, "bob")):
            await scene.pair(number, name)
        await scene.until(lambda: scene.line.held, "it is held: to load its library takes real time")
        began_s = clock.elapsed()
        await wire.send(1, "slow.txt", text="one")
        await wire.tell(1, "two")
        await wire.tell(1, "/status")
        await wire.tell(2, "hello")
        await scene.until(lambda: scene.texts(2) and scene.texts(1), "the others' answers")
        assert scene.texts(2) == [f"{ECHO}hello"]
        assert scene.texts(1) == ["\u2022 messages that wait for files or for room, or behind such: 2"]
        assert clock.elapsed() - began_s < 10
        await scene.until(lambda: len(scene.texts(1)) == 3, "the rest")
        assert clock.elapsed() - began_s < FETCH_S + 10
        assert [said.text.split("\n")[0] for _, said, _ in scene.keeper.said] == ["hello", "one", "two"]
        assert f"took longer than {FETCH_S:g} s" in scene.keeper.said[1][1].text


async def test_a_file_that_drips_is_given_up_soon(wire: Dripping, clock: ManualClock, tmp_path: Path) -> None:
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is held")
        began_s = clock.elapsed()
        await wire.send(1, "slow.txt")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert clock.elapsed() - began_s < WITHIN_S + 10
        assert f"less than {LEAST_BYTES} bytes of it came in {WITHIN_S:g} s" in scene.keeper.said[0][1].text


async def test_a_stop_drops_what_waits(wire: Dripping, clock: ManualClock, tmp_path: Path) -> None:
    wire.bytes_per_s = LEAST_BYTES
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await wire.send(1, "slow.txt", text="one")
        await wire.tell(1, "/agent helper")
        await wire.tell(1, "two")
        await wire.tell(1, "/stop")
        await scene.until(lambda: len(scene.texts(1)) == 2, "that it stops, and the command")
        assert scene.texts(1)[0].startswith("What waited is dropped")
        await wire.tell(1, "three")
        await scene.until(lambda: len(scene.texts(1)) == 3, "an answer")
        assert [said.text for _, said, _ in scene.keeper.said] == ["three"]
        assert scene.line.held is not None
        assert not scene.line.held.book.waiting


async def test_what_waits_is_there_after_a_kill_once_and_in_order(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    wire.bytes_per_s, store = LEAST_BYTES, MemoryStore(clock, random_id)
    async with scene_of(wire, tmp_path, store) as scene:
        await scene.pair(1, "ann")
        await wire.send(1, "slow.txt", text="one")
        await wire.tell(1, "two")
        await wire.tell(1, "/status")
        await scene.until(lambda: scene.texts(1), "that they wait")
    assert wire._updates.waiting == [], "Telegram was told that it may forget them"
    wire.stuck = False
    async with scene_of(wire, tmp_path, store, boot=2) as scene:
        await wire.tell(1, "three")
        await scene.until(lambda: len(scene.texts(1)) == 4, "the answers")
        await wire.repeat()
        await scene.pass_time(60)
        said = [said.text.split("\n")[0] for _, said, _ in scene.keeper.said]
        assert said == ["one", "two", "three"]
        assert "a file of 7 bytes" in scene.keeper.said[0][1].text


async def test_no_more_waits_than_there_is_room_for(wire: Dripping, clock: ManualClock, tmp_path: Path) -> None:
    wire.bytes_per_s = LEAST_BYTES
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await wire.send(1, "slow.txt")
        for number in range(MOST_BEHIND_EACH + 1):
            await wire.tell(1, f"word {number}")
        await scene.until(lambda: scene.texts(1), "that two were not taken")
        refused = f"word {MOST_BEHIND_EACH - 1}\n\nThis and 1 more behind it were not taken: {FULL[:20]}"
        assert refused in scene.texts(1)[0]
        held = scene.line.held
        assert held is not None
        assert len(held.book.waiting) == MOST_BEHIND_EACH
        again = with_changes(decode(b""), encode_changes(decode(encode(held.book)), written(held.book)) or b"{}")
        assert list(decode(encode(held.book)).waiting.items()) == list(held.book.waiting.items())
        assert not again.waiting


async def test_a_kill_at_any_write_loses_and_doubles_nothing_that_waits(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    wire.stuck, store, said = False, MemoryStore(clock, random_id), list[str]()
    async with scene_of(wire, tmp_path, store) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is known from where on is read")
    for at in range(1, 14):
        for after in (False, True):
            mortal = Mortal(store, at, after=after, changes=("append", "offer", "swap"))
            async with scene_of(wire, tmp_path, mortal, boot=2 * at + after) as scene:  # type: ignore[arg-type]  # it passes on all
                for name in ("first", "second"):
                    said.append(f"{name} {at} {after}")
                    await (wire.send(1, "a.txt", said[-1]) if name == "first" else wire.tell(1, said[-1]))
                await scene.until(partial(_is_dead_or_has, scene, said[-1]), said[-1])
        async with scene_of(wire, tmp_path, store, boot=100 + at) as scene:
            await scene.until(partial(_has, scene, said[-1]), f"the answers after the deaths at {at}")
    async with scene_of(wire, tmp_path, store, boot=200) as scene:
        await scene.pass_time(60)
        inputs = [
            str(entry.data["text"]).split("\n")[0]
            for info in await store.find(kind="thread")
            for entry in await scene.world.log(ThreadId(info.key))
            if entry.kind == "INPUT"
        ]
        assert inputs == said


async def test_what_finds_no_room_waits_over_a_kill_once_and_in_order(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    store = MemoryStore(clock, random_id)
    async with scene_of(wire, tmp_path, store) as scene:
        await scene.pair(1, "ann")
        scene.keeper.full = True
        await wire.tell(1, "one")
        await wire.tell(1, "two")
        await wire.tell(1, "/status")
        await scene.until(lambda: scene.texts(1), "that they wait")
        assert "for room, or behind such: 2\n" in scene.texts(1)[0]
    assert wire._updates.waiting == [], "Telegram was told that it may forget them"
    async with scene_of(wire, tmp_path, store, boot=2) as scene:
        await wire.tell(1, "three")
        await scene.until(lambda: len(scene.texts(1)) == 4, "the answers")
        await wire.repeat()
        await scene.pass_time(60)
        assert [said.text for _, said, _ in scene.keeper.said] == ["one", "two", "three"]


async def test_whoever_finds_no_room_in_time_is_told_and_can_stop(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is held")
        scene.keeper.full = True
        began_s = clock.elapsed()
        await wire.tell(1, "one")
        await scene.until(lambda: scene.texts(1), "that it was not taken")
        assert f"one\n\nThis was not taken: {FULL[:20]}" in scene.texts(1)[0]
        assert PATIENCE_S <= clock.elapsed() - began_s < PATIENCE_S + 10
        await wire.tell(1, "two")
        await wire.tell(1, "/stop")
        await scene.until(lambda: len(scene.texts(1)) == 2, "that it stops")
        scene.keeper.full = False
        await wire.tell(1, "three")
        await scene.until(lambda: len(scene.texts(1)) == 3, "an answer")
        assert [said.text for _, said, _ in scene.keeper.said] == ["three"]


async def test_all_that_waits_for_room_has_one_half_minute_and_one_notice(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is held")
        scene.keeper.full = True
        began_s = clock.elapsed()
        for number in range(6):
            await wire.tell(1, f"word {number}")
        await scene.until(lambda: scene.line.held and scene.line.held.book.waiting, "they wait")
        await scene.until(lambda: scene.texts(1), "that they were not taken")
        assert PATIENCE_S <= clock.elapsed() - began_s < PATIENCE_S + 10
        await scene.pass_time(2 * EVERY_MS / 1_000)
        assert len(scene.texts(1)) == 1
        assert "word 0\n\nThis and 5 more behind it were not taken" in scene.texts(1)[0]


async def test_as_long_as_some_get_in_none_is_refused(wire: Dripping, clock: ManualClock, tmp_path: Path) -> None:
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is held")
        say = scene.keeper.say

        async def one_at_a_time(thread_id: ThreadId, said: Input, caller: str) -> Sent:
            sent = await say(thread_id, said, caller)
            scene.keeper.full = True
            return sent

        scene.keeper.say = one_at_a_time  # type: ignore[method-assign]  # the test's own
        scene.keeper.full = True
        for number in range(4):
            await wire.tell(1, f"word {number}")
        await scene.until(partial(_wait, scene, 4), "they wait")
        for number in range(4):
            await scene.pass_time(PATIENCE_S - 5)
            scene.keeper.full = False
            await scene.until(partial(_wait, scene, 3 - number), "one gets in")
        await scene.until(lambda: len(scene.texts(1)) == 4, "the answers")
        assert [said.text for _, said, _ in scene.keeper.said] == [f"word {number}" for number in range(4)]


async def test_over_a_kill_the_half_minute_begins_anew_and_what_is_to_be_told_is_told_once(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    store = MemoryStore(clock, random_id)
    async with scene_of(wire, tmp_path, store) as scene:
        await scene.pair(1, "ann")
        scene.keeper.full = True
        await wire.tell(1, "one")
        await scene.until(partial(_wait, scene, 1), "it waits")
        await scene.pass_time(PATIENCE_S - 5)
    async with scene_of(wire, tmp_path, store, boot=2) as scene:
        scene.keeper.full = True
        await scene.until(lambda: scene.line.held, "it is held")
        await scene.pass_time(PATIENCE_S - 5)
        assert _wait(scene, 1)
        await scene.until(partial(_wait, scene, 0), "it is refused")
        assert scene.texts(1) == []
    async with scene_of(wire, tmp_path, store, boot=3) as scene:
        await scene.until(lambda: scene.texts(1), "that it was not taken")
        await wire.repeat()
        await scene.pass_time(60)
        assert len(scene.texts(1)) == 1


async def test_what_was_said_while_the_daemon_was_down_is_not_refused_because_it_is_read_at_once(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    store, many = MemoryStore(clock, random_id), MOST_BEHIND_EACH
    async with scene_of(wire, tmp_path, store) as scene:
        await scene.pair(1, "ann")
        await scene.until(lambda: scene.line.held, "it is known from where on is read")
    for number in range(many):
        await wire.tell(1, f"word {number}")
    async with scene_of(wire, tmp_path, store, boot=2) as scene:
        scene.keeper.full = True
        await scene.until(partial(_wait, scene, many), "they wait")
        await scene.pass_time(PATIENCE_S - 5)
        scene.keeper.full = False
        await scene.until(lambda: len(scene.keeper.said) == many, "all of them get in")
        await scene.until(partial(_has, scene, f"word {many - 1}"), "the answers")
        assert [said.text for _, said, _ in scene.keeper.said] == [f"word {number}" for number in range(many)]
        assert not [one for one in scene.texts(1) if "not taken" in one]


async def test_one_who_says_much_keeps_nothing_from_others_and_his_commands_are_answered_first(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    wire.bytes_per_s = LEAST_BYTES
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        await scene.pair(2, "bob")
        await scene.until(lambda: scene.line.held, "it is held")
        await wire.send(2, "slow.txt")
        for number in range(MOST_ITEMS + MOST_BEHIND_EACH):
            await wire.tell(2, f"word {number}")
        await wire.tell(2, "/status")
        await wire.tell(1, "hello")
        await scene.until(lambda: scene.texts(1), "ann's answer")
        held = scene.line.held
        assert held is not None
        assert len(held.book.items) < 3
        await scene.until(lambda: len(scene.texts(2)) == 2, "what bob is told")
        status, notice = scene.texts(2)
        assert f"for room, or behind such: {MOST_BEHIND_EACH}" in status
        assert f"This and {MOST_ITEMS} more behind it were not taken" in notice


async def test_many_that_find_no_room_hold_up_no_files(wire: Dripping, clock: ManualClock, tmp_path: Path) -> None:
    wire.stuck = False
    async with scene_of(wire, tmp_path, MemoryStore(clock, random_id)) as scene:
        await scene.pair(1, "ann")
        persons = [await scene.pair(number, "bob") for number in range(2, 2 + 2 * FETCHED_AT_ONCE)]
        scene.keeper.too_fast = persons[-1].principal
        for number in range(2, 2 + 2 * FETCHED_AT_ONCE):
            await wire.tell(number, "more")
        await scene.until(lambda: scene.line.held and len(scene.line.held.book.waiting) == 2 * FETCHED_AT_ONCE, "all")
        began_s = clock.elapsed()
        await wire.send(1, "a.txt")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert clock.elapsed() - began_s < PATIENCE_S / 2


async def test_what_is_changed_while_there_is_no_room_is_said_as_it_is_now(
    wire: Dripping, clock: ManualClock, tmp_path: Path
) -> None:
    gate, store = Gate(), MemoryStore(clock, random_id)
    provider = ScriptedProvider([Say((gate, "First.")), "Second."])
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider) as scene:
        await scene.pair(1, "ann")
        await wire.tell(1, "first")
        await scene.until(lambda: provider.requests, "it is at work")
        message = await wire.say(wire.place(1), wire.person(1), "at noon")
        await scene.until(lambda: len(scene.keeper.said) == 2, "it waits")
        scene.keeper.full = True
        assert await wire.edit(wire.place(1), wire.person(1), message, "at one")
        await scene.until(lambda: scene.line.held and scene.line.held.book.waiting, "the change waits, too")
        scene.keeper.full = False
        await scene.until(lambda: len(scene.keeper.said) == 3, "it is said")
        assert [said.text for _, said, _ in scene.keeper.said] == ["first", "at noon", "at one"]
        gate.open()
        await scene.until(lambda: scene.texts(1)[-1:] == ["Second."], "the answers")


def _wait(scene: Scene, many: int) -> bool:
    return scene.line.held is not None and len(scene.line.held.book.waiting) == many


def _has(scene: Scene, text: str) -> bool:
    return any(one.startswith(f"{ECHO}{text}") or f"\n{ECHO}{text}" in one for one in scene.texts(1))


def _is_dead_or_has(scene: Scene, text: str) -> bool:
    return scene.dead or _has(scene, text)
