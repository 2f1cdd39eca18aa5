"""One alarm for all threads: each is looked at when it is due."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Final

from sulla.core.clock import Clock
from sulla.speech.sessions.buffer_clock import Moments
from sulla.speech.sessions.session import Line

GATHER_S: Final = 0.01
"""Between two looks: one at many lines costs little more than at one. What is due is done as of when it was due."""


class Alarm:
    """Rings for a line when its buffer has something to do.

    A chunk mostly moves that time back. The line keeps its place even so, and gets its new one when the old time comes.

    Args:
        clock: waits.
        moments: the time of the buffers.
        ring: looks at a line. Must not raise.
    """

    def __init__(self, clock: Clock, moments: Moments, ring: Callable[[Line], None]) -> None:
        self._clock = clock
        self._moments = moments
        self._ring = ring
        self._heap: list[tuple[int, int, Line]] = []
        self._count = count()
        self._sooner = asyncio.Event()

    def arm(self, line: Line) -> None:
        """Ring when it is due next."""
        due_ms = line.voice.buffer.due_ms
        if due_ms is None or (line.armed_ms is not None and line.armed_ms <= due_ms):
            return
        line.armed_ms = due_ms
        heapq.heappush(self._heap, (due_ms, next(self._count), line))
        if self._heap[0][2] is line:
            self._sooner.set()

    async def run(self) -> None:
        """Ring until cancelled."""
        while True:
            if self._rang():
                await self._clock.sleep(GATHER_S)
                continue
            self._sooner.clear()
            if not self._heap:
                await self._sooner.wait()
            elif (wait_s := self._moments.seconds_until(self._heap[0][0])) > 0:
                with suppress(TimeoutError):
                    async with self._clock.timeout(wait_s):
                        await self._sooner.wait()

    def _rang(self) -> bool:
        """Look at every line whose time has come; whether there was one."""
        now_ms = self._moments.now_ms()
        if not self._heap or self._heap[0][0] > now_ms:
            return False
        while self._heap and self._heap[0][0] <= now_ms:
            at_ms, _, line = heapq.heappop(self._heap)
            if line.armed_ms != at_ms or line.over:  # another entry counts, or none
                continue
            line.armed_ms = None
            if (due_ms := line.voice.buffer.due_ms) is not None and due_ms <= now_ms:
                self._ring(line)
            self.arm(line)
        return True
