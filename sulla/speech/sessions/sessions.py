"""A daemon's sessions: begun with the first chunk, parked in a silence, taken over from a daemon that is gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from dataclasses import replace
from typing import Final
from weakref import WeakValueDictionary

from sulla.core.clock import Clock
from sulla.core.errors import Busy, StoreUnavailable, SullaError
from sulla.core.ids import ThreadId
from sulla.speech.late_detector import LateDetector
from sulla.speech.limits import SpeechLimits
from sulla.speech.log.log import SpeechLog
from sulla.speech.log.logs import SpeechLogs
from sulla.speech.log.records import ThreadLeft
from sulla.speech.log.segments import TakenOver, all_of, origin_of
from sulla.speech.log.thread_speech import ThreadSpeech
from sulla.speech.sessions.buffer_clock import BufferClock
from sulla.speech.sessions.parked import ParkedBuffers
from sulla.speech.sessions.session import SpeechSession
from sulla.speech.turn_taking.stored import moved, returned
from sulla.store.base import Store
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

REST_S: Final = 10.0
"""A thread that nobody has spoken in for so long is parked."""


class SpeechSessions:
    """Every `SpeechSession` of this daemon by thread, and the logs that they are written down in.

    A thread has one session in all daemons that share a store: `ParkedBuffers` sees to it.

    Args:
        store: where speech is kept.
        threads: where conversations are.
        clock: all time.
        buffer_clock: the time of the buffers.
        owner: ``<home id>:<boot nonce>``.
        limits: bounds.
        detector: reads what is said.
        begin: starts a task that lives as long as the daemon; says whether it could.

    Raises:
        StoreUnavailable: by every method that waits, when the store does not answer; the rest is done next time.
    """

    def __init__(
        self,
        store: Store,
        threads: ThreadStore,
        clock: Clock,
        buffer_clock: BufferClock,
        owner: str,
        limits: SpeechLimits,
        detector: LateDetector,
        begin: Callable[[Coroutine[object, object, None]], bool],
    ) -> None:
        self._threads = threads
        self._clock = clock
        self._buffer_clock = buffer_clock
        self._limits = limits
        self._detector = detector
        self.logs = SpeechLogs(store, clock, owner, limits, detector, self._everything, begin, self._lost)
        self._parked = ParkedBuffers(store, clock, owner, limits.ttl_s, self._ours)
        self._sessions: dict[ThreadId, SpeechSession] = {}
        self._others: list[SpeechSession] = []
        """Further sessions of a thread: two daemons each took down a part of what was said. Their turns are delivered,
        and nobody speaks in them any more."""
        self._gates: WeakValueDictionary[ThreadId, asyncio.Lock] = WeakValueDictionary()
        """A lock is gone when nobody holds it or waits for it."""
        self._coming = 0
        self._taken: list[TakenOver] = []
        """A log that was taken over and whose sessions have not begun; at most one."""

    def get(self, thread_id: ThreadId) -> SpeechSession | None:
        """The session of a thread, if it is spoken in here."""
        session = self._sessions.get(thread_id)
        return None if session is None or session.parking else session

    def all(self) -> list[SpeechSession]:
        """Every session."""
        return [*self._sessions.values(), *self._others]

    async def check_elsewhere(self, thread_id: ThreadId) -> None:
        """Do nothing if there is such a thread, and no other daemon takes down what is said in it.

        Raises:
            NotFound: there is no such thread.
            Busy: another daemon does.
        """
        await self._threads.get(thread_id)
        await self._parked.check(thread_id)

    async def take_up(self, thread_id: ThreadId) -> SpeechSession:
        """The session of a thread, made if there is none.

        Raises:
            NotFound: there is no such thread.
            Busy: another daemon has it, or too many threads are spoken in.
        """
        async with self._gate(thread_id):
            if (session := self._sessions.get(thread_id)) is not None:
                if not session.parking:
                    return session
                await self._park(session)
            await self._threads.get(thread_id)
            self._coming += 1
            try:
                await self._make_room()
                kept_in = await self.logs.open()
                known = await self._parked.take_up(thread_id, self._buffer_clock.now_ms())
                # Lost, or removed because nobody was in it: who looked in between found the thread free.
                while kept_in.closed:
                    kept_in = await self.logs.open()
                    known = await self._parked.take_up(thread_id, self._buffer_clock.now_ms())
                kept_in.add(known)
                speech = ThreadSpeech.brought(known, kept_in.profile, self._detector)
                session = self._sessions[thread_id] = SpeechSession(speech, kept_in, self._clock.elapsed())
            finally:
                self._coming -= 1
            return session

    def leave(self, session: SpeechSession, error: SullaError) -> None:
        """End a session without parking it: its thread is gone, or another daemon's."""
        session.leave(error)
        if not session.log.lost:
            session.log.add(ThreadLeft(session.speech.thread_id, self._buffer_clock.now_ms()))
        self._drop(session)

    async def forget(self, thread_id: ThreadId) -> None:
        """Remove what is kept of a thread that nobody speaks in."""
        await self._parked.forget(thread_id)

    # ---------------------------------------------------------------------------------------------- looking after it

    async def renew(self) -> None:
        """Renew the leases of the logs, and say again which threads are spoken in here before that is forgotten."""
        await self.logs.renew()
        now_s = self._clock.elapsed()
        for session in list(self._sessions.values()):  # not the others: somebody else says so of their threads
            if not session.over and not session.parking and now_s - session.claimed_s > self._limits.ttl_s / 2:
                if await self._parked.claim(session.speech.all_of_it(), session.log.origin):
                    session.claimed_s = now_s
                elif self.get(session.speech.thread_id) is session:
                    # What was said here is delivered, and what comes now is the other one's.
                    self._others.append(self._sessions.pop(session.speech.thread_id))

    async def park_idle(self) -> None:
        """Park the sessions that nobody speaks in."""
        now_s = self._clock.elapsed()
        for session in self.all():
            if session.parking or (session.speech.is_idle and now_s - session.spoke_s > REST_S):
                await self._park_if_idle(session)

    async def close_logs(self) -> None:
        """Remove logs that nobody is written down in."""
        await self.logs.close_unused(lambda one: any(session.log is one for session in self.all()))
        if not self.logs and not self._coming and not self._taken:
            self._buffer_clock.set()

    async def take_over(self, found: Callable[[SpeechSession], None]) -> None:
        """Take over what daemons have left behind that are gone: the one before this one at once.

        Args:
            found: is told of each session that is here now, too.
        """
        while True:
            if not self._taken:
                self._taken = await self.logs.take_over()
            if not self._taken:
                return
            old = await self._outdated(self._taken[0])
            for session in self._adopt(self._taken.pop(), old):
                found(session)

    async def _outdated(self, taken: TakenOver) -> Collection[ThreadId]:
        """Threads that somebody else has taken up since: what the log knows of them is owed, and no more."""
        origin, old = origin_of(taken.segment.key), set[ThreadId]()
        for thread_id, speech in taken.by_thread.items():
            if not await self._parked.take_over(speech.all_of_it(), origin):
                old.add(thread_id)
        return old

    def _adopt(self, taken: TakenOver, old: Collection[ThreadId]) -> list[SpeechSession]:
        kept_in, sessions = self.logs.start(taken), []
        for thread_id, speech in taken.by_thread.items():
            session = SpeechSession(self._in_time(speech, kept_in), kept_in, self._clock.elapsed())
            sessions.append(session)
            if thread_id in old or thread_id in self._sessions:
                self._others.append(session)
            else:
                self._sessions[thread_id] = session
        log.info("%s: %d threads that were spoken in are taken up", kept_in.key, len(sessions))
        return sessions

    # -------------------------------------------------------------------------------------------------- private

    def _ours(self, thread_id: ThreadId) -> Collection[str]:
        """Logs that are in no thread's way: none if this one was taken over while somebody spoke in it."""
        return () if self.get(thread_id) is not None else self.logs.keys()

    def _in_time(self, speech: ThreadSpeech, kept_in: SpeechLog) -> ThreadSpeech:
        """Speech that goes on from now: nobody could be heard meanwhile, and a clock that went ahead of ours hurries
        nobody.
        """
        known, now_ms = speech.all_of_it(), self._buffer_clock.now_ms()
        if known.stored.turn is None and known.at_ms <= now_ms:
            return speech
        stored = moved(known.stored, min(0, now_ms - known.at_ms))
        known = replace(known, at_ms=now_ms, stored=returned(stored, now_ms))
        kept_in.add(known)
        return ThreadSpeech.brought(known, kept_in.profile, self._detector)

    def _gate(self, thread_id: ThreadId) -> asyncio.Lock:
        """What is held while a session of a thread is made or parked."""
        return self._gates.setdefault(thread_id, asyncio.Lock())

    async def _make_room(self) -> None:
        while len(self._sessions) + self._coming > self._limits.max_live:
            here = [one for one in self._sessions.values() if not one.parking]
            if len(here) + self._coming <= self._limits.max_live:
                return
            session = min((one for one in here if one.speech.is_idle), key=lambda one: one.spoke_s, default=None)
            if session is None:
                raise Busy(
                    f"{self._limits.max_live} threads are spoken in at once, as speech.max_live allows; try again soon",
                    retry_after_s=1.0,
                )
            await self._park_if_idle(session)

    async def _park_if_idle(self, session: SpeechSession) -> None:
        thread_id = session.speech.thread_id
        if session in self._others:
            self.leave(session, StoreUnavailable("nobody waits for it"))
            return
        async with self._gate(thread_id):
            if self._sessions.get(thread_id) is session and (session.parking or session.speech.is_idle):
                await self._park(session)

    async def _park(self, session: SpeechSession) -> None:
        session.parking = True  # whoever speaks now waits at the gate, and finds what is parked
        await self._parked.park(session.speech.all_of_it(), session.log.origin)
        self.leave(session, StoreUnavailable("nobody waits for it"))

    def _drop(self, session: SpeechSession) -> None:
        if self._sessions.get(session.speech.thread_id) is session:
            del self._sessions[session.speech.thread_id]
        if session in self._others:
            self._others.remove(session)

    def _lost(self, one: SpeechLog) -> None:
        for session in [session for session in self.all() if session.log is one]:
            self.leave(session, StoreUnavailable("another daemon has taken this speech over", retry_after_s=1.0))

    def _everything(self, one: SpeechLog) -> list[bytes]:
        return all_of(session.speech for session in self.all() if session.log is one)
