"""The PostgreSQL keeper's steps beside one raw round trip, and saving a turn beside writing the whole conversation."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from itertools import count

import psycopg

from bench.frame import Frame, Measure, Row
from sulla.daemon.system import SystemClock, random_id
from sulla.store import Draft, Head, Lease
from sulla.store.postgres import PostgresStore
from tests.servers.postgres import find_binaries, running_postgres

NAME = "postgres"

MESSAGES = (10, 100, 1_000, 5_000)
BODY = b"x" * 500
"""A message of the size that other benches take."""

HEAD = Head("thread", "open", "sulla", body=b"y" * 600)
TAIL = 512
BATCH = 3
"""Calls per measurement: one alone is too short to be told from the machine's noise."""

_RAW = "INSERT INTO raw (body) VALUES (%s)"
_SNAPSHOT = "UPDATE snapshot SET body = %s WHERE id = %s"

Step = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Thread:
    """A log with so many messages, and who may write to it."""

    key: str
    lease: Lease
    writes: int


async def _thread(store: PostgresStore, messages: int) -> Thread:
    key = random_id("thr")
    await store.offer(key, "created", Draft("CREATED", BODY), digest=b"", create=HEAD)
    grant = await store.acquire(key, "home:boot", 3600)
    assert grant is not None
    await store.append(grant.lease, 1, [Draft("MESSAGE", BODY)] * messages, HEAD, 0)
    return Thread(key, grant.lease, 1)


async def _save(store: PostgresStore, thread: Thread) -> None:
    """A turn as it is kept at its end: a reply, its run's end, and the head."""
    thread.writes += 1
    drafts = [Draft("TEXT_MESSAGE_END", BODY), Draft("RUN_FINISHED", b"")]
    await store.append(thread.lease, thread.writes, drafts, HEAD, 0)


def _steps(store: PostgresStore, thread: Thread, other: Thread) -> dict[str, Step]:
    """Every step that writes; each call is one that has not been made before."""
    numbers = count()

    async def acquire() -> None:
        # Another boot of the same home takes over at once, so no release has to be paid for.
        assert await store.acquire(other.key, f"home:{next(numbers)}", 30) is not None

    return {
        "offer": lambda: store.offer(thread.key, f"m{next(numbers)}", Draft("INPUT", BODY), digest=b"d"),
        "acquire": acquire,
        "append": lambda: _save(store, thread),
        "renew": lambda: store.renew(thread.lease),
        "put": lambda: store.put("key", BODY, 30),
    }


def _measures(runner: asyncio.Runner, steps: dict[str, Step]) -> dict[str, Measure]:
    async def took(step: Step) -> float:
        begun = time.perf_counter()
        for _ in range(BATCH):
            await step()
        return (time.perf_counter() - begun) * 1000 / BATCH

    return {name: partial(_run, runner, took, step) for name, step in steps.items()}


def _run(runner: asyncio.Runner, took: Callable[[Step], Coroutine[object, object, float]], step: Step) -> float:
    return runner.run(took(step))


def run(frame: Frame) -> list[Row]:
    """The bars: each write 6 raw round trips, and the same for 5,000 messages as for 10."""
    if find_binaries() is None:
        sys.exit("bench postgres: there is no PostgreSQL here: install postgresql, or `./dev setup`")
    # With fsync, unlike the tests' servers: what is measured is mostly the disk.
    with running_postgres() as server, asyncio.Runner() as runner:
        store = PostgresStore(server.url(), SystemClock(), random_id, answer_s=60)
        runner.run(store.open())
        try:
            with psycopg.connect(server.url()) as connection:
                connection.execute("CREATE TABLE raw (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea)")
                connection.execute("CREATE TABLE snapshot (id int PRIMARY KEY, body bytea)")
            raw = runner.run(psycopg.AsyncConnection.connect(server.url(), autocommit=True))
            try:
                return [
                    *_writes(frame, runner, store, raw),
                    *_turns(frame, runner, store, raw),
                    *_tail(frame, runner, store, raw),
                ]
            finally:
                runner.run(raw.close())
        finally:
            runner.run(store.close())


def _writes(frame: Frame, runner: asyncio.Runner, store: PostgresStore, raw: psycopg.AsyncConnection) -> list[Row]:
    limit = "raw INSERT and commit"
    thread, other = runner.run(_thread(store, 10)), runner.run(_thread(store, 10))
    steps: dict[str, Step] = {limit: lambda: raw.execute(_RAW, (BODY,), prepare=True)}
    steps |= _steps(store, thread, other)
    found = frame.compare(_measures(runner, steps), "ms")
    return [found.row(limit), *(found.row(name, limit, bar=6.0) for name in steps if name != limit)]


def _turns(frame: Frame, runner: asyncio.Runner, store: PostgresStore, raw: psycopg.AsyncConnection) -> list[Row]:
    ours: dict[str, Step] = {}
    whole: dict[str, Step] = {}
    for messages in MESSAGES:
        thread = runner.run(_thread(store, messages))
        runner.run(raw.execute("INSERT INTO snapshot VALUES (%s, '')", (messages,)))
        ours[f"save a turn, {messages:,} messages"] = partial(_save, store, thread)
        whole[f"whole conversation, {messages:,} messages"] = partial(_snapshot, raw, messages)
    # Ours by themselves first: whoever comes after a large snapshot waits for what that left to the disk.
    alone, both = (frame.compare(_measures(runner, steps), "ms") for steps in (ours, ours | whole))
    few, *_, many = ours
    return [
        *(alone.row(name) for name in ours if name != many),
        alone.row(many, few, bar=1.1),
        *(both.row(name, one) for name, one in zip(whole, ours, strict=True)),
    ]


async def _snapshot(raw: psycopg.AsyncConnection, messages: int) -> None:
    """A turn as it would be kept by writing down the whole conversation."""
    whole = [{"role": "user", "text": BODY.decode()}] * messages
    await raw.execute(_SNAPSHOT, (json.dumps(whole).encode(), messages), prepare=True)


def _tail(frame: Frame, runner: asyncio.Runner, store: PostgresStore, raw: psycopg.AsyncConnection) -> list[Row]:
    limit = "raw SELECT 1"
    thread = runner.run(_thread(store, MESSAGES[-1]))
    steps: dict[str, Step] = {
        limit: lambda: raw.execute("SELECT 1", prepare=True),
        "head": lambda: store.head(thread.key),
        "find(ready)": lambda: store.find(ready=True),
        f"newest {TAIL} of 5,000 messages": lambda: store.read(thread.key, reverse=True, limit=TAIL),
    }
    found = frame.compare(_measures(runner, steps), "ms")
    return [found.row(limit), *(found.row(name, limit) for name in steps if name != limit)]
