"""Daemons that fire schedules from one store, without being daemons."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count

from sulla.core.clock import Clock
from sulla.core.errors import SullaError
from sulla.schedules.records import Fired
from sulla.schedules.scheduler import Scheduler, StartedAction
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import Every, MessageAction, MissedPolicy, Spec
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock

SAY = MessageAction("hello")
_NUMBERS = count(1)


def make_id(prefix: str) -> str:
    return f"{prefix}_{next(_NUMBERS)}"


def every(period_s: int, missed: MissedPolicy = "skip") -> Spec:
    return Spec(Every(period_s), SAY, missed=missed)


class House:
    """One of them.

    Args:
        store: where schedules are.
        clock: all time.
        name: whose leases.
        held: whether all work is paused.
    """

    def __init__(
        self, store: Store, clock: Clock, name: str = "home:1", held: Callable[[], bool] = lambda: False
    ) -> None:
        self.book = ScheduleStore(store, clock, name)
        self.scheduler = Scheduler(self.book, clock, self.act, held)
        self.service = ScheduleService(self.book, self.scheduler, clock, make_id, self.check)
        self.acts: Counter[tuple[str, str]] = Counter()
        """How often each firing was begun here."""
        self.trouble: SullaError | None = None
        """What happens instead."""
        self.defect = ""
        """The schedule with which something goes wrong that nobody thought of."""
        self.goes = asyncio.Event()
        """What is waited for before that."""
        self.goes.set()

    async def act(self, state: ScheduleState, fired: Fired) -> StartedAction:
        await self.goes.wait()
        self.acts[state.id, fired.slot] += 1
        if state.id == self.defect:
            raise ZeroDivisionError
        if self.trouble is not None:
            raise self.trouble
        return StartedAction("thr_1", "run_1")

    async def check(self, spec: Spec) -> None:
        """Anything goes."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[House]:
        task = asyncio.create_task(self.scheduler.run())
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled(), task.exception()

    def begun(self, schedule_id: str) -> list[str]:
        """The firings of a schedule that were begun here, as often as they were."""
        return sorted(slot for (name, slot), times in self.acts.items() for _ in range(times) if name == schedule_id)


async def opened(clock: ManualClock) -> MemoryStore:
    store = MemoryStore(clock, make_id)
    await store.open()
    return store
