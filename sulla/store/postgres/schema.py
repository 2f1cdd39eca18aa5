"""The tables of the PostgreSQL backend, made and brought up to date by numbered files of SQL."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from psycopg import sql

from sulla.core.errors import StoreUnavailable
from sulla.store.postgres.pool import Line

MIGRATIONS = Path(__file__).with_name("migrations")
"""Its files in order of their names: number n makes version n from n - 1. Once released, one is never changed."""

OLDEST_SERVER = 140_000
"""PostgreSQL 14, as `server_version` counts."""

_LOCK = 0x53554C41
"""The advisory lock of whoever migrates: "SULA"."""

_WAIT_MS = 60_000
"""How long to wait for another process that migrates, and how long a migration may take, in milliseconds."""


def migrations() -> list[str]:
    """The statements of each migration, in order."""
    return [path.read_text(encoding="utf-8") for path in sorted(MIGRATIONS.glob("*.sql"))]


async def migrate(line: Line, schema: str, shown: str, incarnation: str) -> None:
    """Make the tables or bring them up to date, in one transaction; of several processes one does it.

    Args:
        line: a connection whose search path is the schema.
        schema: where the tables are, or are to be.
        shown: where the server is, for people.
        incarnation: the id for new tables.

    Raises:
        StoreUnavailable: they are another program's or a later version's, or the server is not fit.
        psycopg.Error: the server failed.
    """
    await _check_server(line, shown)
    steps = migrations()
    if await _version(line, schema, shown) == len(steps):
        return
    async with line.transaction():
        await line.execute(f"SET LOCAL statement_timeout = {_WAIT_MS}".encode())
        await line.execute(f"SET LOCAL lock_timeout = {_WAIT_MS}".encode())
        await line.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
        # Asked again: another process may have been faster.
        version = await _version(line, schema, shown)
        if version == 0:
            await _create(line, schema, incarnation)
        for step in steps[version:]:
            await line.execute(step.encode())
        await line.execute("UPDATE meta SET value = %s WHERE name = 'version'", (str(len(steps)),))


async def _check_server(line: Line, shown: str) -> None:
    encoding = line.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnavailable(
            f"the store {shown}: the database's encoding is {encoding}, and names may hold any character: "
            "name a database made with ENCODING 'UTF8'"
        )
    if line.info.server_version < OLDEST_SERVER:
        version = line.info.parameter_status("server_version")
        raise StoreUnavailable(f"the store {shown}: its PostgreSQL is {version}; expected 14 or later")


async def _version(line: Line, schema: str, shown: str) -> int:
    """The version of the tables; 0 if there are none.

    Raises:
        StoreUnavailable: they are not ours, or of a later version.
    """
    found = await line.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(%s)::oid",
        (sql.Identifier(schema).as_string(line),),
    )
    names = {cast(str, name) for (name,) in await found.fetchall()}
    if not names:
        return 0
    row = None
    if "meta" in names:
        cursor = await line.execute("SELECT value FROM meta WHERE name = 'version'")
        row = await cursor.fetchone()
    if row is None:
        raise StoreUnavailable(
            f"the store {shown}: its schema {schema!r} holds another program's tables: name another database in the URL"
        )
    version, known = int(cast(str, row[0])), len(migrations())
    if version > known:
        raise StoreUnavailable(
            f"the store {shown} has version {version}, and this Sulla knows versions up to {known}: "
            "run the Sulla that made it, or a later one"
        )
    return version


async def _create(line: Line, schema: str, incarnation: str) -> None:
    name = sql.Identifier(schema)
    row = await (await line.execute("SELECT to_regnamespace(%s)", (name.as_string(line),))).fetchone()
    if row is None or row[0] is None:  # To ask for one that is there takes a right that its owner may lack.
        await line.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    await line.execute("CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL)")
    await line.execute("INSERT INTO meta VALUES ('incarnation', %s), ('version', '0')", (incarnation,))
