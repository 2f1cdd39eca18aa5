"""Ten thousand schedules on one daemon's store: how late what is due begins, and how long a start takes to know them.

A scheduler as the daemon builds it, on SQLite with its disk, by the real clock. Each one has
a period of five minutes, and they are spread over it, so some 33 fire in a second. Late is what lies between a
time and the moment when what it is for is begun, everything written down before it included.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from bench.frame import Frame, Row
from sulla.host.system import SystemClock, random_id
from sulla.schedules.records import Fired
from sulla.schedules.scheduler import Scheduler, StartedAction
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import Every, MessageAction, Spec
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore
from sulla.store.sqlite.store import SqliteStore

NAME = "schedules"

COUNT = 10_000
PERIOD_S = 300
RUN_S = 20.0
BAR_MS = 250.0
"""What 99 of 100 begin within, in milliseconds."""
START_S = 30.0
"""What a daemon may take to know all of them again, in seconds."""
_AT_ONCE = 64


def run(frame: Frame) -> list[Row]:
    """One run; the rounds of the frame don't apply to what takes its time by the clock."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_measure(Path(folder) / "sulla.db"))


async def _measure(file: Path) -> list[Row]:
    clock = SystemClock()
    store = SqliteStore(file, clock, random_id)
    await store.open()
    try:
        await _fill(store, clock)
        late: list[float] = []

        async def act(state: ScheduleState, fired: Fired) -> StartedAction:
            late.append(clock.now() * 1000 - fired.due_ms)
            return StartedAction()

        scheduler = Scheduler(ScheduleStore(store, clock, "home:2"), clock, act)
        began = time.perf_counter()
        task = asyncio.create_task(scheduler.run())
        await scheduler.opened.wait()
        start_s = time.perf_counter() - began
        await asyncio.sleep(2.0)  # what came due while they were made
        late.clear()
        await asyncio.sleep(RUN_S)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    finally:
        await store.close()
    late.sort()
    p50, p99 = (late[len(late) * share // 100] for share in (50, 99))
    return [
        Row(f"firings in {RUN_S:g} s", len(late), "", ok=len(late) > COUNT * RUN_S / PERIOD_S / 2),
        Row("late, median", p50, "ms"),
        Row("late, 99 of 100", p99, "ms", p99 / BAR_MS, f"{BAR_MS:g} ms", 1.0, ok=p99 <= BAR_MS),
        Row("a start knows them all", start_s, "s", start_s / START_S, f"{START_S:g} s", 1.0, ok=start_s <= START_S),
    ]


async def _fill(store: SqliteStore, clock: SystemClock) -> None:
    book = ScheduleStore(store, clock, "home:1")

    async def act(state: ScheduleState, fired: Fired) -> StartedAction:
        return StartedAction()

    async def anything(spec: Spec) -> None:
        """Goes."""

    office = ScheduleService(book, Scheduler(book, clock, act), clock, random_id, anything)
    gate = asyncio.Semaphore(_AT_ONCE)

    async def add(number: int) -> None:
        async with gate:
            anchor_ms = 1 + number * PERIOD_S * 1000 // COUNT
            await office.add(Spec(Every(PERIOD_S, anchor_ms), MessageAction("hello")), f"s{number}", None, "bench")

    async with asyncio.TaskGroup() as tasks:
        for number in range(COUNT):
            tasks.create_task(add(number))
