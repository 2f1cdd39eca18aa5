"""What an event of a conversation costs a channel where many people talk, and that a channel ends when it is to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, ItemsView, Iterator, ValuesView
from contextlib import suppress
from pathlib import Path

import pytest

from sulla.channels.base import Channel, NotSent, Outcome, Place, Said
from sulla.channels.lines import Lines
from sulla.channels.machine import asking
from sulla.channels.machine.talks import Talks
from sulla.channels.machine.values import MOST_CLOSED, Question, Talk
from sulla.channels.run.held import MOST_WHY_CHARS
from sulla.core.ids import ThreadId
from sulla.core.redact import MARK
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.scene import STEP_S, Scene
from sulla.testing.channels.telegram import TOKEN, TelegramWire
from sulla.testing.clock import ManualClock

TALKS = 10_000


class Counting(Talks):
    """Counts which places are looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.looked: list[str] = []

    def __getitem__(self, key: str) -> Talk:
        self.looked.append(key)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            self.looked.append(key)
            yield key

    def values(self) -> ValuesView[Talk]:
        return ValuesView(self)

    def items(self) -> ItemsView[str, Talk]:
        return ItemsView(self)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    clock = ManualClock()
    wire = TelegramWire(clock)
    await wire.start()
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.until(lambda: scene.line.held, "it is held")
        yield scene
    await wire.stop()


async def test_a_wake_looks_at_no_place_but_the_one_where_the_conversation_is_held(scene: Scene) -> None:
    assert scene.line.held is not None
    talks = scene.line.held.book.talks = Counting()
    for number in range(TALKS):
        place = Place(f"p{number}")
        talks[place.key] = Talk(place, thread=f"thr{number}", left=((f"old{number}", 3),))
    assert [key for key, _ in talks.items()] == list(dict.fromkeys(talks.looked))  # it counts
    for thread in ("thr7777", "old7777", "of nobody here"):
        talks.looked.clear()
        scene.line.wake(ThreadId(thread))
        assert set(talks.looked) <= {"p7777"}, thread
    await scene.pass_time(STEP_S)
    assert "p7777" in talks.looked  # somebody works there now


async def test_so_many_questions_are_known_to_be_over_and_a_reply_to_an_older_one_is_a_message(scene: Scene) -> None:
    held = scene.line.held
    assert held is not None
    for number in range(MOST_CLOSED + 1):
        held.close(Question(f"q{number}", "p1", "thr", "approval:1", "May it?", ref=f"m{number}"), "Allow: ann")
    held.close(Question("unknown", "p1", "thr", "approval:1", "May it?"), "Allow: ann")
    assert len(held.book.closed) == MOST_CLOSED
    told = asking.over(held.book.closed, "m1", "p1")
    assert told is not None
    assert (told.exact, told.text.endswith(asking.OVER)) == (("Allow: ann",), True)
    for reply_to, place in (("m0", "p1"), ("m1", "p2"), ("", "p1")):
        assert asking.over(held.book.closed, reply_to, place) is None


async def test_it_ends_also_where_the_services_library_loses_that_it_is_to_end(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scene.line.held is not None
    channel: Channel = scene.line.held.channel
    sends, begun = channel.send, asyncio.Event()

    async def send(place: Place, said: Said) -> Outcome:
        begun.set()
        with suppress(asyncio.CancelledError):  # as `asyncio.wait_for` may where the answer comes just then
            await asyncio.Event().wait()
        return await sends(place, said)

    monkeypatch.setattr(channel, "send", send)
    await scene.wire.say(scene.wire.place(1), scene.wire.person(1), "hello")
    await scene.until(begun.is_set, "it sends")
    ended = asyncio.create_task(scene.__aexit__())
    await asyncio.wait([ended], timeout=20.0)
    assert ended.done()


async def test_why_a_message_was_given_up_is_kept_without_secrets_and_told(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = scene.line.held
    assert held is not None

    async def refused(place: Place, said: Said) -> Outcome:
        return NotSent(f"Telegram refuses it:\n{TOKEN[:9]}\x1b[2J\u200b{TOKEN[9:]} \ud83d " + "x" * 1_000, final=True)

    monkeypatch.setattr(held.channel, "send", refused)
    await scene.pair(1, "ann")
    await scene.wire.say(scene.wire.place(1), scene.wire.person(1), "hello")
    await scene.until(lambda: held.book.given_up.count, "it is given up")
    (row,) = (await Lines({"chat": scene.line}, scene.people).list_channels()).channels
    assert row.given_up == 1
    assert row.last_given_up is not None
    assert row.last_given_up.place == scene.wire.place(1).id
    assert row.last_given_up.why.startswith(f"Telegram refuses it: {MARK} \ufffd xxx")
    assert len(row.last_given_up.why) == MOST_WHY_CHARS


async def test_it_lets_go_of_its_connection_though_it_is_told_twice_to_end(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scene.line.held is not None
    channel: Channel = scene.line.held.channel
    closes, closing, go, closed = channel.close, asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def close() -> None:
        closing.set()
        await go.wait()
        await closes()
        closed.set()

    monkeypatch.setattr(channel, "close", close)
    ended = asyncio.create_task(scene.__aexit__())
    await closing.wait()
    again = asyncio.create_task(scene.__aexit__())
    await asyncio.sleep(0)
    go.set()
    await asyncio.wait([ended, again], timeout=20.0)
    assert closed.is_set()
