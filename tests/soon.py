"""Promises of how soon something happens, held on a machine that may stand still for a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeVar

from sulla.host.system import SystemClock

T = TypeVar("T")

TRIES = 6
"""A machine that is busy spoils some of so many tries; what waits for longer than it may is late in each."""

PATIENCE_S = 50.0

_PAUSE_S = 0.01


def pause() -> None:
    """Leave the machine to others between two looks for what only they bring about: a test that looks on and on takes
    the processor from the very process that it waits for. The test's own deadline ends it.
    """
    time.sleep(_PAUSE_S)


def until(holds: Callable[[], object], what: str = "it") -> None:
    """Look until something holds that others bring about.

    Args:
        holds: looks.
        what: it is, for whoever waits in vain.
    """
    clock = SystemClock()
    end_s = clock.elapsed() + PATIENCE_S
    while not holds():
        assert clock.elapsed() < end_s, f"waited in vain: {what}"
        pause()


async def a_pause() -> None:
    """The same where a loop runs; what only this process brings about needs ``asyncio.sleep(0)``, or an event."""
    await SystemClock().sleep(_PAUSE_S)


class PatientClock(SystemClock):
    """Real time, in which nobody gives up on somebody who only stands still for a moment."""

    patience_s = PATIENCE_S
    """How long everybody is waited for; a test that wants to see deadlines makes it 0 for a while."""

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """A block that is cancelled much later than it asks for: only if something hangs."""
        return super().timeout(max(seconds, self.patience_s))


def attempts(within_s: float) -> Iterator[list[float]]:
    """Turns of a loop, which ends with the first one that was quick enough.

    Args:
        within_s: how long what is tried may take.

    Yields:
        A list to which each turn adds how long it took, in seconds.
    """
    took: list[float] = []
    for turn in range(1, TRIES + 1):
        yield took
        assert len(took) == turn, "this turn did not tell how long it took"
        if took[-1] <= within_s:
            return
    raise AssertionError(f"none of {TRIES} tries took at most {within_s:g} s: {took}")


def undisturbed(once: Callable[[int], T], was: Callable[[T], bool]) -> T:
    """What came of the first try in which nobody stood still while it mattered; of the last one if there was none.

    Args:
        once: makes a try, and is told how many came before it.
        was: whether what came of it shows that times were kept.
    """
    found = once(0)
    for turn in range(1, TRIES):
        if was(found):
            break
        found = once(turn)
    return found


def queued_s() -> float:
    """How long this process has waited for a processor so far, while others had them; 0 where no kernel tells."""
    return sum(int(one.read_text().split()[1]) for one in Path("/proc/self/task").glob("*/schedstat")) / 1e9
