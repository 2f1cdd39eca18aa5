from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.gateway.server.head_deadlines import HeadDeadlines
from sulla.testing.clock import ManualClock

LIMIT_S = 4.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def heads(clock: ManualClock) -> AsyncIterator[HeadDeadlines]:
    made = HeadDeadlines(clock, LIMIT_S)
    running = asyncio.ensure_future(made.run())
    await clock.settle()
    yield made
    running.cancel()
    await asyncio.wait((running,))


async def test_who_takes_too_long_is_cut_once(heads: HeadDeadlines, clock: ManualClock) -> None:
    cut: list[str] = []
    heads.watch("slow", lambda: cut.append("slow"))
    await clock.advance(LIMIT_S - 0.1)
    heads.watch("slow", lambda: cut.append("again"))
    heads.watch("later", lambda: cut.append("later"))
    assert cut == []
    await clock.advance(LIMIT_S / 4)
    assert cut == ["slow"]
    await clock.advance(2 * LIMIT_S)
    assert cut == ["slow", "later"]


async def test_who_is_done_in_time_is_left_alone(heads: HeadDeadlines, clock: ManualClock) -> None:
    cut: list[str] = []
    heads.watch("quick", lambda: cut.append("quick"))
    await clock.advance(LIMIT_S / 2)
    heads.unwatch("quick")
    heads.unwatch("nobody")
    await clock.advance(2 * LIMIT_S)
    assert cut == []


async def test_nothing_wakes_up_while_nobody_is_waited_for(heads: HeadDeadlines, clock: ManualClock) -> None:
    heads.watch("quick", lambda: None)
    await clock.settle()
    heads.unwatch("quick")
    await clock.advance(LIMIT_S)
    assert clock.sleepers == 0
