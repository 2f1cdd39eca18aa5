"""Connections are few, are used anew, and belong to nobody who went away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock, random_id
from sulla.store.postgres import pool as postgres_pool
from sulla.store.postgres.pool import ConnectionPool, Line
from sulla.store.postgres.url import parse_address
from tests.servers.stores.postgres import PostgresServer
from tests.soon import PatientClock, a_pause

MOST = 3


@pytest.fixture
def name() -> str:
    """What the server knows these connections by."""
    return random_id("pool")


@pytest.fixture
async def pool(postgres_server: PostgresServer, name: str) -> AsyncIterator[ConnectionPool]:
    address = parse_address(f"{postgres_server.url()}?application_name={name}")
    pool = ConnectionPool(address, "public", SystemClock(), most=MOST, answer_s=20)
    await pool.open()
    yield pool
    await pool.close()


def _connected(server: PostgresServer, name: str) -> int:
    with psycopg.connect(server.url()) as other:
        found = other.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", (name,)).fetchone()
    assert found is not None
    return int(found[0])


async def _pid(line: Line) -> int:
    cursor = await line.execute("SELECT pg_backend_pid()")
    row = await cursor.fetchone()
    assert row is not None
    return int(str(row[0]))


async def test_a_connection_is_used_anew(pool: ConnectionPool) -> None:
    assert len({await pool.ask(_pid) for _ in range(10)}) == 1


async def test_many_who_ask_at_once_share_a_few(
    pool: ConnectionPool, postgres_server: PostgresServer, name: str
) -> None:
    pids, all_used = set(), asyncio.Event()

    async def work(line: Line) -> None:
        pids.add(await _pid(line))
        if len(pids) == MOST:
            all_used.set()
        await all_used.wait()

    await asyncio.gather(*(pool.ask(work) for _ in range(50)))
    assert len(pids) == MOST
    assert _connected(postgres_server, name) == MOST


async def test_closing_lets_go_of_all(pool: ConnectionPool, postgres_server: PostgresServer, name: str) -> None:
    asked = [asyncio.ensure_future(pool.ask(_pid)) for _ in range(10)]
    await asyncio.sleep(0)
    await pool.close()
    assert all(isinstance(pid, int) for pid in await asyncio.gather(*asked)), "what was asked is finished"
    async with asyncio.timeout(50):
        while _connected(postgres_server, name):
            await a_pause()
    with pytest.raises(StoreUnavailable, match="not open"):
        await pool.ask(_pid)
    await pool.close()


async def test_an_asker_who_goes_away_cuts_nothing_off(pool: ConnectionPool) -> None:
    done: list[int] = []

    async def work(line: Line) -> None:
        done.append(await _pid(line))

    asked = asyncio.ensure_future(pool.ask(work))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await pool.close()
    assert len(done) == 1


async def test_a_statement_that_fails_costs_no_connection(pool: ConnectionPool) -> None:
    before = await pool.ask(_pid)
    for _ in range(5):
        with pytest.raises(psycopg.errors.DivisionByZero):
            await pool.ask(lambda line: line.execute("SELECT 1 / 0"))
    assert await pool.ask(_pid) == before


async def test_a_transaction_that_was_left_open_ends_with_its_connection(pool: ConnectionPool) -> None:
    before = await pool.ask(_pid)
    await pool.ask(lambda line: line.execute("BEGIN"))
    assert await pool.ask(_pid) != before


async def test_too_many_calls_are_refused_at_once(pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_pool, "MAX_CALLS", 5)
    asked = asyncio.gather(*(pool.ask(_pid) for _ in range(8)), return_exceptions=True)
    found = [type(answer) for answer in await asked]
    assert (found.count(int), found.count(StoreUnavailable)) == (5, 3)


async def test_a_call_that_waits_for_a_connection_in_vain_is_late_as_well(
    postgres_server: PostgresServer,
) -> None:
    clock = PatientClock()
    pool = ConnectionPool(parse_address(postgres_server.url()), "public", clock, most=1, answer_s=0.3)
    await pool.open()
    began, held, ran = asyncio.Event(), asyncio.Event(), []

    async def hold(line: Line) -> None:
        began.set()
        await held.wait()

    async def run(line: Line) -> None:
        ran.append(line)

    first = asyncio.ensure_future(pool.ask(hold))
    await began.wait()
    clock.patience_s = 0.0
    second = asyncio.ensure_future(pool.ask(run))
    with pytest.raises(StoreUnavailable, match=r"did not answer within 0\.3 s"):
        await second
    held.set()
    await first
    await pool.close()
    assert ran == [], "what nobody waits for any more was not begun"


async def test_a_server_without_a_free_connection_says_what_to_do(postgres_server: PostgresServer) -> None:
    user = random_id("user")
    with psycopg.connect(postgres_server.url(), autocommit=True) as server:
        server.execute(f"CREATE ROLE {user} LOGIN PASSWORD 'long enough' CONNECTION LIMIT 0".encode())
    url = postgres_server.url(user=user, password="long enough".replace(" ", "%20"))
    pool = ConnectionPool(parse_address(url), "public", SystemClock(), most=1, answer_s=20)
    await pool.open()
    with pytest.raises(StoreUnavailable, match="raise its max_connections, or run fewer daemons"):
        await pool.ask(_pid)
    await pool.close()
