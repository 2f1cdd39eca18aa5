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
from sulla.speech.log.records import Asked, Dropped, Entry, Fed, Forced
from sulla.speech.log.thread_speech import Voice
from sulla.speech.service import Flushed, Playing, Taken
from sulla.speech.sessions.buffer_clock import Moments
from sulla.speech.sessions.delivery import Delivery
from sulla.speech.sessions.rates import TurnRates
from sulla.speech.sessions.session import Line
from sulla.speech.sessions.sessions import Lines
from sulla.speech.sessions.showing import shown
from sulla.speech.sessions.timer import Alarm
from sulla.speech.turn_taking.buffer import Status
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import Event, TurnStarted
from sulla.store import Store
from sulla.threads import Live, ThreadStore, live_channel, pack

log = logging.getLogger(__name__)

TIDY_S: Final = 5.0
"""How often it is seen who has fallen silent, and whether a daemon is gone that has left speech behind."""
OPEN_S: Final = 5.0
"""How long a chunk waits for a daemon that reads at its start what the one before it has left."""
FLUSH_S: Final = 5.0
"""How long whoever has a turn ended waits until it is delivered."""
RETRY_S: Final = 0.5


class StreamBufferManager:
    """Keeps `SpeechOffice`.

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
        self._clock = clock
        self._limits = limits if limits is not None else SpeechLimits()
        self._interruptions = (
            interruptions if interruptions is not None else Interruptions(threads, self.show, clock, wake)
        )
        self._rates = TurnRates(self._limits)
        self._moments = Moments(clock)
        self._alarm = Alarm(clock, self._moments, self._ring)
        detector = detector if detector is not None else LateDetector(english_detector)
        now_ms = self._moments.now_ms
        self._delivery = Delivery(threads, self._interruptions, clock, self.show, wake, self._note, now_ms)
        self._lines = Lines(store, threads, clock, self._moments, owner, self._limits, detector, self._begin)
        self._group: asyncio.TaskGroup | None = None
        self._stopped = False
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
        if self._stopped or not self._opened.is_set():
            await self._check_open()
        line = self._lines.get(thread_id) or await self._lines.take_up(thread_id)
        line.log.check()
        line.check()
        line.spoke_s = now_s = self._clock.elapsed()
        now_ms, turns = self._moments.now_ms(), line.turns
        fed = Fed(thread_id, now_ms, chunk, playing)
        if (refusal := self._rates.refusal(thread_id, caller, now_s)) is not None and line.voice.would_begin(fed):
            raise refusal
        late = line.voice.buffer.is_late(chunk)
        place = self._note(line, fed)
        for _ in range(line.turns - turns):
            self._rates.began(thread_id, caller, now_s)
        open_turn = Taken(line.voice.buffer.turn_id, line.voice.buffer.state, late)
        if taken is not None:
            taken()
        await line.log.kept(place)
        return open_turn

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        """End the open turn now and deliver it; when this returns, its message is kept."""
        line = await self._here(thread_id)
        if line is None:
            return Flushed()
        if line.voice.buffer.due_ms is None:  # nothing to write down
            return Flushed()
        before = len(line.voice.owed)
        self._note(line, Forced(thread_id, self._moments.now_ms()))
        if len(line.voice.owed) == before:
            return Flushed()
        turn = line.voice.owed[-1]
        try:
            async with self._clock.timeout(FLUSH_S):
                run_id = await line.settled(turn.id)
        except TimeoutError:
            raise StoreUnavailable(
                f"the turn {turn.id!r} has ended and is delivered as soon as the store answers", retry_after_s=1.0
            ) from None
        return Flushed(turn.id, turn.text, run_id)

    async def drop_speech(self, thread_id: ThreadId) -> str:
        """Forget the open turn: what was said in it comes in no later one."""
        line = await self._here(thread_id)
        if line is None:
            return ""
        if not (turn_id := line.voice.buffer.turn_id):
            return ""
        await line.log.kept(self._note(line, Dropped(thread_id, self._moments.now_ms())))
        return turn_id

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        """How things stand; changes nothing."""
        line = await self._here(thread_id)
        buffer = line.voice.buffer if line is not None else Voice(thread_id).buffer
        return buffer.status(self._moments.now_ms())

    async def forget(self, thread_id: ThreadId) -> None:
        """A thread is deleted, and what was said in it with it.

        Raises:
            StoreUnavailable: the store does not answer; what it holds is forgotten by itself.
        """
        if (line := self._lines.get(thread_id)) is not None:
            self._lines.leave(line, NotFound(f"no thread {thread_id!r}: it was deleted"))
        await self._lines.forget(thread_id)

    def status(self) -> JsonObject:
        """How it is."""
        lines = self._lines.all()
        found: JsonObject = {
            "profile": self._limits.profile.name,
            "live": len(lines),
            "speaking": sum(line.voice.buffer.due_ms is not None for line in lines),
            "undelivered": sum(len(line.voice.owed) for line in lines),
            "trouble": self._lines.logs.trouble or None,
            "unreadable": [*sorted(self._lines.logs.unreadable)],
        }
        return {"speech": found}

    def trouble(self) -> str:
        """What people should know; empty if all is well."""
        if self._lines.logs.unreadable:
            names = ", ".join(sorted(self._lines.logs.unreadable))
            return f"what people have said cannot be read ({names}); it is left as it is, and not delivered"
        return ""

    def show(self, thread_id: ThreadId, type_: str, data: JsonObject) -> None:
        """Tell whoever follows a thread what happens; nobody has to hear it."""
        channel = live_channel(thread_id)
        if self._store.is_heard(channel):
            self._store.publish(channel, pack(Live(round(self._clock.now() * 1000), RunId(""), "", 0, type_, data)))

    # ------------------------------------------------------------------------------------------------ while it lives

    async def run(self) -> None:
        """Take speech up from the daemon before, and look after it until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                try:
                    group.create_task(self._alarm.run())
                    group.create_task(self._interruptions.run())
                    await self._look_after_all()
                finally:
                    self._group, self._stopped = None, True
        finally:
            for line in self._lines.all():
                line.leave(ShuttingDown("the daemon is stopping; what was said is kept", retry_after_s=2.0))

    async def _look_after_all(self) -> None:
        while not await self._tidied(self._take_over):
            await self._clock.sleep(RETRY_S)
        self._opened.set()
        while True:
            await self._clock.sleep(TIDY_S)
            for step in (self._lines.renew, self._lines.lay_down, self._lines.close_logs, self._take_over):
                await self._tidied(step)

    async def _take_over(self) -> None:
        await self._lines.take_over(self._taken_over)

    def _taken_over(self, line: Line) -> None:
        line.voice.tick(self._moments.now_ms())  # nobody is interrupted by what was said then
        self._look_after(line)
        if line.voice.is_idle:
            self._interruptions.came_to_nothing(line.voice.thread_id)

    async def _check_open(self) -> None:
        if self._stopped:
            raise ShuttingDown("the daemon is stopping; send it again when it is back", retry_after_s=2.0)
        if not self._opened.is_set():
            try:
                async with self._clock.timeout(OPEN_S):
                    await self._opened.wait()
            except TimeoutError:
                raise Busy("what was said before is still being read; send it again", retry_after_s=1.0) from None

    async def _here(self, thread_id: ThreadId) -> Line | None:
        """The line of a thread; None if nobody speaks in it, here or anywhere."""
        await self._check_open()
        line = self._lines.get(thread_id)
        if line is None:
            await self._lines.check_elsewhere(thread_id)
        return line

    async def _tidied(self, step: Callable[[], Awaitable[None]]) -> bool:
        try:
            await step()
        except StoreUnavailable as error:
            log.debug("looking after speech waits for the store: %s", error.message)
            return False
        return True

    def _note(self, line: Line, entry: Entry) -> int:
        """Have something written down, and do what it says. Both in one step, so that it is in the same order."""
        place = line.log.add(entry)
        self._happened(line, line.voice.take(entry))
        return place

    def _ring(self, line: Line) -> None:
        self._happened(line, line.voice.tick(self._moments.now_ms()))

    def _happened(self, line: Line, events: Iterable[Event]) -> None:
        thread_id, voice = line.voice.thread_id, line.voice
        is_followed = self._store.is_heard(live_channel(thread_id))
        for event in events:
            self._interruptions.heard(thread_id, event, voice.playing)
            if is_followed and (moment := shown(event)) is not None:
                self.show(thread_id, *moment)
            if isinstance(event, TurnStarted):
                line.turns += 1
                if line.log.profile.name == "adaptive":
                    self._begin(self._ask(line, event.turn_id))
        self._look_after(line)

    def _look_after(self, line: Line) -> None:
        self._alarm.arm(line)
        if line.voice.owed and not line.delivering and not line.over:
            line.delivering = self._begin(self._deliver(line))

    def _begin(self, what: Coroutine[object, object, None]) -> bool:
        try:
            if self._group is not None:
                self._group.create_task(what)
                return True
        except RuntimeError:  # it ends just now
            self._group = None
        what.close()
        return False

    async def _deliver(self, line: Line) -> None:
        try:
            await self._delivery.deliver(line)
        except NotFound as gone:
            log.warning("what was said in thread %r is let go of: %s", line.voice.thread_id, gone.message)
            self._lines.leave(line, gone)
        except StaleLease as lost:
            self._lines.leave(line, StoreUnavailable(lost.message, retry_after_s=1.0))
        finally:
            line.delivering = False

    async def _ask(self, line: Line, turn_id: str) -> None:
        """Find out what the assistant has asked before this turn."""
        thread_id = line.voice.thread_id
        try:
            question = await last_question(self._threads, thread_id)
        except (NotFound, StoreUnavailable, CorruptRecord) as error:
            log.debug("nobody knows what thread %r was asked: %s", thread_id, error.message)
            return
        now_ms = self._moments.now_ms()
        if not line.over and line.voice.buffer.turn_id == turn_id:
            self._note(line, Asked(thread_id, now_ms, question))
