"""The time limit of a whole reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.models.wire.deadline import RequestDeadline, drain
from sulla.testing.clock import ManualClock


class _Connection:
    def __init__(self) -> None:
        self.closed = 0

    async def close(self) -> None:
        self.closed += 1


async def test_it_closes_the_connection_when_the_time_is_up() -> None:
    clock, connection = ManualClock(), _Connection()
    deadline = RequestDeadline(clock, 10, connection.close)
    await clock.advance(9.9)
    assert (deadline.passed, connection.closed) == (False, 0)
    await clock.advance(0.2)
    assert (deadline.passed, connection.closed) == (True, 1)
    await deadline.stop()


async def test_a_reply_in_time_is_left_alone() -> None:
    clock, connection = ManualClock(), _Connection()
    deadline = RequestDeadline(clock, 10, connection.close)
    await deadline.stop()
    await clock.advance(20)
    assert (deadline.passed, connection.closed) == (False, 0)
    await deadline.stop()


async def test_nothing_keeps_running_when_it_is_stopped() -> None:
    before = asyncio.all_tasks()
    deadline = RequestDeadline(ManualClock(), 10, _Connection().close)
    await deadline.stop()
    assert asyncio.all_tasks() == before


async def test_a_connection_that_cannot_be_closed_is_no_secret() -> None:
    async def close() -> None:
        raise OSError("will not close")

    clock = ManualClock()
    deadline = RequestDeadline(clock, 1, close)
    await clock.advance(2)
    with pytest.raises(OSError, match="will not close"):
        await deadline.stop()


async def test_draining_gives_up_after_its_time() -> None:
    async def endless() -> AsyncIterator[bytes]:
        yield b"rest"
        await asyncio.Event().wait()

    clock = ManualClock()
    draining = asyncio.create_task(drain(endless(), clock))
    await clock.advance(0.2)
    assert not draining.done()
    await clock.advance(0.1)
    await draining


async def test_draining_passes_over_the_connections_errors_alone() -> None:
    async def failing(error: Exception) -> AsyncIterator[bytes]:
        yield b"rest"
        raise error

    await drain(failing(OSError()), ManualClock(), OSError)
    with pytest.raises(ValueError, match="ours"):
        await drain(failing(ValueError("ours")), ManualClock(), OSError)
