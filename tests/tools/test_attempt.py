from __future__ import annotations

import asyncio
import logging

import pytest

from sulla.testing.clock import ManualClock
from sulla.tools.attempt import GRACE_S, within


async def answer() -> int:
    return 42


async def test_what_ends_in_time_is_passed_on() -> None:
    assert await within(ManualClock(), 1, answer(), "t") == 42


async def test_what_it_raises_is_passed_on_a_time_out_of_its_own_too() -> None:
    async def fail() -> int:
        raise TimeoutError("the server")

    with pytest.raises(TimeoutError, match="the server"):
        await within(ManualClock(), 1, fail(), "t")


async def test_out_of_time_it_is_cancelled_and_may_put_its_things_in_order() -> None:
    clock, tidied = ManualClock(), asyncio.Event()

    async def work() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            await clock.sleep(GRACE_S / 2)
            tidied.set()
        return 0

    waiting = asyncio.ensure_future(within(clock, 5, work(), "t"))
    await clock.advance(5)
    assert not waiting.done()
    await clock.advance(GRACE_S / 2)
    with pytest.raises(TimeoutError):
        await waiting
    assert tidied.is_set()


async def test_what_goes_wrong_in_the_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock()

    async def work() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("not tidy")

    waiting = asyncio.ensure_future(within(clock, 5, work(), "broom"))
    with caplog.at_level(logging.WARNING, "sulla"):
        await clock.advance(5)
        with pytest.raises(TimeoutError):
            await waiting
    [record] = caplog.records
    assert record.message == "a tool failed while it was being cut off"
    assert record.__dict__["tool"] == "broom"


async def test_what_does_not_end_is_left_behind_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    clock, go = ManualClock(), asyncio.Event()

    async def work() -> int:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue
        return 0

    waiting = asyncio.ensure_future(within(clock, 5, work(), "deaf"))
    await clock.advance(5)
    assert not waiting.done()
    await clock.advance(GRACE_S)
    with pytest.raises(TimeoutError):
        await waiting
    assert "it is left behind" in caplog.text
    go.set()
    await asyncio.sleep(0)
