from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sulla.gateway.commands import Event
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.follower import EventFollower
from sulla.gateway.feed.outbox import Outbox
from sulla.gateway.feed.speaker import Speaker
from sulla.gateway.feed.speaking import SPEAK
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.gateway.feed.test_outbox_writer import Socket
from tests.gateway.feed.test_speaking import delta, ended
from tests.gateway.websocket.test_connection import Connect

THREAD = "thr_1"


class Full:
    """A sink with room for so many events; who waits for room gets it."""

    def __init__(self, server: int) -> None:
        self.server = server
        self.taken: list[Event | bytes] = []
        self.waited = 0

    async def put(self, frame: bytes) -> None:
        self.taken.append(frame)

    async def put_event(self, event: Event) -> None:
        if not self.add_event(event):
            self.waited += 1
            self.server += 1
            self.add_event(event)

    def add_event(self, event: Event) -> bool:
        if self.server == 0:
            return False
        self.server -= 1
        self.taken.append(event)
        return True

    @property
    def said(self) -> list[object]:
        found: list[object] = []
        for item in self.taken:
            data = item.data if isinstance(item, Event) else {}
            found.append(data.get("index", data.get("delta", item)))
        return found


async def give(speaker: Speaker, event: Event) -> None:
    """As `EventFollower` does."""
    if not speaker.add_event(event):
        await speaker.put_event(event)


async def test_wherever_the_room_ends_all_of_it_comes_once_and_in_order() -> None:
    for server in range(10):
        sink = Full(server)
        speaker = Speaker(sink)
        await give(speaker, delta(0, "One. Two. Three. Fo"))
        await give(speaker, delta(19, "ur. Five."))
        await speaker.put(b"frame")
        await speaker.put_event(ended("One. Two. Three. Four. Five."))
        *_, last = sink.said
        assert [*sink.said[:8], last] == ["One. Two. Three. Fo", 0, 1, 2, "ur. Five.", 3, b"frame", sink.taken[7], 4]
        assert sink.waited == max(0, 9 - server - 1)


async def test_what_found_no_room_is_not_looked_at_twice() -> None:
    sink = Full(0)
    speaker = Speaker(sink)
    assert not speaker.add_event(delta(0, "One. "))
    assert sink.taken == []
    await speaker.put_event(delta(0, "One. "))
    assert sink.said == ["One. ", 0]


# ------------------------------------------------------------------------------------------------------- as one follows


@asynccontextmanager
async def following(
    commands: MemoryCommands, outbox: Outbox, clock: ManualClock, after: int = 0, *, speak: bool = True
) -> AsyncIterator[None]:
    sink = Speaker(outbox) if speak else outbox
    task = asyncio.ensure_future(EventFollower(commands, sink, clock, Limits(), THREAD, after).run())
    await clock.settle()
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


def waiting(outbox: Outbox) -> list[dict[str, Any]]:
    found = []
    while outbox._backlog:
        found.append(json.loads(outbox._backlog.take())["params"])
        outbox._make_room()
    return found


def spoken(events: list[dict[str, Any]]) -> list[tuple[int, int, int, str]]:
    return [
        (data["index"], data["offset"], data["end"], data["text"])
        for event in events
        if event["type"] == SPEAK
        for data in (event["data"],)
    ]


def stream(commands: MemoryCommands, text: str, offset: int = 0) -> None:
    for at, char in enumerate(text, offset):
        commands.show(THREAD, TEXT, "run_1", message_id="m1", offset=at, delta=char)


def begun() -> tuple[MemoryCommands, Outbox, ManualClock]:
    commands, clock = MemoryCommands(), ManualClock()
    commands.make(THREAD)
    commands.add(THREAD, "MODEL_STARTED", "run_1", message_id="m1")
    return commands, Outbox(clock, Limits()), clock


async def test_a_sentence_leaves_in_the_step_that_brings_its_end() -> None:
    commands, outbox, clock = begun()
    async with following(commands, outbox, clock):
        begun_s = clock.elapsed()
        stream(commands, "Hello there.")
        assert spoken(waiting(outbox)) == []
        stream(commands, " ", 12)
        assert spoken(waiting(outbox)) == [(0, 0, 12, "Hello there.")]
        assert clock.elapsed() == begun_s


async def test_a_client_that_is_behind_gets_text_merged_and_every_piece_after_its_text() -> None:
    commands, outbox, clock = begun()
    text = "One is here. Two is there. Three is"
    async with following(commands, outbox, clock):
        stream(commands, text)
        commands.add(THREAD, "TEXT_MESSAGE_END", "run_1", message_id="m1", text=text)
        await clock.settle()
        found = waiting(outbox)
    assert [piece[3] for piece in spoken(found)] == ["One is here.", "Two is there.", "Three is"]
    shown = ""
    for event in found:
        if event["type"] == TEXT:
            shown += event["data"]["delta"]
        elif event["type"] == SPEAK:
            assert text[: event["data"]["end"]] in shown
    assert sum(event["type"] == TEXT for event in found) < 5


async def test_with_a_full_queue_pieces_wait_their_turn() -> None:
    commands, _, clock = begun()
    outbox = Outbox(clock, Limits(queue_bytes=1, stall_s=60.0))
    async with following(commands, outbox, clock):
        stream(commands, "One. Two. Three. ")
        commands.add(THREAD, "TEXT_MESSAGE_END", "run_1", message_id="m1", text="One. Two. Three. Four.")
        found: list[dict[str, Any]] = []
        while len(spoken(found)) < 4:
            await clock.settle()
            found += waiting(outbox)
    assert [piece[0] for piece in spoken(found)] == [0, 1, 2, 3]
    assert "".join(str(event["data"]["delta"]) for event in found if event["type"] == TEXT) == "One. Two. Three. "


async def test_who_comes_late_or_comes_back_gets_the_same_pieces() -> None:
    text = "One is here. Two is there. Three"
    commands, outbox, clock = begun()
    commands.retell = lambda thread_id: commands.show(
        thread_id, TEXT, "run_1", message_id="m1", offset=0, delta=text[:20]
    )
    every: list[list[tuple[int, int, int, str]]] = []
    async with following(commands, outbox, clock):
        stream(commands, text[:20])
        async with following(commands, late := Outbox(clock, Limits()), clock, after=1):
            stream(commands, text[20:], 20)
            commands.add(THREAD, "TEXT_MESSAGE_END", "run_1", message_id="m1", text=text)
            await clock.settle()
            every += spoken(waiting(outbox)), spoken(waiting(late))
    for after in (0, 1):
        async with following(commands, again := Outbox(clock, Limits()), clock, after):
            every.append(spoken(waiting(again)))
    assert every[0] == [(0, 0, 12, "One is here."), (1, 13, 26, "Two is there."), (2, 27, 32, "Three")]
    assert all(pieces == every[0] for pieces in every)
    async with following(commands, behind := Outbox(clock, Limits()), clock, after=2):
        assert spoken(waiting(behind)) == []


async def test_nothing_is_made_for_who_has_not_asked() -> None:
    commands, outbox, clock = begun()
    async with following(commands, outbox, clock, speak=False):
        stream(commands, "One. Two. ")
        assert spoken(waiting(outbox)) == []


@pytest.mark.parametrize("direct", [True, False])
async def test_text_that_waits_for_more_does_not_hold_up_what_is_to_be_spoken(direct: bool) -> None:
    socket = Socket(direct=direct)
    speaker = Speaker(socket.outbox)
    speaker.add_event(delta(0, "Hello"))
    speaker.add_event(delta(5, " there."))
    await socket.clock.settle()
    assert len(socket.frames) == 1
    speaker.add_event(delta(12, " How"))
    await socket.clock.settle()
    kinds = [json.loads(frame)["params"]["type"] for frame in socket.frames]
    assert kinds == [TEXT, TEXT, SPEAK]
    socket.writer.cancel()
    await asyncio.wait((socket.writer,))


# --------------------------------------------------------------------------------------------------- over a real socket


async def test_a_client_that_asks_for_it_gets_what_to_speak(connect: Connect, commands: MemoryCommands) -> None:
    commands.make(THREAD)
    speaking, silent = await connect(), await connect()
    await speaking.call("events.subscribe", thread_id=THREAD, speak=True)
    await silent.call("events.subscribe", thread_id=THREAD)
    commands.add(THREAD, "MODEL_STARTED", "run_1", message_id="m1")
    assert (await speaking.event())["type"] == (await silent.event())["type"] == "MODEL_STARTED"
    commands.show(THREAD, TEXT, "run_1", message_id="m1", offset=0, delta="Hé 🦉. And")
    commands.add(THREAD, "TEXT_MESSAGE_END", "run_1", message_id="m1", text="Hé 🦉. And?")
    found = await speaking.events(4)
    assert [event["type"] for event in found] == [TEXT, SPEAK, "TEXT_MESSAGE_END", SPEAK]
    assert [event["data"] for event in found if event["type"] == SPEAK] == [
        {"message_id": "m1", "index": 0, "offset": 0, "end": 5, "text": "Hé 🦉."},
        {"message_id": "m1", "index": 1, "offset": 6, "end": 10, "text": "And?"},
    ]
    assert (found[1]["seq"], found[1]["run_id"], found[1]["agent"]) == (None, "run_1", "sulla")
    assert [event["type"] for event in await silent.events(2)] == [TEXT, "TEXT_MESSAGE_END"]


async def test_whether_to_speak_is_said_anew_with_each_subscription(connect: Connect, commands: MemoryCommands) -> None:
    commands.make(THREAD)
    commands.add(THREAD, "TEXT_MESSAGE_END", "run_1", message_id="m1", text="One.")
    peer = await connect()
    for speak in (True, False, True):
        await peer.call("events.subscribe", thread_id=THREAD, speak=speak)
        assert [event["type"] for event in await peer.events(1 + speak)] == ["TEXT_MESSAGE_END", SPEAK][: 1 + speak]
        await peer.call("events.unsubscribe", thread_id=THREAD)
