"""Watches the event loop from a thread of its own: what keeps it from turning is written down while it does."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable

from sulla.core.clock import Clock
from sulla.telemetry.beats import BEAT_S, LoopBeats, LoopResumed, LoopStalled, ProcessFrozen

log = logging.getLogger(__name__)


class StallWatch:
    """Says so when the loop stands still, with what its thread is doing.

    Args:
        clock: all time; its `elapsed` is read on two threads.
        late: is told how late each beat was, in seconds; on the loop.
    """

    def __init__(self, clock: Clock, late: Callable[[float], None]) -> None:
        self._clock = clock
        self._late = late
        self._beats = LoopBeats(clock.elapsed())
        self._over = threading.Event()
        self._watched = 0

    @property
    def stalls(self) -> int:
        """How often the loop has stood still."""
        return self._beats.stalls

    def stalled_within(self, seconds: float) -> bool:
        """Whether it has, in the last so many seconds."""
        at_s = self._beats.stalled_s
        return at_s is not None and self._clock.elapsed() - at_s < seconds

    async def run(self) -> None:
        """Beat on the loop, and look from beside it, until cancelled."""
        self._watched = threading.get_ident()
        self._beats.begin(self._clock.elapsed())
        thread = threading.Thread(target=self._look_on, name="stall watch", daemon=True)
        thread.start()
        try:
            while True:
                await self._clock.sleep(BEAT_S)
                self._late(self._beats.beat(self._clock.elapsed()))
        finally:
            self._over.set()

    def _look_on(self) -> None:
        while not self._over.wait(BEAT_S):
            self.look()

    def look(self) -> None:
        """Look once, and say what there is to say."""
        match self._beats.look(self._clock.elapsed()):
            case LoopStalled(late_s):
                frame = sys._current_frames().get(self._watched)
                stack = "".join(traceback.format_stack(frame)) if frame is not None else "it is gone"
                log.warning("the event loop stands still for %.1f s; it is doing this:\n%s", late_s, stack)
            case LoopResumed(late_s):
                log.warning("the event loop turns again; it stood still for %.1f s", late_s)
            case ProcessFrozen(for_s):
                log.warning("this process did not run for %.1f s: the machine slept, or was too busy", for_s)
            case None:
                return
