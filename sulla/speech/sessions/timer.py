"""One timer for the deadlines of all sessions: the end of a pause, the longest turn."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Final

from sulla.core.clock import Clock
from sulla.speech.sessions.buffer_clock import BufferClock
from sulla.speech.sessions.session import SpeechSession

GATHER_S: Final = 0.01
"""Between two looks: one at many sessions costs little more than at one. What is due is done as of when it was due."""


class SessionTimer:
    """Calls back when a session's buffer has something to do. One task and a heap of deadlines do for all.

    A chunk mostly moves that time back. The session keeps its place in the heap even so, and gets the new one when the
    old time comes.

    Args:
        clock: waits.
        buffer_clock: the time of the buffers.
        ring: looks at a session. Must not raise.
    """

    def __init__(self, clock: Clock, buffer_clock: BufferClock, ring: Callable[[SpeechSession], None]) -> None:
        self._clock = clock
        self._buffer_clock = buffer_clock
        self._ring = ring
        self._heap: list[tuple[int, int, SpeechSession]] = []
        self._count = count()
        self._sooner = asyncio.Event()

    def arm(self, session: SpeechSession) -> None:
        """Ring when it is due next."""
        due_ms = session.speech.buffer.due_ms
        if due_ms is None or (session.armed_ms is not None and session.armed_ms <= due_ms):
            return
        session.armed_ms = due_ms
        heapq.heappush(self._heap, (due_ms, next(self._count), session))
        if self._heap[0][2] is session:
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
            elif (wait_s := self._buffer_clock.seconds_until(self._heap[0][0])) > 0:
                with suppress(TimeoutError):
                    async with self._clock.timeout(wait_s):
                        await self._sooner.wait()

    def _rang(self) -> bool:
        """Look at every session whose time has come; whether there was one."""
        now_ms = self._buffer_clock.now_ms()
        if not self._heap or self._heap[0][0] > now_ms:
            return False
        while self._heap and self._heap[0][0] <= now_ms:
            at_ms, _, session = heapq.heappop(self._heap)
            if session.armed_ms != at_ms or session.over:  # another entry counts, or none
                continue
            session.armed_ms = None
            if (due_ms := session.speech.buffer.due_ms) is not None and due_ms <= now_ms:
                self._ring(session)
            self.arm(session)
        return True
