"""Vectors in the PostgreSQL schema of the notes: foreign keys remove one in the statement that removes its note."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from sulla.memory.note import MAX_REMOVED, MemoryNote, note_from_json
from sulla.memory.vectors.base import NoteVector, Placed, Signed

T = TypeVar("T")

_LOCK: Final = 0x53554C56
"""The advisory lock of whoever adds vectors: "SULV". Numbers are given under it, so they become visible in their order,
and whoever has looked through all up to one has missed nothing."""

_MORE_S: Final = 8 * 1024 * 1024
"""What a write counts as beside its rows, in bytes, so that its deadline leaves room for a page of removals."""


HAS_COLUMN: Final = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = 'placed'"
"""Whether a table of notes has the column that says which have a vector. To add it waits for whoever uses the table, so
it is not tried at each start."""


def column(schema: str) -> str:
    """The statement that adds that column.

    Args:
        schema: where the table is.
    """
    return f"ALTER TABLE {schema}.note ADD COLUMN placed boolean NOT NULL DEFAULT false"


def tables(schema: str) -> str:
    """The statements that make the tables beside that of the notes.

    A vector has less than 2,000 bytes at 768 numbers, so it lies in its row and is not moved out of line.

    Args:
        schema: where they are.
    """
    return f"""
CREATE INDEX IF NOT EXISTS note_unplaced ON {schema}.note (at_ms, number) WHERE NOT placed;
CREATE TABLE IF NOT EXISTS {schema}.space (only_one boolean PRIMARY KEY CHECK (only_one), model text NOT NULL);
CREATE TABLE IF NOT EXISTS {schema}.signature (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    note bigint NOT NULL UNIQUE REFERENCES {schema}.note (number) ON DELETE CASCADE,
    scope text NOT NULL, bits bytea NOT NULL);
CREATE INDEX IF NOT EXISTS signature_by_scope ON {schema}.signature (scope, seq);
CREATE TABLE IF NOT EXISTS {schema}.vector (
    seq bigint PRIMARY KEY REFERENCES {schema}.signature (seq) ON DELETE CASCADE, packed bytea NOT NULL)
"""


class VectorConnection(Protocol):
    """A connection, in autocommit."""

    def execute(self, query: Any, params: Any = None, /) -> Awaitable[Any]:  # noqa: ANN401 - the library's own forms
        """Run one statement; the answer is its cursor."""

    def transaction(self) -> Any:  # noqa: ANN401 - the library's own form
        """A block that counts as a whole or not at all."""


class VectorConnections(Protocol):
    """Connections to the schema; `store.postgres.pool.ConnectionPool` has them."""

    async def ask(self, work: Callable[[Any], Awaitable[T]], *, size: int = 0) -> T:
        """Run `work` on a connection."""


_SPACE = "INSERT INTO space VALUES (true, %s) ON CONFLICT (only_one) DO UPDATE SET model = excluded.model"
_DROP = """WITH old AS (DELETE FROM signature WHERE seq IN (SELECT seq FROM signature ORDER BY seq LIMIT %s)
        RETURNING note),
    bare AS (UPDATE note SET placed = false WHERE number IN (SELECT note FROM old))
    SELECT count(*) FROM old"""
_PUT = """WITH given AS (
        SELECT note.number, note.scope, one.bits, one.packed
        FROM unnest(%s::text[], %s::bytea[], %s::bytea[]) AS one (id, bits, packed) JOIN note USING (id)
        WHERE NOT note.placed FOR UPDATE OF note),
    signed AS (INSERT INTO signature (note, scope, bits) SELECT number, scope, bits FROM given RETURNING seq, note),
    marked AS (UPDATE note SET placed = true WHERE number IN (SELECT number FROM given))
    INSERT INTO vector SELECT signed.seq, given.packed FROM signed JOIN given ON given.number = signed.note
    RETURNING seq"""


class PostgresVectors:
    """Implements `VectorStore` in a PostgreSQL, for any number of daemons.

    Args:
        pool: to the server, with the notes' schema as their search path.
    """

    def __init__(self, pool: VectorConnections) -> None:
        self._pool = pool

    async def use(self, model: str) -> None:
        """Keep vectors of this model from here on."""

        async def work(line: VectorConnection) -> int:
            async with line.transaction():
                await line.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
                if await _model(line) == model:
                    return 0
                await line.execute(_SPACE, ("",))  # nobody adds to these, or finds them, from here on
                ((gone,),) = await _rows(line, _DROP, MAX_REMOVED)
                if gone < MAX_REMOVED:
                    await line.execute(_SPACE, (model,))
                return int(gone)

        while await self._pool.ask(work, size=_MORE_S) == MAX_REMOVED:
            pass

    async def missing(self, limit: int) -> list[MemoryNote]:
        """Notes that have no vector."""
        asked = "SELECT body FROM note WHERE NOT placed ORDER BY at_ms DESC, number DESC LIMIT %s"
        return [note_from_json(body) for (body,) in await self._ask(asked, limit)]

    async def put(self, model: str, vectors: Sequence[NoteVector]) -> int:
        """Keep vectors."""
        once = {one.note.id: one for one in vectors}
        signatures, packed = [one.signature for one in once.values()], [one.packed for one in once.values()]

        async def work(line: VectorConnection) -> int:
            async with line.transaction():
                await line.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
                if await _model(line) != model:
                    return 0
                return len(await _rows(line, _PUT, list(once), signatures, packed))

        return await self._pool.ask(work, size=_MORE_S + sum(map(len, packed))) if once else 0

    async def signed(self, scope: str, after: int, limit: int) -> list[Signed]:
        """Signatures of the model in use."""
        # By the key of the one row: a scan of a whole table counts as so dear that the statement is compiled first.
        asked = """SELECT seq, bits FROM signature WHERE scope = %s AND seq > %s
            AND (SELECT model FROM space WHERE only_one) <> '' ORDER BY seq LIMIT %s"""
        return [Signed(seq, bytes(bits)) for seq, bits in await self._ask(asked, scope, after, limit, binary=True)]

    async def placed(self, scope: str, seqs: Sequence[int]) -> list[Placed]:
        """The notes and vectors under these numbers."""
        # One after the other by their keys: of tables that have just grown the planner knows too little to see it.
        asked = """SELECT one.seq, one.body, one.packed FROM unnest(%s::bigint[]) AS asked (number)
            CROSS JOIN LATERAL (SELECT seq, body, packed FROM signature JOIN vector USING (seq)
                JOIN note ON note.number = signature.note
                WHERE seq = asked.number AND signature.scope = %s LIMIT 1) AS one"""
        rows = await self._ask(asked, list(seqs), scope, binary=True)
        return [Placed(seq, body, bytes(packed)) for seq, body, packed in rows]

    async def _ask(self, query: str, *params: object, binary: bool = False) -> list[tuple[Any, ...]]:
        async def work(line: VectorConnection) -> list[tuple[Any, ...]]:
            return await _rows(line, query, *params, binary=binary)

        return await self._pool.ask(work, size=_MORE_S)


async def _model(line: VectorConnection) -> str:
    rows = await _rows(line, "SELECT model FROM space WHERE only_one")
    return str(rows[0][0]) if rows else ""


async def _rows(line: Any, query: str, *params: object, binary: bool = False) -> list[tuple[Any, ...]]:  # noqa: ANN401
    # As text, bytes come as twice as many hexadecimal digits.
    return list(await (await line.execute(query, params, binary=binary)).fetchall())
