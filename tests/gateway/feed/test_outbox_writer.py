from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.outbox import LULL_S, Outbox, Shortcut, TooSlow
from sulla.gateway.rpc import event_frame
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock

STALL_S = 6.0


class Socket:
    """A client's socket that takes frames while `way` is set, and whoever empties the outbox into it.

    Args:
        direct: whether the outbox has a shortcut to it.
    """

    def __init__(self, *, direct: bool) -> None:
        self.clock = ManualClock()
        self.way = asyncio.Event()
        self.way.set()
        self.frames: list[bytes] = []
        shortcut = Shortcut(self._send, event_frame) if direct else None
        self.outbox = Outbox(self.clock, Limits(queue_bytes=1000, stall_s=STALL_S), shortcut=shortcut)
        self.writer = asyncio.create_task(self._write())

    def texts(self) -> list[object]:
        return [json.loads(frame)["params"]["data"]["delta"] if frame[:1] == b"{" else frame for frame in self.frames]

    def _send(self, frame: bytes) -> bool:
        if self.way.is_set():
            self.frames.append(frame)
        return self.way.is_set()

    async def _write(self) -> None:
        while (frame := await self.outbox.take()) is not None:
            await self.way.wait()
            self.frames.append(frame)


@pytest.fixture(params=[True, False], ids=["direct", "by the writer"])
async def socket(request: pytest.FixtureRequest) -> AsyncIterator[Socket]:
    made = Socket(direct=request.param)
    yield made
    made.writer.cancel()
    await asyncio.wait((made.writer,))


def piece(offset: int, text: str) -> Event:
    data: JsonObject = {"message_id": "m1", "offset": offset, "delta": text}
    return Event("thr", None, "run_1", None, "sulla", 0, TEXT, 0, data)


async def test_what_an_idle_client_gets_is_sent_at_once(socket: Socket) -> None:
    assert socket.outbox.add_event(piece(0, "Hel"))
    await socket.clock.settle()
    assert socket.texts() == ["Hel"]
    await socket.outbox.put(b"reply")
    await socket.clock.settle()
    assert socket.texts() == ["Hel", b"reply"]


async def test_with_a_shortcut_an_idle_client_gets_it_in_the_same_step() -> None:
    socket = Socket(direct=True)
    assert socket.outbox.add_event(piece(0, "Hel"))
    assert socket.texts() == ["Hel"]
    assert socket.outbox.add(b"reply")
    assert socket.texts() == ["Hel", b"reply"]
    socket.outbox.finish()
    await socket.writer


async def test_with_a_shortcut_nothing_overtakes_what_the_writer_has_in_its_hands() -> None:
    socket = Socket(direct=True)
    socket.way.clear()
    assert socket.outbox.add(b"1")
    await socket.clock.settle()  # the writer waits with it, and nothing is queued
    socket.way.set()
    assert socket.outbox.add(b"2")
    assert socket.frames == []
    socket.outbox.finish()
    await socket.writer
    assert socket.frames == [b"1", b"2"]


async def test_text_within_the_lull_goes_together(socket: Socket) -> None:
    for offset, text in ((0, "Hel"), (3, "lo"), (5, " you")):
        socket.outbox.add_event(piece(offset, text))
        await socket.clock.settle()
    await socket.clock.advance(LULL_S * 0.9)
    assert socket.texts() == ["Hel"]
    await socket.clock.advance(LULL_S * 0.2)
    assert socket.texts() == ["Hel", "lo you"]


async def test_the_lull_counts_from_what_was_sent_last(socket: Socket) -> None:
    socket.outbox.add_event(piece(0, "a"))
    await socket.clock.settle()
    socket.outbox.add_event(piece(1, "b"))
    await socket.clock.advance(LULL_S)
    socket.outbox.add_event(piece(2, "c"))
    await socket.clock.settle()
    assert socket.texts() == ["a", "b"]
    await socket.clock.advance(LULL_S)
    assert socket.texts() == ["a", "b", "c"]


async def test_an_idle_client_gets_text_at_once_however_it_got_the_last(socket: Socket) -> None:
    for offset in range(10):
        socket.outbox.add_event(piece(offset, "x"))
        await socket.clock.settle()
        assert len(socket.frames) == offset + 1
        await socket.clock.advance(LULL_S * 1.1)


async def test_nothing_overtakes_what_waits_for_the_socket(socket: Socket) -> None:
    socket.way.clear()
    await socket.outbox.put(b"1")
    await socket.clock.settle()  # the writer has it in its hands
    await socket.outbox.put(b"2")
    socket.way.set()
    await socket.outbox.put(b"3")
    await socket.clock.settle()
    await socket.outbox.put(b"4")
    await socket.clock.settle()
    assert socket.frames == [b"1", b"2", b"3", b"4"]


async def test_a_client_that_reads_nothing_runs_into_its_bounds(socket: Socket) -> None:
    socket.way.clear()
    await socket.outbox.put(b"x")
    await socket.clock.settle()
    await socket.outbox.put(b"x" * 1000)
    assert not socket.outbox.add_event(piece(0, "Hel"))
    putting = asyncio.ensure_future(socket.outbox.put_event(piece(0, "Hel")))
    await socket.clock.advance(STALL_S + 0.1)
    with pytest.raises(TooSlow):
        await putting


async def test_after_the_end_nothing_is_added_and_what_waits_is_sent(socket: Socket) -> None:
    socket.way.clear()
    await socket.outbox.put(b"1")
    socket.outbox.finish()
    await socket.outbox.put(b"2")
    assert socket.outbox.add_event(piece(0, "Hel"))
    socket.way.set()
    await socket.writer
    assert socket.frames == [b"1"]


async def test_after_the_end_nothing_is_sent_to_an_idle_client_either(socket: Socket) -> None:
    socket.outbox.finish()
    await socket.outbox.put(b"late")
    assert socket.frames == []
    await socket.outbox.emptied()


@settings(max_examples=60)
@given(st.booleans(), st.lists(st.sampled_from(["text", "frame", "way", "time", "step"]), max_size=60))
async def test_all_comes_whole_and_in_order(direct: bool, steps: list[str]) -> None:
    socket = Socket(direct=direct)
    said, frames = "", []
    for number, step in enumerate(steps):
        match step:
            case "text":
                await socket.outbox.put_event(piece(len(said), str(number)))
                said += str(number)
            case "frame":
                await socket.outbox.put(b"#%d" % number)
                frames.append(b"#%d" % number)
            case "way":
                socket.way.clear() if socket.way.is_set() else socket.way.set()
            case "time":
                await socket.clock.advance(LULL_S * 0.6)
            case _:
                await socket.clock.settle()
    socket.way.set()
    await socket.clock.advance(LULL_S * 2)
    await socket.clock.settle()
    socket.outbox.finish()
    await socket.writer
    assert "".join(text for text in socket.texts() if isinstance(text, str)) == said
    assert [frame for frame in socket.texts() if isinstance(frame, bytes)] == frames  # text may join what waits before


async def test_a_frame_goes_at_once_or_waits_if_there_is_room(socket: Socket) -> None:
    assert socket.outbox.add(b"1")
    await socket.clock.settle()
    assert socket.frames == [b"1"]
    socket.way.clear()
    taken = 0
    while socket.outbox.add(b"x" * 100):
        taken += 1
        await socket.clock.settle()
    assert taken > 2
    socket.way.set()
    await socket.clock.settle()
    assert socket.frames == [b"1", *[b"x" * 100] * taken]


async def test_a_frame_after_the_end_is_dropped(socket: Socket) -> None:
    socket.outbox.finish()
    assert socket.outbox.add(b"late")
    assert socket.frames == []
