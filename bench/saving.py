"""What benches of stores share: logs of a size, a turn as it is kept at its end, and how calls are timed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial

from bench.frame import Measure
from sulla.host.system import random_id
from sulla.store.base import Store
from sulla.store.values import Draft, Head, Lease

MESSAGES = (10, 100, 1_000, 5_000)
BODY = b"x" * 500
"""A message of the size that other benches take."""

HEAD = Head("thread", "open", "sulla", body=b"y" * 600)
BATCH = 3
"""Calls per measurement: one alone is too short to be told from the machine's noise."""

Step = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Thread:
    """A log with so many messages, and who may write to it."""

    key: str
    lease: Lease
    writes: int


async def make_thread(store: Store, messages: int) -> Thread:
    """A log of so many messages, held."""
    key = random_id("thr")
    await store.offer(key, "created", Draft("CREATED", BODY), digest=b"", create=HEAD)
    grant = await store.acquire(key, "home:boot", 3600)
    assert grant is not None
    await store.append(grant.lease, 1, [Draft("MESSAGE", BODY)] * messages, HEAD, 0)
    return Thread(key, grant.lease, 1)


async def save_turn(store: Store, thread: Thread) -> None:
    """A turn as it is kept at its end: a reply, its run's end, and the head."""
    thread.writes += 1
    drafts = [Draft("TEXT_MESSAGE_END", BODY), Draft("RUN_FINISHED", b"")]
    await store.append(thread.lease, thread.writes, drafts, HEAD, 0)


def measures(runner: asyncio.Runner, steps: dict[str, Step]) -> dict[str, Measure]:
    """Milliseconds of each step."""

    async def took(step: Step) -> float:
        begun = time.perf_counter()
        for _ in range(BATCH):
            await step()
        return (time.perf_counter() - begun) * 1000 / BATCH

    return {name: partial(_run, runner, took, step) for name, step in steps.items()}


def _run(runner: asyncio.Runner, took: Callable[[Step], Coroutine[object, object, float]], step: Step) -> float:
    return runner.run(took(step))
