"""The PostgreSQL keeper's steps beside one raw round trip, and saving a turn beside writing the whole conversation."""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from itertools import count

import psycopg

from bench.frame import Frame, Row
from bench.saving import BODY, MESSAGES, Step, Thread, make_thread, measures, save_turn
from sulla.host.system import SystemClock, random_id
from sulla.store.postgres.store import PostgresStore
from sulla.store.values import Draft
from tests.servers.stores.postgres import find_binaries, running_postgres

NAME = "postgres"

TAIL = 512

_RAW = "INSERT INTO raw (body) VALUES (%s)"
_SNAPSHOT = "UPDATE snapshot SET body = %s WHERE id = %s"


def _steps(store: PostgresStore, thread: Thread, other: Thread) -> dict[str, Step]:
    """Every step that writes; each call is one that has not been made before."""
    numbers = count()

    async def acquire() -> None:
        # Another boot of the same home takes over at once, so no release has to be paid for.
        assert await store.acquire(other.key, f"home:{next(numbers)}", 30) is not None

    return {
        "offer": lambda: store.offer(thread.key, f"m{next(numbers)}", Draft("INPUT", BODY), digest=b"d"),
        "acquire": acquire,
        "append": lambda: save_turn(store, thread),
        "renew": lambda: store.renew(thread.lease),
        "put": lambda: store.put("key", BODY, 30),
    }


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
    thread, other = runner.run(make_thread(store, 10)), runner.run(make_thread(store, 10))
    steps: dict[str, Step] = {limit: lambda: raw.execute(_RAW, (BODY,), prepare=True)}
    steps |= _steps(store, thread, other)
    found = frame.compare(measures(runner, steps), "ms")
    return [found.row(limit), *(found.row(name, limit, bar=6.0) for name in steps if name != limit)]


def _turns(frame: Frame, runner: asyncio.Runner, store: PostgresStore, raw: psycopg.AsyncConnection) -> list[Row]:
    ours: dict[str, Step] = {}
    whole: dict[str, Step] = {}
    for messages in MESSAGES:
        thread = runner.run(make_thread(store, messages))
        runner.run(raw.execute("INSERT INTO snapshot VALUES (%s, '')", (messages,)))
        ours[f"save a turn, {messages:,} messages"] = partial(save_turn, store, thread)
        whole[f"whole conversation, {messages:,} messages"] = partial(_snapshot, raw, messages)
    # Ours by themselves first: whoever comes after a large snapshot waits for what that left to the disk.
    alone, both = (frame.compare(measures(runner, steps), "ms") for steps in (ours, ours | whole))
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
    thread = runner.run(make_thread(store, MESSAGES[-1]))
    steps: dict[str, Step] = {
        limit: lambda: raw.execute("SELECT 1", prepare=True),
        "head": lambda: store.head(thread.key),
        "find(ready)": lambda: store.find(ready=True),
        f"newest {TAIL} of 5,000 messages": lambda: store.read(thread.key, reverse=True, limit=TAIL),
    }
    found = frame.compare(measures(runner, steps), "ms")
    return [found.row(limit), *(found.row(name, limit) for name in steps if name != limit)]
