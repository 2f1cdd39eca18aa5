"""Fires schedules: one per daemon, with one timer. Any number of daemons may do it at once."""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, StoreUnavailable, SullaError
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.schedules import records as f
from sulla.schedules.decide import decide
from sulla.schedules.log import ScheduleLog
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore
from sulla.schedules.timer import Timer

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""How often it is seen whether something is overdue: after a suspend, or when somebody has set the clock."""
JUMP_S: Final = 2.0
"""A change of the wall clock that is worth a line in the log."""
WORKERS: Final = 16
"""Schedules that are attended to at once."""
ROUNDS: Final = 8
HANDOVER_S: Final = 2.0
"""How long the daemon whose firing came first has for beginning what is to be done; then others do it too."""
ACT_S: Final = 30.0
"""How long a begin may take."""
RETRY_S: Final = 5.0
BEGIN_S: Final = 600.0
"""How long what cannot be begun at the moment (a full queue, a store that is away) is tried again."""
_LAGS: Final = 1024


@dataclass(frozen=True, slots=True)
class PlaybookEnd:
    """How a run has ended that a schedule began."""

    how: Literal["succeeded", "failed", "cancelled", "skipped"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class StartedAction:
    """The thread, and the run if there is one, that a firing started."""

    thread_id: str = ""
    run_id: str = ""


Act = Callable[[ScheduleState, f.Fired], Awaitable[StartedAction]]
"""Does for a firing what the schedule says. The same firing may come again, also from another daemon: it has to lead to
the same, once. It only begins what takes long. Raises ``SullaError``; a retryable one has it tried again.
"""


class _AttendQueue:
    """The schedules that are to be attended to: each once at a time, and again if it was changed meanwhile."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()
        self._queued: set[str] = set()
        """In the queue or being attended to; each at most once."""
        self._again: set[str] = set()
        """Changed while they were attended to."""
        self._more = asyncio.Semaphore(0)

    def add(self, schedule_id: str) -> None:
        """Attend to one soon."""
        if schedule_id in self._queued:
            self._again.add(schedule_id)
            return
        self._queued.add(schedule_id)
        self._waiting.append(schedule_id)
        self._more.release()

    async def take(self) -> str:
        """Wait for the next one; `done` has to be called when it was attended to."""
        await self._more.acquire()
        return self._waiting.popleft()

    def done(self, schedule_id: str) -> None:
        """It was attended to."""
        self._queued.discard(schedule_id)
        if schedule_id in self._again:
            self._again.discard(schedule_id)
            self.add(schedule_id)


class Scheduler:
    """Fires each schedule when one of its times comes. It lives as long as the daemon.

    What is due is offered to the schedule's log; the fold over that log decides whose firing counts; what it does is
    begun by the daemon whose offer came first, and by any other one if that is late.

    Args:
        schedules: the schedules.
        clock: all time.
        act: does what is to be done.
        held: whether all work is paused. Then nothing becomes due: to a schedule it is as if no daemon ran.
    """

    def __init__(
        self, schedules: ScheduleStore, clock: Clock, act: Act, held: Callable[[], bool] = lambda: False
    ) -> None:
        self._schedules = schedules
        self._clock = clock
        self._timer = Timer(clock, self._ring)
        self._act = act
        self._held = held
        self._heap: list[tuple[int, str]] = []
        self._due: dict[str, int] = {}
        """When each schedule is to be looked at, UTC milliseconds; what the heap says otherwise is out of date."""
        self._queue = _AttendQueue()
        self._asked: set[tuple[str, str]] = set()
        """Firings that somebody asked this daemon for, until they are begun."""
        self.opened = asyncio.Event()
        """Whether every schedule was read."""
        self.lags_ms: deque[int] = deque(maxlen=_LAGS)
        """By how much the last firings were late."""

    async def run(self) -> None:
        """Fire until cancelled.

        Raises:
            StoreUnavailable: what there is cannot be read at the beginning.
        """
        self._schedules.on_change(self.look_at)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._timer.run())
            for _ in range(WORKERS):
                tasks.create_task(self._work())
            await self._open()
            self.opened.set()
            tasks.create_task(self._schedules.run())
            tasks.create_task(self._watch())

    async def follow(self) -> None:
        """Know every schedule and fire none, until cancelled: where others fire, and clients ask here."""
        await self._open()
        self.opened.set()
        await self._schedules.run()

    def look_at(self, schedule_id: str) -> None:
        """Attend to a schedule soon, because it was changed."""
        self._queue.add(schedule_id)

    async def fire_now(self, schedule_id: str, request_id: str, by: str) -> str:
        """Fire once, whatever the time; also outside the active hours and while it is paused.

        Args:
            schedule_id: which one.
            request_id: the same one fires once.
            by: the name of the token that asked for it.

        Returns:
            The name of the firing.

        Raises:
            NotFound: there is no such schedule.
        """
        one, slot = await self._schedules.get(schedule_id), f"now:{request_id}"
        revision = one.state.revision if one.state is not None else 0
        fact = f.Fired(slot, self._now_ms(), revision, asked_by=by)
        if await one.offer(fact, f"slot:{slot}", b"now"):
            self._asked.add((schedule_id, slot))
        self.look_at(schedule_id)
        return slot

    def status(self) -> JsonObject:
        """What `sulla status` says of it."""
        lags = sorted(self.lags_ms)
        return {
            "schedules": len(self._schedules),
            "next_at": stamp(self._heap[0][0]) if self._heap else None,
            "lag_p99_ms": lags[len(lags) * 99 // 100] if lags else None,
        }

    async def report(self, schedule_id: str, slot: str, failure: str) -> None:
        """Say how what was begun for a firing has ended; whoever says it first is heard.

        Args:
            schedule_id: whose firing.
            slot: which.
            failure: why it failed; empty if it went well. Failures in a row put off the next time.
        """
        one = self._schedules.find(schedule_id)
        if one is None:
            return  # removed meanwhile: nobody needs to know any more
        now_ms = self._now_ms()
        await self._ended(one, f.Failed(slot, now_ms, failure, begun=True) if failure else f.Succeeded(slot, now_ms))

    async def told_end(self, schedule_id: str, slot: str, end: PlaybookEnd) -> None:
        """Say how the playbook has ended that a firing began.

        Args:
            schedule_id: whose firing.
            slot: which.
            end: how.
        """
        if (one := self._schedules.find(schedule_id)) is not None:
            await self._ended(one, f.Ended(slot, self._now_ms(), end.how, end.why))

    async def _ended(self, one: ScheduleLog, fact: f.Failed | f.Succeeded | f.Ended) -> None:
        try:
            await one.offer(fact, f"ended:{fact.slot}", b"ended")
        except NotFound:
            return
        self.look_at(one.id)

    # ---------------------------------------------------------------------------------------------------------- time

    async def _open(self) -> None:
        while True:
            try:
                return await self._schedules.open()
            except StoreUnavailable as error:
                log.warning("schedules cannot be read, so none fires until they can: %s", error)
                await self._clock.sleep(RETRY_S)

    def _ring(self) -> None:
        """Put all that are due into the queue, and set the timer for the next one."""
        if self._held():
            return  # when it is over, `_watch` rings
        now_ms = self._now_ms()
        while self._heap and (self._heap[0][0] <= now_ms or self._due.get(self._heap[0][1]) != self._heap[0][0]):
            due_ms, schedule_id = heapq.heappop(self._heap)
            if self._due.get(schedule_id) == due_ms:
                del self._due[schedule_id]
                self.look_at(schedule_id)
        self._timer.set(self._heap[0][0] / 1000 if self._heap else None)

    def _plan(self, schedule_id: str, due_ms: int | None) -> None:
        if due_ms is None:
            self._due.pop(schedule_id, None)
            return
        if self._due.get(schedule_id) == due_ms:
            return
        self._due[schedule_id] = due_ms
        heapq.heappush(self._heap, (due_ms, schedule_id))
        if len(self._heap) > 4 * len(self._due) + 64:  # mostly out of date
            self._heap = [(due, name) for name, due in self._due.items()]
            heapq.heapify(self._heap)
        if self._heap[0][1] == schedule_id:
            self._timer.set(due_ms / 1000)

    async def _watch(self) -> None:
        """The wall clock may be set and the machine may sleep; the timer does not notice, this does."""
        ahead = self._clock.now() - self._clock.elapsed()
        while True:
            await self._clock.sleep(LOOK_S)
            now_ahead = self._clock.now() - self._clock.elapsed()
            if abs(now_ahead - ahead) > JUMP_S:
                log.warning("the clock was set by %+.0f s; schedules go by the new time", now_ahead - ahead)
                self._ring()
            ahead = now_ahead
            if self._heap and self._heap[0][0] <= self._now_ms():
                self._ring()

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)

    # ---------------------------------------------------------------------------------------------------------- work

    async def _work(self) -> None:
        while True:
            schedule_id = await self._queue.take()
            try:
                await self._attend(schedule_id)
            except SullaError as error:
                said = log.debug if error.retryable else log.error
                said("schedule %s has to wait: %s", schedule_id, error.message)
                self._plan(schedule_id, self._now_ms() + round((RETRY_S if error.retryable else BEGIN_S) * 1000))
            finally:
                self._queue.done(schedule_id)

    async def _attend(self, schedule_id: str) -> None:
        """Fire what is due, begin what was fired, and plan the next look."""
        one = self._schedules.find(schedule_id)
        if one is None:
            return self._plan(schedule_id, None)
        ours: set[str] = set()
        try:
            due_ms = await self._fire(one, ours)
            again_ms = await self._begin(one, ours)
            await one.tidy()
        except NotFound:
            return self._plan(schedule_id, None)  # removed at this moment
        looks = [when for when in (due_ms, again_ms) if when is not None]
        return self._plan(schedule_id, min(looks, default=None))

    async def _fire(self, one: ScheduleLog, ours: set[str]) -> int | None:
        """Offer what is due, until nothing is; returns when something will be."""
        for _ in range(ROUNDS):
            state = one.state
            if state is None:
                return None
            decision = decide(state, self._now_ms())
            if not decision.facts:
                return decision.due_ms
            if self._held():
                return self._now_ms()
            for fact in decision.facts:
                if await one.offer(fact, _dedupe_id(state, fact), b"slot") and isinstance(fact, f.Fired):
                    ours.add(fact.slot)
                    self.lags_ms.append(fact.at_ms - fact.due_ms)
        return self._now_ms() + round(LOOK_S * 1000)

    async def _begin(self, one: ScheduleLog, ours: set[str]) -> int | None:
        """Begin what was fired; returns when to look at what is left."""
        again_ms: int | None = None
        for fired in one.state.pending if one.state is not None else ():
            now_ms = self._now_ms()
            waited_s = (now_ms - fired.at_ms) / 1000
            asked = (one.id, fired.slot) in self._asked
            if not asked and fired.slot not in ours and waited_s < HANDOVER_S:
                again_ms = now_ms + round(HANDOVER_S * 1000)
            elif not await self._try(one, fired, waited_s):
                again_ms = again_ms or now_ms + round(RETRY_S * 1000)
        return again_ms

    async def _try(self, one: ScheduleLog, fired: f.Fired, waited_s: float) -> bool:
        """Begin one; False to try again."""
        state = one.state
        if state is None:
            return True
        fact: f.Delivered | f.Failed
        try:
            async with self._clock.timeout(ACT_S):
                begun = await self._act(state, fired)
            fact = f.Delivered(fired.slot, self._now_ms(), begun.thread_id, begun.run_id)
        except (SullaError, TimeoutError) as error:
            said = error.message if isinstance(error, SullaError) else f"not begun within {ACT_S:g} s"
            if (not isinstance(error, SullaError) or error.retryable) and waited_s < BEGIN_S:
                log.info("schedule %s is tried again: %s", one.id, said)
                return False
            fact = f.Failed(fired.slot, self._now_ms(), said)
            log.warning("schedule %s failed: %s", one.id, said)
        except Exception:  # a defect of ours must not end all other schedules, at each start anew
            log.exception("schedule %s failed", one.id)
            fact = f.Failed(fired.slot, self._now_ms(), "something went wrong inside the daemon; its log has more")
        await one.offer(fact, f"begun:{fired.slot}", b"begun")
        self._asked.discard((one.id, fired.slot))
        return True


def _dedupe_id(state: ScheduleState, fact: f.SlotFact | f.Rewound) -> str:
    """The same for all who know the same, and another one once anything has changed: what the fold did not count was
    not for ever.
    """
    known = f"{state.revision}:{state.settled_ms}"
    match fact:
        case f.Fired(slot) | f.Skipped(slot):
            return f"slot:{known}:{slot}"
        case f.Missed(first_ms):
            return f"missed:{known}:{first_ms}"
        case f.Rewound():
            return f"rewound:{known}"
