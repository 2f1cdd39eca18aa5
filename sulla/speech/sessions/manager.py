"""StreamBufferManager (seed 004 §5): speech of many threads, kept (decision 030), timed and delivered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Busy, CorruptRecord, NotFound, ShuttingDown, StaleLease, StoreUnavailable
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.speech.interruptions.interruptions import Interruptions
from sulla.speech.interruptions.questions import last_question
from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.limits import SpeechLimits
from sulla.speech.log.records import ChunkTaken, QuestionKnown, SpeechEntry, TurnDropped, TurnForced
from sulla.speech.log.thread_speech import ThreadSpeech
from sulla.speech.service import Flushed, Playing, Taken
from sulla.speech.sessions.buffer_clock import BufferClock
from sulla.speech.sessions.delivery import Delivery
from sulla.speech.sessions.rates import TurnRates
from sulla.speech.sessions.session import SpeechSession
from sulla.speech.sessions.sessions import SpeechSessions
from sulla.speech.sessions.showing import shown
from sulla.speech.sessions.timer import SessionTimer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import Event, TurnStarted
from sulla.speech.turn_taking.status import Status
from sulla.store.base import Store
from sulla.threads.bus import LiveSignal, live_channel, pack
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

TIDY_S: Final = 5.0
"""How often it is seen who has fallen silent, and whether a daemon is gone that has left speech behind."""
OPEN_S: Final = 5.0
"""How long a chunk waits for a daemon that reads at its start what the one before it has left."""
FLUSH_S: Final = 5.0
"""How long whoever has a turn ended waits until it is delivered."""
RETRY_S: Final = 0.5


class _SpeechTasks:
    """What is done beside `StreamBufferManager.run`, and ends with it."""

    def __init__(self) -> None:
        self._group: asyncio.TaskGroup | None = None
        self.stopped = False

    def open(self, group: asyncio.TaskGroup) -> None:
        """From now on tasks can be begun."""
        self._group = group

    def close(self) -> None:
        """Begin nothing more."""
        self._group, self.stopped = None, True

    def begin(self, what: Coroutine[object, object, None]) -> bool:
        """Have something done; whether it is."""
        try:
            if self._group is not None:
                self._group.create_task(what)
                return True
        except RuntimeError:  # it ends just now
            self._group = None
        what.close()
        return False


class StreamBufferManager:
    """Implements `SpeechService`: one for each daemon, as long as it runs.

    Args:
        store: where speech is kept.
        threads: where its turns go.
        interruptions: what it does to an answer that is under way; None for the ones of these threads.
        clock: all time.
        owner: ``<home id>:<boot nonce>``.
        wake: has a thread worked on soon.
        limits: bounds.
        detector: reads what is said, for the profile `adaptive`; None for the one for English.
    """

    def __init__(
        self,
        store: Store,
        threads: ThreadStore,
        clock: Clock,
        owner: str,
        wake: Callable[[ThreadId], None],
        limits: SpeechLimits | None = None,
        interruptions: Interruptions | None = None,
        detector: LateDetector | None = None,
    ) -> None:
        self._store = store
        self._threads = threads
        self._tasks = _SpeechTasks()
        self._clock = clock
        self._limits = limits if limits is not None else SpeechLimits()
        self._interruptions = (
            interruptions if interruptions is not None else Interruptions(threads, self.show, clock, wake)
        )
        self._rates = TurnRates(self._limits)
        self._buffer_clock = BufferClock(clock)
        self._timer = SessionTimer(clock, self._buffer_clock, self._ring)
        detector = detector if detector is not None else LateDetector(english_detector)
        now_ms = self._buffer_clock.now_ms
        self._delivery = Delivery(threads, self._interruptions, clock, self.show, wake, self._note, now_ms)
        self._sessions = SpeechSessions(
            store, threads, clock, self._buffer_clock, owner, self._limits, detector, self._tasks.begin
        )
        self._opened = asyncio.Event()

    # ------------------------------------------------------------------------------------------ what clients ask for

    async def add_speech_chunk(
        self,
        thread_id: ThreadId,
        chunk: Chunk,
        playing: Playing | None = None,
        caller: str = "",
        taken: Callable[[], None] | None = None,
    ) -> Taken:
        """Take a piece of speech; when this returns, it is kept."""
        if self._tasks.stopped or not self._opened.is_set():
            await self._check_open()
        session = self._sessions.get(thread_id) or await self._sessions.take_up(thread_id)
        session.log.check()
        session.check()
        session.spoke_s = now_s = self._clock.elapsed()
        now_ms, turns = self._buffer_clock.now_ms(), session.turns
        fed = ChunkTaken(thread_id, now_ms, chunk, playing)
        if (refusal := self._rates.refusal(thread_id, caller, now_s)) is not None and session.speech.would_begin(fed):
            raise refusal
        late = session.speech.buffer.is_late(chunk)
        place = self._note(session, fed)
        for _ in range(session.turns - turns):
            self._rates.began(thread_id, caller, now_s)
        open_turn = Taken(session.speech.buffer.turn_id, session.speech.buffer.state, late)
        if taken is not None:
            taken()
        await session.log.committed(place)
        return open_turn

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        """End the open turn now and deliver it; when this returns, its message is kept."""
        session = await self._here(thread_id)
        if session is None:
            return Flushed()
        if session.speech.buffer.due_ms is None:  # nothing to write down
            return Flushed()
        before = len(session.speech.owed)
        self._note(session, TurnForced(thread_id, self._buffer_clock.now_ms()))
        if len(session.speech.owed) == before:
            return Flushed()
        turn = session.speech.owed[-1]
        try:
            async with self._clock.timeout(FLUSH_S):
                run_id = await session.settled(turn.id)
        except TimeoutError:
            raise StoreUnavailable(
                f"the turn {turn.id!r} has ended and is delivered as soon as the store answers", retry_after_s=1.0
            ) from None
        return Flushed(turn.id, turn.text, run_id)

    async def drop_speech(self, thread_id: ThreadId) -> str:
        """Forget the open turn: what was said in it comes in no later one."""
        session = await self._here(thread_id)
        if session is None:
            return ""
        if not (turn_id := session.speech.buffer.turn_id):
            return ""
        await session.log.committed(self._note(session, TurnDropped(thread_id, self._buffer_clock.now_ms())))
        return turn_id

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        """How things stand; changes nothing."""
        session = await self._here(thread_id)
        buffer = session.speech.buffer if session is not None else ThreadSpeech(thread_id).buffer
        return buffer.status(self._buffer_clock.now_ms())

    async def forget(self, thread_id: ThreadId) -> None:
        """A thread is deleted, and what was said in it with it.

        Raises:
            StoreUnavailable: the store does not answer; what it holds is forgotten by itself.
        """
        if (session := self._sessions.get(thread_id)) is not None:
            self._sessions.leave(session, NotFound(f"no thread {thread_id!r}: it was deleted"))
        await self._sessions.forget(thread_id)

    def status(self) -> JsonObject:
        """How it is."""
        sessions = self._sessions.all()
        found: JsonObject = {
            "profile": self._limits.profile.name,
            "live": len(sessions),
            "speaking": sum(session.speech.buffer.due_ms is not None for session in sessions),
            "undelivered": sum(len(session.speech.owed) for session in sessions),
            "trouble": self._sessions.logs.trouble or None,
            "unreadable": [*sorted(self._sessions.logs.unreadable)],
        }
        return {"speech": found}

    def trouble(self) -> str:
        """What people should know; empty if all is well."""
        if self._sessions.logs.unreadable:
            names = ", ".join(sorted(self._sessions.logs.unreadable))
            return f"what people have said cannot be read ({names}); it is left as it is, and not delivered"
        return ""

    def show(self, thread_id: ThreadId, type_: str, data: JsonObject) -> None:
        """Tell whoever follows a thread what happens; nobody has to hear it."""
        channel = live_channel(thread_id)
        if self._store.is_heard(channel):
            self._store.publish(
                channel, pack(LiveSignal(round(self._clock.now() * 1000), RunId(""), "", 0, type_, data))
            )

    # ------------------------------------------------------------------------------------------------ while it lives

    async def run(self) -> None:
        """Take speech up from the daemon before, and look after it until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                self._tasks.open(group)
                try:
                    group.create_task(self._timer.run())
                    group.create_task(self._interruptions.run())
                    await self._look_after_all()
                finally:
                    self._tasks.close()
        finally:
            for session in self._sessions.all():
                session.leave(ShuttingDown("the daemon is stopping; what was said is kept", retry_after_s=2.0))

    async def _look_after_all(self) -> None:
        while not await self._tidied(self._take_over):
            await self._clock.sleep(RETRY_S)
        self._opened.set()
        while True:
            await self._clock.sleep(TIDY_S)
            for step in (self._sessions.renew, self._sessions.park_idle, self._sessions.close_logs, self._take_over):
                await self._tidied(step)

    async def _take_over(self) -> None:
        await self._sessions.take_over(self._taken_over)

    def _taken_over(self, session: SpeechSession) -> None:
        session.speech.tick(self._buffer_clock.now_ms())  # nobody is interrupted by what was said then
        self._look_after(session)
        if session.speech.is_idle:
            self._interruptions.came_to_nothing(session.speech.thread_id)

    async def _check_open(self) -> None:
        if self._tasks.stopped:
            raise ShuttingDown("the daemon is stopping; send it again when it is back", retry_after_s=2.0)
        if not self._opened.is_set():
            try:
                async with self._clock.timeout(OPEN_S):
                    await self._opened.wait()
            except TimeoutError:
                raise Busy("what was said before is still being read; send it again", retry_after_s=1.0) from None

    async def _here(self, thread_id: ThreadId) -> SpeechSession | None:
        """The session of a thread; None if nobody speaks in it, here or anywhere."""
        await self._check_open()
        session = self._sessions.get(thread_id)
        if session is None:
            await self._sessions.check_elsewhere(thread_id)
        return session

    async def _tidied(self, step: Callable[[], Awaitable[None]]) -> bool:
        try:
            await step()
        except StoreUnavailable as error:
            log.debug("looking after speech waits for the store: %s", error.message)
            return False
        return True

    def _note(self, session: SpeechSession, entry: SpeechEntry) -> int:
        """Have something written down, and do what it says. Both in one step, so that it is in the same order."""
        place = session.log.add(entry)
        self._happened(session, session.speech.take(entry))
        return place

    def _ring(self, session: SpeechSession) -> None:
        self._happened(session, session.speech.tick(self._buffer_clock.now_ms()))

    def _happened(self, session: SpeechSession, events: Iterable[Event]) -> None:
        thread_id, speech = session.speech.thread_id, session.speech
        is_followed = self._store.is_heard(live_channel(thread_id))
        for event in events:
            self._interruptions.heard(thread_id, event, speech.playing)
            if is_followed and (moment := shown(event)) is not None:
                self.show(thread_id, *moment)
            if isinstance(event, TurnStarted):
                session.turns += 1
                if session.log.profile.name == "adaptive":
                    self._tasks.begin(self._ask(session, event.turn_id))
        self._look_after(session)

    def _look_after(self, session: SpeechSession) -> None:
        self._timer.arm(session)
        if session.speech.owed and not session.delivering and not session.over:
            session.delivering = self._tasks.begin(self._deliver(session))

    async def _deliver(self, session: SpeechSession) -> None:
        try:
            await self._delivery.deliver(session)
        except NotFound as gone:
            log.warning("what was said in thread %r is let go of: %s", session.speech.thread_id, gone.message)
            self._sessions.leave(session, gone)
        except StaleLease as lost:
            self._sessions.leave(session, StoreUnavailable(lost.message, retry_after_s=1.0))
        finally:
            session.delivering = False

    async def _ask(self, session: SpeechSession, turn_id: str) -> None:
        """Find out what the assistant has asked before this turn."""
        thread_id = session.speech.thread_id
        try:
            question = await last_question(self._threads, thread_id)
        except (NotFound, StoreUnavailable, CorruptRecord) as error:
            log.debug("nobody knows what thread %r was asked: %s", thread_id, error.message)
            return
        now_ms = self._buffer_clock.now_ms()
        if not session.over and session.speech.buffer.turn_id == turn_id:
            self._note(session, QuestionKnown(thread_id, now_ms, question))
