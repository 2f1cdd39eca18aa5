"""Which threads are spoken in here: taken up, laid down again, and taken over from a daemon that is gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Busy, StoreUnavailable, SullaError
from sulla.core.ids import ThreadId
from sulla.speech.late_detector import LateDetector
from sulla.speech.limits import SpeechLimits
from sulla.speech.log.log import SpeechLog
from sulla.speech.log.logs import Logs
from sulla.speech.log.records import Left
from sulla.speech.log.segments import Found, all_of, origin_of
from sulla.speech.log.thread_speech import Voice
from sulla.speech.sessions.buffer_clock import Moments
from sulla.speech.sessions.parked import Rests
from sulla.speech.sessions.session import Line
from sulla.speech.turn_taking.kept import moved
from sulla.store import Store
from sulla.threads import ThreadStore

log = logging.getLogger(__name__)

REST_S: Final = 10.0
"""A thread that nobody has spoken in for so long is laid down."""


@dataclass(slots=True)
class _Gate:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Lines:
    """The threads that are spoken in here, and the logs that it is written down in.

    Args:
        store: where speech is kept.
        threads: where conversations are.
        clock: all time.
        moments: the time of the buffers.
        owner: ``<home id>:<boot nonce>``.
        limits: bounds.
        detector: reads what is said.
        begin: has something done beside.
    """

    def __init__(
        self,
        store: Store,
        threads: ThreadStore,
        clock: Clock,
        moments: Moments,
        owner: str,
        limits: SpeechLimits,
        detector: LateDetector,
        begin: Callable[[Coroutine[object, object, None]], bool],
    ) -> None:
        self._threads = threads
        self._clock = clock
        self._moments = moments
        self._limits = limits
        self._detector = detector
        self.logs = Logs(store, clock, owner, limits, detector, self._everything, begin, self._lost)
        self._rests = Rests(store, clock, owner, limits.ttl_s, self._ours)
        self._lines: dict[ThreadId, Line] = {}
        self._laying: dict[ThreadId, Line] = {}
        """Half laid down: nobody may speak there before that is done, or what is kept of them would be out of date."""
        self._others: list[Line] = []
        """Of threads that have a line already: two daemons have each taken down a part of what was said."""
        self._gates: dict[ThreadId, _Gate] = {}
        self._making = asyncio.Lock()
        self._coming = 0
        self._taken: list[Found] = []
        """A log that was taken over, and nobody looks after it yet."""

    def get(self, thread_id: ThreadId) -> Line | None:
        """The line of a thread, if it is spoken in here."""
        return self._lines.get(thread_id)

    def all(self) -> list[Line]:
        """Every line."""
        return [*self._lines.values(), *self._laying.values(), *self._others]

    async def check_elsewhere(self, thread_id: ThreadId) -> None:
        """Do nothing if there is such a thread, and no other daemon takes down what is said in it.

        Raises:
            NotFound: there is no such thread.
            Busy: another daemon does.
            StoreUnavailable: the store does not answer.
        """
        await self._threads.get(thread_id)
        await self._rests.check(thread_id)

    async def take_up(self, thread_id: ThreadId) -> Line:
        """The line of a thread, made if there is none.

        Raises:
            NotFound: there is no such thread.
            Busy: another daemon has it, or too many threads are spoken in.
            StoreUnavailable: the store does not answer.
        """
        async with self._gate(thread_id):
            if (line := self._lines.get(thread_id)) is not None:
                return line
            if (line := self._laying.get(thread_id)) is not None:
                await self._put_down(line)
            await self._threads.get(thread_id)
            self._coming += 1
            try:
                await self._make_room()
                kept_in = await self.logs.open()
                known = await self._rests.take_up(thread_id, self._moments.now_ms())
                # Lost, or removed because nobody was in it: who looked in between found the thread free.
                while kept_in.closed:
                    kept_in = await self.logs.open()
                    known = await self._rests.take_up(thread_id, self._moments.now_ms())
                kept_in.add(known)
                voice = Voice.brought(known, kept_in.profile, self._detector)
                line = self._lines[thread_id] = Line(voice, kept_in, self._clock.elapsed())
            finally:
                self._coming -= 1
            return line

    def leave(self, line: Line, error: SullaError) -> None:
        """It is not here any more: the thread is gone, or somebody else has taken it over."""
        line.leave(error)
        if not line.log.lost:
            line.log.add(Left(line.voice.thread_id, self._moments.now_ms()))
        self._drop(line)

    async def forget(self, thread_id: ThreadId) -> None:
        """Remove what is kept of a thread that nobody speaks in.

        Raises:
            StoreUnavailable: the store does not answer; it is forgotten by itself.
        """
        await self._rests.forget(thread_id)

    # ---------------------------------------------------------------------------------------------- looking after it

    async def renew(self) -> None:
        """Keep the logs, and say again which threads are here."""
        await self.logs.renew()
        now_s = self._clock.elapsed()
        for line in list(self._lines.values()):  # not the others: somebody else says so of their threads
            if not line.over and now_s - line.claimed_s > self._limits.ttl_s / 2:
                if await self._rests.claim(line.voice.all_of_it(), line.log.origin):
                    line.claimed_s = now_s
                elif self._lines.get(line.voice.thread_id) is line:
                    # What was said here is delivered, and what comes now is the other one's.
                    self._others.append(self._lines.pop(line.voice.thread_id))

    async def lay_down(self) -> None:
        """Let go of threads that nobody speaks in."""
        now_s = self._clock.elapsed()
        for thread_id, line in list(self._laying.items()):
            async with self._gate(thread_id):
                if self._laying.get(thread_id) is line:
                    await self._put_down(line)
        for line in self.all():
            if line.voice.is_idle and now_s - line.spoke_s > REST_S:
                await self._lay_down(line)

    async def close_logs(self) -> None:
        """Remove logs that nobody is written down in."""
        await self.logs.close_unused(lambda one: any(line.log is one for line in self.all()))
        if not self.logs and not self._coming and not self._taken:
            self._moments.set()

    async def take_over(self, found: Callable[[Line], None]) -> None:
        """Take over what daemons have left behind that are gone: the one before this one at once.

        Args:
            found: is told of each line that is here now, too.

        Raises:
            StoreUnavailable: the store does not answer; what is left is taken over the next time.
        """
        while True:
            if not self._taken:
                self._taken = await self.logs.take_over()
            if not self._taken:
                return
            old = await self._outdated(self._taken[0])
            for line in self._adopt(self._taken.pop(), old):
                found(line)

    async def _outdated(self, taken: Found) -> Collection[ThreadId]:
        """Threads that somebody else has taken up since: what the log knows of them is owed, and no more."""
        origin, old = origin_of(taken.segment.key), set[ThreadId]()
        for thread_id, voice in taken.voices.items():
            if not await self._rests.take_over(voice.all_of_it(), origin):
                old.add(thread_id)
        return old

    def _adopt(self, taken: Found, old: Collection[ThreadId]) -> list[Line]:
        kept_in, lines = self.logs.start(taken), []
        for thread_id, voice in taken.voices.items():
            line = Line(self._in_time(voice, kept_in), kept_in, self._clock.elapsed())
            lines.append(line)
            if thread_id in old or thread_id in self._lines or thread_id in self._laying:
                self._others.append(line)
            else:
                self._lines[thread_id] = line
        log.info("%s: %d threads that were spoken in are taken up", kept_in.key, len(lines))
        return lines

    # -------------------------------------------------------------------------------------------------- private

    def _ours(self, thread_id: ThreadId) -> Collection[str]:
        """Logs that are in no thread's way: none if this one was taken over while somebody spoke in it."""
        return () if thread_id in self._lines else self.logs.keys()

    def _in_time(self, voice: Voice, kept_in: SpeechLog) -> Voice:
        """Speech that was written down by a clock ahead of ours goes on from now. Nobody who speaks is hurried."""
        known, now_ms = voice.all_of_it(), self._moments.now_ms()
        if known.at_ms <= now_ms:
            return voice
        known = replace(known, at_ms=now_ms, kept=moved(known.kept, now_ms - known.at_ms))
        kept_in.add(known)
        return Voice.brought(known, kept_in.profile, self._detector)

    @asynccontextmanager
    async def _gate(self, thread_id: ThreadId) -> AsyncIterator[None]:
        """One after the other, for each thread."""
        gate = self._gates.setdefault(thread_id, _Gate())
        gate.users += 1
        try:
            async with gate.lock:
                yield
        finally:
            gate.users -= 1
            if not gate.users:
                del self._gates[thread_id]

    async def _make_room(self) -> None:
        while len(self._lines) + self._coming > self._limits.max_live:
            line = min(
                (one for one in self._lines.values() if one.voice.is_idle), key=lambda one: one.spoke_s, default=None
            )
            if line is None:
                raise Busy(
                    f"{self._limits.max_live} threads are spoken in at once, as speech.max_live allows; try again soon",
                    retry_after_s=1.0,
                )
            await self._lay_down(line)

    async def _lay_down(self, line: Line) -> None:
        thread_id = line.voice.thread_id
        if line in self._others:
            self.leave(line, StoreUnavailable("nobody waits for it"))
            return
        async with self._gate(thread_id):
            if self._lines.get(thread_id) is not line or not line.voice.is_idle:
                return
            # Whoever speaks now waits at the gate, and finds it where it is laid.
            self._laying[thread_id] = self._lines.pop(thread_id)
            await self._put_down(line)

    async def _put_down(self, line: Line) -> None:
        await self._rests.lay_down(line.voice.all_of_it(), line.log.origin)
        self.leave(line, StoreUnavailable("nobody waits for it"))

    def _drop(self, line: Line) -> None:
        for lines in (self._lines, self._laying):
            if lines.get(line.voice.thread_id) is line:
                del lines[line.voice.thread_id]
        if line in self._others:
            self._others.remove(line)

    def _lost(self, one: SpeechLog) -> None:
        for line in [line for line in self.all() if line.log is one]:
            self.leave(line, StoreUnavailable("another daemon has taken this speech over", retry_after_s=1.0))

    def _everything(self, one: SpeechLog) -> list[bytes]:
        return all_of(line.voice for line in self.all() if line.log is one)
