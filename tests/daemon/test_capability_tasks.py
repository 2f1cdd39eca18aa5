"""Background tasks of capabilities: whose they are is said where they fail, and none holds up the daemon's end."""

from __future__ import annotations

import asyncio
import logging

import pytest

from sulla.core.clock import Clock
from sulla.daemon.capability_tasks import END_S, go_on
from sulla.testing.clock import ManualClock


def said(caplog: pytest.LogCaptureFixture) -> list[tuple[int, str]]:
    """What the log says of tasks; the loop has its own words for those that are left."""
    return [
        (record.levelno, record.getMessage()) for record in caplog.records if record.name.startswith("sulla.daemon")
    ]


class Stubborn:
    """Goes on whatever it is told, until it is let go."""

    def __init__(self) -> None:
        self.began, self.told, self.let_go = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        """Swallow every cancellation."""
        self.began.set()
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                self.told.set()


async def test_a_task_that_swallows_its_cancellation_is_named_and_left(
    manual_clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    stubborn = Stubborn()
    going = asyncio.create_task(go_on("garden", "watering", stubborn.run, manual_clock))
    await stubborn.began.wait()
    going.cancel()
    await stubborn.told.wait()
    await manual_clock.advance(END_S)
    with pytest.raises(asyncio.CancelledError):
        await going
    words = "the task 'watering' of the capability 'garden' goes on 5.0 s after it was told to end: it is left"
    assert said(caplog) == [(logging.ERROR, words)]
    stubborn.let_go.set()


def test_the_loop_ends_though_a_task_of_a_capability_does_not(caplog: pytest.LogCaptureFixture) -> None:
    async def main(clock: ManualClock) -> Stubborn:
        stubborn = Stubborn()
        going = asyncio.create_task(go_on("garden", "watering", stubborn.run, clock))
        await stubborn.began.wait()
        going.cancel()
        await stubborn.told.wait()
        await clock.advance(END_S)
        await asyncio.wait({going})
        return stubborn

    with asyncio.Runner() as runner:
        stubborn = runner.run(main(ManualClock()))
    assert not stubborn.let_go.is_set()
    assert [words for _, words in said(caplog) if words.endswith("it is left")]


async def test_a_task_that_ends_as_it_is_told_is_cancelled_and_nothing_is_said(
    manual_clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    began = asyncio.Event()

    async def good() -> None:
        began.set()
        await asyncio.Event().wait()

    going = asyncio.create_task(go_on("garden", "watering", good, manual_clock))
    await began.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert said(caplog) == []


@pytest.mark.parametrize("told", [False, True])
async def test_a_task_that_fails_is_named_also_while_it_ends(
    manual_clock: Clock, caplog: pytest.LogCaptureFixture, told: bool
) -> None:
    began, go = asyncio.Event(), asyncio.Event()

    async def bad() -> None:
        began.set()
        try:
            await go.wait()
        finally:
            raise ZeroDivisionError("by nought")

    going = asyncio.create_task(go_on("garden", "watering", bad, manual_clock))
    await began.wait()
    if told:
        going.cancel()
    else:
        go.set()
    with pytest.raises(ZeroDivisionError):
        await going
    assert said(caplog) == [
        (logging.ERROR, "the task 'watering' of the capability 'garden' failed, which ends the daemon")
    ]
