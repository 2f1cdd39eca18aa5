"""Time that a test moves: whatever can run has run when it goes on, and a clock with nothing to do takes no time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Generator
from types import coroutine

import pytest

from sulla.testing.clock import ManualClock


@coroutine
def turn() -> Generator[None, None, None]:
    """Let the event loop turn once."""
    yield


class Turns:
    """Counts how often the event loop turns, for as long as somebody keeps it busy."""

    def __init__(self) -> None:
        self.counted = 0

    async def count(self, many: int) -> None:
        """Wait for so many turns."""
        for _ in range(many):
            await asyncio.sleep(0)
            self.counted += 1


async def test_settling_lets_run_whatever_needs_no_time() -> None:
    clock, turns = ManualClock(), Turns()
    task = asyncio.ensure_future(turns.count(40))
    await clock.settle()
    assert (task.done(), turns.counted) == (True, 40)


async def test_settling_ends_although_somebody_never_rests() -> None:
    clock, turns = ManualClock(), Turns()
    task = asyncio.ensure_future(turns.count(1_000_000))
    await clock.settle()
    assert 40 <= turns.counted <= 60
    task.cancel()


async def test_a_chain_of_sleepers_is_woken_at_each_ones_time() -> None:
    clock, woken = ManualClock(), list[float]()
    began = clock.elapsed()

    async def sleeper() -> None:
        for _ in range(5):
            await clock.sleep(2)
            await asyncio.sleep(0)
            woken.append(clock.elapsed() - began)

    task = asyncio.ensure_future(sleeper())
    await clock.advance(9)
    assert woken == [2, 4, 6, 8]
    await clock.advance(1)
    assert (woken[-1], task.done()) == (10, True)


async def test_with_nothing_left_to_run_the_loop_turns_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, turns = ManualClock(), list[float]()

    async def counted(seconds: float) -> None:
        turns.append(seconds)
        await turn()

    monkeypatch.setattr(asyncio, "sleep", counted)
    await clock.settle()
    assert turns == [0]


async def test_what_a_socket_may_bring_is_waited_for_as_long_as_ever() -> None:
    clock, heard = ManualClock(), list[bytes]()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        loop = asyncio.get_running_loop()
        loop.add_reader(ours, lambda: heard.append(ours.recv(100)))
        theirs.send(b"hello")
        await clock.settle()
        loop.remove_reader(ours)
    assert heard == [b"hello"]
