"""The PostgreSQL backend passes the kit on a real server, asks once for each step, and looks at no idle log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from sulla.host.system import SystemClock, random_id
from sulla.store.postgres import rows
from sulla.store.postgres.pool import Line
from sulla.store.postgres.schema import migrations
from sulla.store.postgres.store import PostgresStore
from sulla.store.requests import FindRequest
from sulla.store.values import Head
from tests.kits.in_turn import in_turn
from tests.kits.store_kit import StoreKit
from tests.kits.store_world import (
    IDLE,
    KEY,
    TTL_S,
    StoreWorld,
    draft,
    make,
    numbers,
    send,
    take,
    write,
)
from tests.servers.stores.postgres import PostgresServer

pytestmark = in_turn(3)

SCHEMA = "kit"
PATIENT_S = 30.0
"""Where nothing is said of deadlines, a busy machine breaks none."""

START_MS = 1_800_000_000_000
TABLES = ("logs", "records", "dedupe", "small", "bus")


class PostgresWorld(StoreWorld):
    """One schema whose server's clock stands still until it is told to move."""

    def __init__(self, url: str, server: psycopg.Connection) -> None:
        self._url = url
        self._server = server
        self._now_ms = START_MS
        for table in TABLES:
            server.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))  # Far quicker than TRUNCATE here.
        self._set_clock()

    def store(self) -> PostgresStore:
        """Another handle on the same data."""
        return PostgresStore(self._url, SystemClock(), random_id, schema=SCHEMA, answer_s=PATIENT_S)

    async def pass_time(self, seconds: float) -> None:
        """Move the server's clock."""
        self._now_ms += round(seconds * 1000)
        self._set_clock()

    def now_ms(self) -> int:
        """The server's wall clock."""
        return self._now_ms

    def _set_clock(self) -> None:
        self._server.execute("UPDATE manual_clock SET ms = %s", (self._now_ms,))


@pytest.fixture(scope="session")
def server(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    """A connection to the kit's schema, whose ``now_ms`` reads a table."""
    url = postgres_server.socket_url()

    async def make() -> None:
        store = PostgresStore(url, SystemClock(), random_id, schema=SCHEMA, answer_s=PATIENT_S)
        await store.open()
        await store.close()

    asyncio.run(make())
    with psycopg.connect(url, autocommit=True, options=f"-c search_path={SCHEMA}") as connection:
        connection.execute("CREATE TABLE manual_clock (ms bigint NOT NULL)")
        connection.execute("INSERT INTO manual_clock VALUES (0)")
        connection.execute(
            "CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT ms FROM manual_clock'"
        )
        yield connection


class TestPostgresStore(StoreKit):
    """One schema is one store."""

    @pytest.fixture
    def world(self, postgres_server: PostgresServer, server: psycopg.Connection) -> StoreWorld:
        return PostgresWorld(postgres_server.socket_url(), server)

    @pytest.fixture
    def new_world(self, postgres_server: PostgresServer, server: psycopg.Connection) -> Callable[[], StoreWorld]:
        return lambda: PostgresWorld(postgres_server.socket_url(), server)


@pytest.fixture
def world(postgres_server: PostgresServer, server: psycopg.Connection) -> PostgresWorld:
    return PostgresWorld(postgres_server.socket_url(), server)


@pytest.fixture
async def store(world: PostgresWorld) -> AsyncIterator[PostgresStore]:
    store = world.store()
    await store.open()
    yield store
    await store.close()


# --------------------------------------------------------------------------------------------------- what it costs


async def test_each_step_is_one_round_trip(store: PostgresStore, tmp_path: Path) -> None:
    await make(store)
    lease = (await take(store)).lease
    number = 0

    async def append() -> object:
        nonlocal number
        number += 1
        return await write(store, lease, number, "A", "B")

    steps: dict[str, Callable[[], Awaitable[object]]] = {
        "offer": lambda: send(store, f"m{number}"),
        "append": append,
        "renew": lambda: store.renew(lease),
        "acquire": lambda: store.acquire(KEY, "home-z:1", TTL_S),
        "acquire with a tail": lambda: store.acquire(KEY, "home-a:later", TTL_S, after=0),
        "read": lambda: store.read(KEY),
        "head": lambda: store.head(KEY),
        "find": lambda: store.find(ready=True),
        "put": lambda: store.put("key", b"value", 9),
        "swap": lambda: store.swap("key", b"value", b"value", 9),
        "swap in vain": lambda: store.swap("key", b"another", b"new", 9),
        "get": lambda: store.get("key"),
        "remove": lambda: store.remove("key"),
        "ping": store.ping,
    }
    asked = {}
    for name, step in steps.items():
        if name != "acquire with a tail":
            await step()  # A connection that meets a statement first asks once more, to prepare it.
        else:
            await store.acquire(KEY, "home-z:1", TTL_S, after=0)
        asked[name] = await _round_trips(store, step, tmp_path / "trace")
    assert asked == dict.fromkeys(steps, 1)


async def _round_trips(store: PostgresStore, step: Callable[[], Awaitable[object]], trace: Path) -> int:
    """How often the client waited for the server: it ends what it asks with a Sync, and then it reads."""

    async def itself(line: Line) -> Line:
        return line

    line = await store._pool.ask(itself)  # There is no other one, so the step gets it, too.
    with trace.open("w") as file:
        line.pgconn.trace(file.fileno())
        await step()
        line.pgconn.untrace()
    return sum("\tSync" in said for said in trace.read_text().splitlines())


async def test_a_sweep_looks_at_no_idle_log(store: PostgresStore, server: psycopg.Connection) -> None:
    server.execute(
        "INSERT INTO logs (key, created_ms, kind, status, agent, consumed, body, due_ms) "
        "SELECT 'idle-' || n, 0, 'thread', 'idle', '', 0, '', CASE WHEN n % 2 = 0 THEN 9000000000000000 END "
        "FROM generate_series(1, 20000) n"
    )
    for key in ("idle-7", "idle-70"):
        await send(store, "m1", key)
    await make(store, "due", Head("beat", due_ms=0))
    await make(store, "open", Head("thread", "open"))
    await make(store, "waits", Head("thread", "suspended"))
    questions = {
        "ready": FindRequest(ready=True, kind=None, status=None, due_before_ms=None, after_key="", limit=100),
        "ready threads": FindRequest(
            ready=True, kind="thread", status=None, due_before_ms=None, after_key="i", limit=100
        ),
        "due": FindRequest(ready=None, kind=None, status=None, due_before_ms=1, after_key="", limit=100),
        "suspended": FindRequest(
            ready=None, kind=None, status="suspended", due_before_ms=None, after_key="", limit=100
        ),
        "open": FindRequest(ready=None, kind="thread", status="open", due_before_ms=None, after_key="", limit=100),
    }
    for analyzed in (False, True):
        if analyzed:
            server.execute("ANALYZE logs")
        touched = {name: _rows_touched(server, question) for name, question in questions.items()}
        assert max(touched.values()) < 20, (analyzed, touched)
    found = await store.find(ready=True)
    assert [info.key for info in found] == ["due", "idle-7", "idle-70", "open"]


def _rows_touched(server: psycopg.Connection, question: FindRequest) -> int:
    """How many rows the statement looked at, those that it threw away included."""
    statement, values = rows.find_of(question)
    server.execute("SET enable_seqscan = off")  # As on every connection of the backend's.
    plan = server.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode(), values).fetchone()
    assert plan is not None
    return _touched(plan[0][0]["Plan"])


def _touched(node: dict[str, Any]) -> int:
    looked = int(node["Actual Rows"]) + int(node.get("Rows Removed by Filter", 0))
    own = looked * int(node["Actual Loops"]) if "Relation Name" in node else 0
    return own + sum(_touched(below) for below in node.get("Plans", ()))


async def test_a_long_answer_comes_in_pages(store: PostgresStore) -> None:
    await make(store)
    lease = (await take(store)).lease
    half = bytes(rows.PAGE_BYTES // 2)
    await store.append(lease, 1, [draft(body=half)] * 7, IDLE, 0)
    await store.append(lease, 2, [draft()] * (rows.PAGE_RECORDS + 10), IDLE, 0)
    last = 8 + rows.PAGE_RECORDS + 10
    assert numbers(await store.read(KEY, limit=10**6)) == list(range(1, last + 1))
    assert numbers(await store.read(KEY, limit=10**6, reverse=True)) == list(range(last, 0, -1))
    assert numbers(await store.read(KEY, after=1, before=6, limit=3, reverse=True)) == [5, 4, 3]
    # A grant's tail ends where a page does; whoever wants the rest reads on.
    await store.release(lease)
    assert numbers((await take(store, after=1)).tail) == [2, 3]


# ------------------------------------------------------------------------------------------------ what it leaves behind


async def test_values_that_ran_out_do_not_pile_up(
    store: PostgresStore, world: PostgresWorld, server: psycopg.Connection
) -> None:
    most = 0
    for n in range(100):
        await store.put(f"key-{n}", b"value", 5)
        await world.pass_time(1)
        most = max(most, _count(server, "small"))
    assert most <= 6


async def test_a_deleted_log_leaves_no_row(store: PostgresStore, server: psycopg.Connection) -> None:
    await make(store)
    await send(store, "m1")
    await store.delete((await take(store)).lease)
    assert [_count(server, table) for table in ("logs", "records", "dedupe")] == [0, 0, 0]


def _count(server: psycopg.Connection, table: str) -> int:
    found = server.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
    assert found is not None
    return int(found[0])


async def test_a_refusal_for_which_there_is_no_reason_is_a_mistake_of_ours(
    store: PostgresStore, server: psycopg.Connection
) -> None:
    await make(store)
    lease = (await take(store)).lease
    server.execute(
        "CREATE OR REPLACE FUNCTION renew(p_key text, p_life bigint, p_epoch bigint, p_owner text, p_ttl_ms bigint, "
        "OUT kept boolean, OUT state logs) LANGUAGE sql AS $$ SELECT false, l FROM logs l WHERE l.key = p_key $$"
    )
    try:
        with pytest.raises(AssertionError, match=r"renew of 'thr_1' was refused by the server, and rules\.py sees no"):
            await store.renew(lease)
    finally:
        server.execute("DROP FUNCTION renew")
        steps = next(text for text in migrations() if "FUNCTION renew" in text)
        start = steps.index("CREATE FUNCTION renew")
        server.execute(steps[start : steps.index("END $$;", start) + 7].encode())
