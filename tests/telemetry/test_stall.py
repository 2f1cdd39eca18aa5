"""A loop that really stands still is caught in the act, with what it is doing."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from sulla.host.system import SystemClock
from sulla.telemetry.beats import BEAT_S, LATE_S
from sulla.telemetry.stall import StallWatch
from sulla.testing.clock import ManualClock

PATIENCE_S = 50.0


class _Waiting(logging.Handler):
    """Lets the test know when something was said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.stalled = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())
        if "stands still" in self.said[-1]:
            self.stalled.set()


def test_the_stack_of_a_blocked_loop_is_written_down_while_it_is_blocked() -> None:
    heard = _Waiting()
    logger = logging.getLogger("sulla.telemetry.stall")
    logger.addHandler(heard)
    late: list[float] = []

    def a_call_that_blocks() -> None:
        assert heard.stalled.wait(PATIENCE_S), "nobody noticed"

    async def live() -> None:
        watch = StallWatch(SystemClock(), late.append)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(watch.run())
            while not late:
                await asyncio.sleep(0)
            a_call_that_blocks()
            while not any("turns again" in text for text in heard.said):
                await asyncio.sleep(0)
            assert watch.stalls >= 1  # on a busy machine it may have stood still before
            assert watch.stalled_within(60.0)
            running.cancel()

    try:
        asyncio.run(asyncio.wait_for(live(), PATIENCE_S))
    finally:
        logger.removeHandler(heard)
    (stalled,) = (text for text in heard.said if "a_call_that_blocks" in text)
    assert stalled.startswith("the event loop stands still for ")
    assert "in live" in stalled
    assert heard.said[-1].startswith("the event loop turns again; it stood still for ")
    assert max(late) >= LATE_S


async def test_each_beat_is_measured_and_nothing_goes_on_after_the_end(manual_clock: ManualClock) -> None:
    late: list[float] = []
    watch = StallWatch(manual_clock, late.append)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watch.run())
        await manual_clock.advance(4 * BEAT_S)
        running.cancel()
    assert late == [0.0] * 4
    assert not watch.stalled_within(60.0)
    watching = [thread for thread in threading.enumerate() if thread.name == "stall watch"]
    for thread in watching:
        thread.join(PATIENCE_S)
    assert not any(thread.is_alive() for thread in watching)


async def test_what_was_before_it_is_watched_is_no_stall(
    manual_clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    watch = StallWatch(manual_clock, lambda late_s: None)
    await manual_clock.advance(5.0)  # a daemon is made
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watch.run())
        await manual_clock.advance(0.0)
        watch.look()
        running.cancel()
    assert caplog.messages == []


def test_a_machine_that_slept_is_told_as_such(caplog: pytest.LogCaptureFixture) -> None:
    clock = ManualClock()
    watch = StallWatch(clock, lambda late_s: None)
    clock._elapsed += 3600.0
    watch.look()
    (said,) = caplog.messages
    assert said == "this process did not run for 3599.8 s: the machine slept, or was too busy"
    assert watch.stalls == 0
