"""Statements in the PostgreSQL schema of the notes; those of a note go in the transaction that removes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from sulla.memory.entities.base import DRAWN_KINDS, NEWEST, Kept, Revision
from sulla.memory.entities.statement import Statement, statement_from_json, statement_to_json
from sulla.memory.note import MemoryNote, note_from_json

T = TypeVar("T")

_LOCK: Final = 0x53554C45
"""The advisory lock of whoever adds statements: "SULE". Numbers are given under it, so they become visible in their
order, and no two daemons keep what they drew from the same note."""

_MORE_S: Final = 8 * 1024 * 1024
"""What a write counts as beside its rows, in bytes, so that its deadline leaves room for a page of removals."""


def tables(schema: str) -> str:
    """The statements of SQL that make the tables beside that of the notes.

    Args:
        schema: where they are.
    """
    return f"""
CREATE TABLE IF NOT EXISTS {schema}.statement (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, scope text NOT NULL,
    person boolean NOT NULL, body text NOT NULL);
CREATE INDEX IF NOT EXISTS statement_by_scope ON {schema}.statement (scope, person, seq);
CREATE INDEX IF NOT EXISTS statement_by_seq ON {schema}.statement (scope, seq);
CREATE TABLE IF NOT EXISTS {schema}.source (
    note bigint NOT NULL REFERENCES {schema}.note (number) ON DELETE CASCADE,
    statement bigint NOT NULL REFERENCES {schema}.statement (seq) ON DELETE CASCADE, PRIMARY KEY (note, statement));
CREATE INDEX IF NOT EXISTS source_by_statement ON {schema}.source (statement);
CREATE TABLE IF NOT EXISTS {schema}.removals (scope text PRIMARY KEY, number bigint NOT NULL)
"""


HAS_COLUMN: Final = (
    "SELECT 1 FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'drawn' AND NOT attisdropped"
)
"""Whether the notes' table has the mark already: to add it locks that, also where it is there."""


def column(schema: str) -> str:
    """The statement of SQL that adds the mark to the notes' table.

    Args:
        schema: where that is.
    """
    return f"ALTER TABLE {schema}.note ADD COLUMN IF NOT EXISTS drawn boolean NOT NULL DEFAULT false"


class StatementConnection(Protocol):
    """A connection, in autocommit."""

    def execute(self, query: Any, params: Any = None, /) -> Awaitable[Any]:  # noqa: ANN401 - the library's own forms
        """Run one statement; the answer is its cursor."""

    def transaction(self) -> Any:  # noqa: ANN401 - the library's own form
        """A block that counts as a whole or not at all."""


class StatementConnections(Protocol):
    """Connections to the schema; `store.postgres.pool.ConnectionPool` has them."""

    async def ask(self, work: Callable[[Any], Awaitable[T]], *, size: int = 0) -> T:
        """Run `work` on a connection."""


_UNDRAWN = """SELECT body FROM (
        SELECT newest.at_ms, newest.number, newest.body, newest.drawn FROM unnest(%s::text[]) AS asked (kind)
        CROSS JOIN LATERAL (SELECT at_ms, number, body, drawn FROM note
            WHERE note.scope = %s AND note.kind = asked.kind ORDER BY at_ms DESC, number DESC LIMIT %s) AS newest
    ) AS every WHERE NOT drawn ORDER BY at_ms, number LIMIT %s"""
_PUT = """INSERT INTO statement (id, scope, person, body) VALUES (%s, %s, %s, %s)
    ON CONFLICT (id) DO NOTHING RETURNING seq"""
_GONE = """WITH gone AS (DELETE FROM statement WHERE {} RETURNING scope),
    counted AS (INSERT INTO removals AS known SELECT scope, count(*) FROM gone GROUP BY scope ORDER BY scope
        ON CONFLICT (scope) DO UPDATE SET number = known.number + excluded.number)
    SELECT count(*) FROM gone"""
_OF_NOTES = _GONE.format("seq IN (SELECT statement FROM source WHERE note = ANY(%s))")
_OF_IDS = _GONE.format("id = ANY(%s)")
_OLDEST = _GONE.format(
    """seq IN (SELECT seq FROM statement WHERE scope = %s AND NOT person ORDER BY seq
    LIMIT greatest(0, (SELECT count(*) FROM statement WHERE scope = %s AND NOT person) - %s))"""
)


class PostgresStatements:
    """Implements `StatementStore` in a PostgreSQL, for any number of daemons.

    Args:
        pool: to the server, with the notes' schema as their search path.
    """

    def __init__(self, pool: StatementConnections) -> None:
        self._pool = pool

    async def undrawn(self, scope: str, limit: int) -> list[MemoryNote]:
        """Notes from which nothing was drawn yet."""
        rows = await self._ask(_UNDRAWN, list(DRAWN_KINDS), scope, NEWEST, limit)
        return [note_from_json(body) for (body,) in rows]

    async def put(
        self, scope: str, statements: Sequence[Statement], drawn: Sequence[str] = (), most: int | None = None
    ) -> bool:
        """Keep statements, and what they were drawn from."""

        async def work(line: StatementConnection) -> bool:
            async with line.transaction():
                await line.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
                sources = sorted({*drawn, *(source for one in statements for source in one.source)})
                # None of them is removed until this is done, and what is removed after takes this along.
                asked = "SELECT id, number, drawn FROM note WHERE id = ANY(%s) ORDER BY number FOR UPDATE"
                rows = await _rows(line, asked, sources)
                there, marked = {id_: number for id_, number, _ in rows}, {id_ for id_, _, done in rows if done}
                if marked.intersection(drawn):
                    return False
                await line.execute("UPDATE note SET drawn = true WHERE id = ANY(%s)", (list(drawn),))
                for one in statements:
                    await _put(line, one, there)
                if most is not None:
                    await line.execute(_OLDEST, (scope, scope, most))
                return True

        return await self._pool.ask(work, size=_MORE_S)

    async def revision(self, scope: str) -> Revision:
        """How a memory's statements are by now."""
        asked = """SELECT coalesce((SELECT max(seq) FROM statement WHERE scope = %s), 0),
            coalesce((SELECT number FROM removals WHERE scope = %s), 0)"""
        ((last, removed),) = await self._ask(asked, scope, scope)
        return Revision(int(last), int(removed))

    async def since(self, scope: str, after: int, limit: int) -> list[Kept]:
        """Statements in their order."""
        asked = "SELECT seq, body FROM statement WHERE scope = %s AND seq > %s ORDER BY seq LIMIT %s"
        return [Kept(seq, statement_from_json(body)) for seq, body in await self._ask(asked, scope, after, limit)]

    async def scopes(self) -> list[str]:
        """Every memory that has statements."""
        return sorted(scope for (scope,) in await self._ask("SELECT DISTINCT scope FROM statement"))

    async def remove(self, ids: Sequence[str]) -> int:
        """Remove statements."""
        ((gone,),) = await self._ask(_OF_IDS, list(ids))
        return int(gone)

    async def _ask(self, query: str, *params: object) -> list[tuple[Any, ...]]:
        async def work(line: StatementConnection) -> list[tuple[Any, ...]]:
            return await _rows(line, query, *params)

        return await self._pool.ask(work, size=_MORE_S)


async def remove_of(line: StatementConnection, notes: Sequence[int]) -> None:
    """Remove what was drawn from notes; for whoever removes these, in the same transaction.

    Args:
        line: in that transaction, with the notes locked.
        notes: their numbers.
    """
    await line.execute(_OF_NOTES, (list(notes),))


async def _put(line: StatementConnection, one: Statement, there: dict[str, int]) -> None:
    if not set(one.source) <= there.keys():
        return
    rows = await _rows(line, _PUT, one.id, one.scope, one.by_person, statement_to_json(one))
    if rows and one.source:
        kept = "INSERT INTO source SELECT unnest(%s::bigint[]), %s ON CONFLICT DO NOTHING"
        await line.execute(kept, ([there[source] for source in one.source], rows[0][0]))


async def _rows(line: StatementConnection, query: str, *params: object) -> list[tuple[Any, ...]]:
    return list(await (await line.execute(query, params)).fetchall())
