"""After a change of the retention every idle thread is dated anew, once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.daemon.home.upkeep import redate
from sulla.store.memory import MemoryStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.retention import Retention
from sulla.work.base import Inspection, Job
from sulla.work.local import LocalWork

DAYS = Retention(conversation_s=86_400.0)


class Jobs(LocalWork):
    """Does nothing, and only notes what is enqueued."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    @property
    def held(self) -> tuple[LogInfo, ...]:
        return ()

    def enqueue(self, job: Job) -> None:
        """Note it."""
        self.keys.append(job.key)

    def inspect(self) -> Inspection:
        """Nothing runs here."""
        return Inspection((), (), ())


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def test_it_is_done_once_for_each_change(store: MemoryStore) -> None:
    jobs = Jobs()
    world = World(store, ScriptedProvider())
    threads = sorted([await world.thread() for _ in range(3)])
    assert await redate(store, world.threads, jobs, Retention()) == 0
    dated = World(store, ScriptedProvider(), retention=DAYS, boot=2)
    assert await redate(store, dated.threads, jobs, DAYS) == 3
    assert jobs.keys == threads
    assert await redate(store, dated.threads, jobs, DAYS) == 0
    for thread in threads:
        await dated.turns.attend(thread)
    again = World(store, ScriptedProvider(), boot=3)
    assert await redate(store, again.threads, jobs, Retention()) == 3
