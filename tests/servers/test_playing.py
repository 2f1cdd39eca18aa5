"""How fakes send what they say."""

from __future__ import annotations

import asyncio

import pytest

from sulla.testing.clock import ManualClock
from tests.servers.playing import Event, cut, play
from tests.servers.script import Reply
from tests.servers.wire import WireResponse

EVENTS = [Event(b"begin;"), Event(b"one;", shows_text=True), Event(b"two;", shows_text=True), Event(b"end;")]


class Recorded(WireResponse):
    """Keeps what is sent instead of sending it."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.how = ""

    async def send(self, data: bytes) -> None:
        self.sent.append(data)

    async def end(self) -> None:
        self.how = "end"

    def cut(self) -> None:
        self.how = "cut"


async def played(reply: Reply) -> tuple[Recorded, str, list[int]]:
    response, held = Recorded(), list[int]()

    async def hold(name: str) -> None:
        held.append(len(response.sent))

    return response, await play(EVENTS, reply, response, ManualClock(), hold), held


def test_a_text_is_cut_into_pieces() -> None:
    assert cut("abcdefg", 3) == ["abc", "def", "g"]
    assert cut("", 3) == []
    assert cut("ab", 9) == ["a", "b"]


async def test_all_is_sent_piece_by_piece() -> None:
    response, how, held = await played(Reply())
    assert response.sent == [event.data for event in EVENTS]
    assert (response.how, how, held) == ("end", "done", [])
    assert (await played(Reply(broken="x")))[1] == "failed"


@pytest.mark.parametrize("after", [0, 3, 6, 8, 17])
@pytest.mark.parametrize("lump", [0, 1, 4])
async def test_it_breaks_off_after_so_many_bytes(after: int, lump: int) -> None:
    response, how, _ = await played(Reply(cut_after=after, lump_bytes=lump))
    assert b"".join(response.sent) == b"begin;one;two;end;"[:after]
    assert (response.how, how) == ("cut", "cut")
    assert (await played(Reply(cut_after=after, cut_how="end")))[0].how == "end"


async def test_it_rests_after_so_many_pieces_of_text() -> None:
    _, _, held = await played(Reply(hold="here", hold_after=1))
    assert held == [2], "after the first piece of text, until another has been shown"


async def test_slow_bytes_come_one_lot_at_a_time_on_the_clock() -> None:
    response, clock = Recorded(), ManualClock()

    async def never(name: str) -> None:
        raise AssertionError(name)

    sending = asyncio.create_task(play(EVENTS[:1], Reply(lump_bytes=2, delay_s=1.0), response, clock, never))
    for sent in (0, 1, 2):
        await clock.settle()
        assert len(response.sent) == sent
        await clock.advance(1.0)
    assert await sending == "done"
    assert response.sent == [b"be", b"gi", b"n;"]
