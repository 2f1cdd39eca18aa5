"""A daemon that is told to stop while it starts does not wait for what its start waits for."""

from __future__ import annotations

import asyncio

import pytest

from sulla.host.supervision.stop import StartGivenUp, Stop


async def _start(stop: Stop, done: list[str]) -> None:
    with stop.gives_up():
        try:
            await asyncio.Event().wait()
        finally:
            done.append("let go")
    done.append("ready")


@pytest.mark.parametrize("how", ["ask", "signal", "hang_up"])
async def test_a_start_that_waits_is_given_up_however_it_is_told(how: str) -> None:
    stop, done = Stop(), list[str]()
    starting = asyncio.create_task(_start(stop, done))
    await asyncio.sleep(0)
    stop.ask(now=False) if how == "ask" else getattr(stop, how)()
    with pytest.raises(StartGivenUp):
        await starting
    assert done == ["let go"]
    assert not stop.insisted.is_set()


async def test_what_was_said_before_the_start_begins_counts() -> None:
    stop = Stop()
    stop.signal()
    with pytest.raises(StartGivenUp):
        await _start(stop, [])


async def test_a_start_that_is_cancelled_by_others_is_no_stop() -> None:
    stop = Stop()
    starting = asyncio.create_task(_start(stop, []))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_behind_the_start_a_stop_cancels_nothing_and_a_second_one_insists() -> None:
    stop = Stop()
    with stop.gives_up():
        await asyncio.sleep(0)
    stop.signal()
    await asyncio.sleep(0)
    assert (stop.asked.is_set(), stop.insisted.is_set()) == (True, False)
    stop.hang_up()
    assert not stop.insisted.is_set(), "a terminal that closes may say so twice"
    stop.signal()
    assert stop.insisted.is_set()
