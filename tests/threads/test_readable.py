"""A thread that cannot be worked on is known before anything is taken in for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.store.memory import MemoryStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.forms import Fielded
from sulla.threads.log.records import ThreadCreated
from sulla.threads.log.schema import Slice, ThreadSchema
from sulla.threads.readable import ReadableThreads
from sulla.threads.store import ThreadStore


@dataclass(frozen=True, slots=True)
class Brewed(Fielded):
    """A record of a capability."""

    kind: ClassVar[str] = "TEA_BREWED"
    cups: int = 1


@dataclass(frozen=True, slots=True)
class Tea(Fielded):
    """What its records add up to."""

    cups: int = 0


TEA = Slice("tea", Tea, lambda state, kept, fact, seq, origin: Tea(fact.cups), decided=(Brewed,))
WITH_TEA, WITHOUT = ThreadSchema(lambda message: 1, (TEA,)), ThreadSchema(lambda message: 1)


def threads_of(store: MemoryStore, schema: ThreadSchema) -> ThreadStore:
    return ThreadStore(store, ManualClock(), lambda prefix: f"{prefix}_1", "home:1", schema, ThreadLimits())


def readable_of(store: MemoryStore, schema: ThreadSchema) -> ReadableThreads:
    return ReadableThreads(threads_of(store, schema), store, schema)


async def brewed(store: MemoryStore) -> ThreadId:
    """A thread with a record of the capability."""
    threads = threads_of(store, WITH_TEA)
    thread_id = await threads.create(ThreadCreated("sulla"))
    session = await threads.attend(thread_id)
    assert session is not None
    await session.commit(Brewed(2))
    await session.release()
    return thread_id


async def test_records_of_a_capability_that_is_gone_are_named_with_what_to_do(store: MemoryStore) -> None:
    thread_id = await brewed(store)
    with pytest.raises(CorruptRecord, match=r"'thr_1' .* its record 2 is a TEA_BREWED, .* Install the package"):
        await readable_of(store, WITHOUT).check(thread_id)
    await readable_of(store, WITH_TEA).check(thread_id)


async def test_of_a_thread_that_is_not_there_others_speak(store: MemoryStore) -> None:
    await readable_of(store, WITHOUT).check(ThreadId("none"))


async def test_a_thread_is_looked_at_once(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    thread_id, asked, head = await brewed(store), list[str](), store.head

    async def counted(key: str) -> LogInfo | None:
        asked.append(key)
        return await head(key)

    monkeypatch.setattr(store, "head", counted)
    readable = readable_of(store, WITH_TEA)
    for _ in range(3):
        await readable.check(thread_id)
    assert asked == [thread_id]
