"""The tables are made once, by whoever comes first, and what is not ours or cannot be used is refused by name."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock, random_id
from sulla.store.base import Store
from sulla.store.postgres.schema import MIGRATIONS, migrations
from sulla.store.postgres.store import PostgresStore
from tests.kits.store_world import KEY, kinds, make, send
from tests.servers.not_run import free_port
from tests.servers.stores.postgres import PASSWORD, USER, PostgresServer

CHILD = """
import asyncio, sys
from sulla.host.system import SystemClock, random_id
from sulla.store.postgres.store import PostgresStore

async def main():
    store = PostgresStore(sys.argv[1], SystemClock(), random_id)
    sys.stdin.readline()
    await store.open()
    print(await store.incarnation())
    await store.close()

asyncio.run(main())
"""
"""Opens a store when it is told to."""


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """An empty database."""
    return postgres_server.emptied()


@contextmanager
def _raw(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def _store(url: str) -> PostgresStore:
    return PostgresStore(url, SystemClock(), random_id, answer_s=30)


async def _opened(url: str) -> AsyncIterator[Store]:
    store = _store(url)
    await store.open()
    yield store
    await store.close()


async def _refused(url: str) -> str:
    """What a store that cannot be opened says."""
    store = _store(url)
    with pytest.raises(StoreUnavailable) as told:
        await store.open()
    with pytest.raises(StoreUnavailable, match="not open"):
        await store.ping()
    await store.close()
    said = str(told.value)
    assert PASSWORD not in said
    assert url.rpartition("@")[2].partition("?")[0] in said, "it names the place"
    return said


# ---------------------------------------------------------------------------------------------------- migrations


def test_migrations_are_numbered_without_holes() -> None:
    assert [path.name[:5] for path in sorted(MIGRATIONS.iterdir())] == [
        f"{n:04}_" for n in range(1, len(migrations()) + 1)
    ]


async def test_an_empty_database_gets_its_tables_and_keeps_them(url: str) -> None:
    incarnations = set()
    for n in range(2):
        async for store in _opened(url):
            incarnations.add(await store.incarnation())
            if n == 0:
                await make(store)
            assert await kinds(store) == ["CREATED"]
    assert len(incarnations) == 1
    with _raw(url) as raw:
        assert raw.execute("SELECT value FROM sulla.meta WHERE name = 'version'").fetchone() == (
            str(len(migrations())),
        )


@pytest.mark.parametrize("version", range(1, len(migrations())))
async def test_tables_of_an_earlier_version_are_brought_up_to_date(url: str, version: int) -> None:
    with _raw(url) as raw:
        raw.execute("CREATE SCHEMA sulla")
        raw.execute("SET search_path = sulla")
        raw.execute("CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL)")
        raw.execute("INSERT INTO meta VALUES ('incarnation', 'store_old'), ('version', %s)", (str(version),))
        for step in migrations()[:version]:
            raw.execute(step.encode())
    async for store in _opened(url):
        assert await store.incarnation() == "store_old"
        await make(store)
        await send(store, "m1")


async def test_a_migration_that_fails_leaves_nothing_behind(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n, step in enumerate([*migrations(), "CREATE TABLE half (a int); SELECT 1 / 0"], 1):
        (tmp_path / f"{n:04}_step.sql").write_text(step)
    with monkeypatch.context() as patch:
        patch.setattr("sulla.store.postgres.schema.MIGRATIONS", tmp_path)
        with pytest.raises(psycopg.errors.DivisionByZero):
            await _store(url).open()
    with _raw(url) as raw:
        assert raw.execute("SELECT to_regnamespace('sulla')").fetchone() == (None,)
    async for store in _opened(url):
        await make(store)


def test_two_processes_that_come_at_once_make_one_store(url: str) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [child.communicate(timeout=30) for child in children]
    assert [child.returncode for child in children] == [0, 0], said
    assert len({incarnation for incarnation, _ in said}) == 1


async def test_so_do_many_handles_that_come_at_once(url: str) -> None:
    stores = [_store(url) for _ in range(8)]
    await asyncio.gather(*(store.open() for store in stores))
    assert len({await store.incarnation() for store in stores}) == 1
    for store in stores:
        await store.close()


async def test_tables_of_a_later_version_are_left_alone(url: str) -> None:
    async for store in _opened(url):
        await make(store)
    with _raw(url) as raw:
        raw.execute("UPDATE sulla.meta SET value = '99' WHERE name = 'version'")
    assert f"has version 99, and this Sulla knows versions up to {len(migrations())}" in await _refused(url)
    with _raw(url) as raw:
        assert raw.execute("SELECT count(*) FROM sulla.records").fetchone() == (1,)


@pytest.mark.parametrize("table", ["diary (day text)", "meta (name text, value text)"])
async def test_another_programs_tables_are_left_alone(url: str, table: str) -> None:
    with _raw(url) as raw:
        raw.execute(f"CREATE SCHEMA sulla; CREATE TABLE sulla.{table}".encode())
    assert "its schema 'sulla' holds another program's tables" in await _refused(url)
    with _raw(url) as raw:
        assert raw.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'sulla'").fetchone() == (1,)


# ------------------------------------------------------------------------------------------------- what is refused


async def test_a_wrong_password_is_said_to_be_one(postgres_server: PostgresServer) -> None:
    assert "check the user and the password" in await _refused(postgres_server.url(password="hunter2-hunter2"))


async def test_a_database_that_is_not_there_is_named(postgres_server: PostgresServer) -> None:
    said = await _refused(postgres_server.url("missing"))
    assert "CREATE DATABASE" in said
    assert '"missing" does not exist' in said


async def test_a_server_that_is_not_there_is_named() -> None:
    said = await _refused(f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{free_port()}/x")
    assert "start the server, or check the host and the port in the URL" in said


async def test_a_socket_that_is_not_there_is_named(tmp_path: Path) -> None:
    store = _store(f"postgresql:///x?host={tmp_path}")
    with pytest.raises(StoreUnavailable, match=r"start the server, or check the socket's folder"):
        await store.open()


async def test_a_socket_does_as_well(postgres_server: PostgresServer) -> None:
    async for store in _opened(postgres_server.socket_url()):
        await store.ping()


async def test_of_several_hosts_the_one_that_answers_is_used(postgres_server: PostgresServer) -> None:
    hosts = f"127.0.0.1:{free_port()},127.0.0.1:{postgres_server.port}"
    async for store in _opened(f"postgresql://{USER}:{PASSWORD}@{hosts}/postgres"):
        await store.ping()


async def test_a_database_that_cannot_hold_every_character_is_refused(postgres_server: PostgresServer) -> None:
    name = random_id("db")
    with _raw(postgres_server.url()) as raw:
        raw.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0".encode())
    url = postgres_server.url(name)
    assert "encoding is LATIN1" in await _refused(url)


async def test_a_user_without_the_right_to_make_tables_is_told_so(postgres_server: PostgresServer, url: str) -> None:
    name = random_id("user")
    with _raw(postgres_server.url()) as raw:
        raw.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'".encode())
    guest = url.replace(f"//{USER}:", f"//{name}:")
    assert "make it the owner of the database" in await _refused(guest)


async def test_a_user_who_was_given_a_schema_needs_no_more(postgres_server: PostgresServer, url: str) -> None:
    name = random_id("user")
    with _raw(postgres_server.url()) as raw:
        raw.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'".encode())
    with _raw(url) as raw:
        raw.execute(f"CREATE SCHEMA sulla AUTHORIZATION {name}".encode())
    async for store in _opened(url.replace(f"//{USER}:", f"//{name}:")):
        await make(store)
        assert await kinds(store, KEY) == ["CREATED"]
