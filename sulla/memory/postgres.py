"""Notes in the tables of a PostgreSQL schema of their own, found by an index of words that is ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from sulla.core.search.ranking import MOST_MATCHES, impacts, rarity, telling
from sulla.core.search.terms import asked_terms
from sulla.memory.entities import postgres as entities
from sulla.memory.fusion import WordSpread
from sulla.memory.note import (
    MAX_REMOVED,
    TURNS,
    Kind,
    MemoryCapacity,
    MemoryHit,
    MemoryNote,
    ReadPosition,
    note_from_json,
    note_to_json,
)
from sulla.memory.note import progress_from_json as read_progress
from sulla.memory.note import progress_to_json as write_progress
from sulla.memory.postgres_vectors import HAS_COLUMN, PostgresVectors, column, tables

T = TypeVar("T")

SCHEMA: Final = "sulla_memory"
"""Where the tables are."""

_LOCK = 0x53554C4D
"""The advisory lock of whoever makes them: "SULM"."""

_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE IF NOT EXISTS {SCHEMA}.note (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, scope text NOT NULL,
    kind text NOT NULL, thread text NOT NULL, at_ms bigint NOT NULL, body text NOT NULL);
CREATE INDEX IF NOT EXISTS note_by_time ON {SCHEMA}.note (scope, kind, at_ms, number);
CREATE INDEX IF NOT EXISTS note_by_thread ON {SCHEMA}.note (thread, kind);
CREATE TABLE IF NOT EXISTS {SCHEMA}.posting (
    note bigint NOT NULL, scope text NOT NULL, term text NOT NULL, impact real NOT NULL, PRIMARY KEY (note, term));
CREATE INDEX IF NOT EXISTS posting_by_term ON {SCHEMA}.posting (scope, term, impact DESC) INCLUDE (note);
CREATE TABLE IF NOT EXISTS {SCHEMA}.spread (
    scope text NOT NULL, term text NOT NULL, notes bigint NOT NULL, PRIMARY KEY (scope, term));
CREATE TABLE IF NOT EXISTS {SCHEMA}.size (
    scope text NOT NULL, kind text NOT NULL, notes bigint NOT NULL, PRIMARY KEY (scope, kind));
CREATE TABLE IF NOT EXISTS {SCHEMA}.reading (thread text COLLATE "C" PRIMARY KEY, place text NOT NULL)
"""

# The rows of the counters are taken in order, so that two daemons cannot wait for each other.
_COUNT_TERMS = """INSERT INTO spread AS known SELECT scope, term, count(*) FROM posting WHERE note = ANY(%s)
    GROUP BY scope, term ORDER BY scope, term
    ON CONFLICT (scope, term) DO UPDATE SET notes = known.notes + excluded.notes"""
_COUNT_NOTES = """INSERT INTO size AS known SELECT scope, kind, count(*) FROM note WHERE number = ANY(%s)
    GROUP BY scope, kind ORDER BY scope, kind
    ON CONFLICT (scope, kind) DO UPDATE SET notes = known.notes + excluded.notes"""
_UNCOUNTED = """DELETE FROM spread WHERE notes < 1
    AND (scope, term) IN (SELECT scope, term FROM posting WHERE note = ANY(%s))"""
_INSERT = """INSERT INTO note (id, scope, kind, thread, at_ms, body)
    SELECT id, scope, kind, thread, at_ms, body
    FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::text[]) WITH ORDINALITY
        AS given (id, scope, kind, thread, at_ms, body, place) ORDER BY place
    ON CONFLICT (id) DO NOTHING RETURNING number, id"""
_POST = """INSERT INTO posting (note, scope, term, impact)
    SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::real[])"""
_SIZES = "SELECT scope, sum(notes)::bigint FROM size WHERE scope = ANY(%s) GROUP BY scope"
_SEARCH = """SELECT note.body, best.score FROM (
        SELECT hit.note AS number, sum(hit.impact * word.weight)::float8 AS score
        FROM unnest(%s::text[], %s::text[], %s::float8[]) AS word (scope, term, weight)
        CROSS JOIN LATERAL (SELECT posting.note, posting.impact FROM posting
            WHERE posting.scope = word.scope AND posting.term = word.term ORDER BY posting.impact DESC LIMIT %s) AS hit
        GROUP BY hit.note ORDER BY score DESC, hit.note DESC LIMIT %s) AS best
    JOIN note USING (number) ORDER BY best.score DESC, number DESC"""


class PostgresConnection(Protocol):
    """A connection, in autocommit."""

    def execute(self, query: Any, params: Any = None, /) -> Awaitable[Any]:  # noqa: ANN401 - the library's own forms
        """Run one statement; the answer is its cursor."""

    def transaction(self) -> Any:  # noqa: ANN401 - the library's own form
        """A block that counts as a whole or not at all."""


class PostgresConnections(Protocol):
    """Connections to the schema; `store.postgres.pool.ConnectionPool` has them."""

    async def open(self) -> None:
        """Take calls."""

    async def close(self) -> None:
        """Take no more calls."""

    async def ask(self, work: Callable[[Any], Awaitable[T]], *, size: int = 0) -> T:
        """Run `work` on a connection."""


class PostgresMemory:
    """Implements `MemoryIndex` in a PostgreSQL, for any number of daemons.

    Args:
        pool: to the server, with `SCHEMA` as their search path.
        capacity: how much is kept.
    """

    def __init__(self, pool: PostgresConnections, capacity: MemoryCapacity | None = None) -> None:
        self.vectors = PostgresVectors(pool)
        """Keeps the notes' vectors in the same schema."""
        self.statements = entities.PostgresStatements(pool)
        """Keeps what was drawn from them there too."""
        self._pool = pool
        self._capacity = capacity if capacity is not None else MemoryCapacity()

    async def open(self) -> None:
        """Make the tables where they are missing."""
        await self._pool.open()

        async def work(line: PostgresConnection) -> None:
            async with line.transaction():
                await line.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
                for statement in _TABLES.split(";"):
                    await line.execute(statement.encode())
                if not await _rows(line, HAS_COLUMN, f"{SCHEMA}.note"):
                    await line.execute(column(SCHEMA).encode())
                if not await _rows(line, entities.HAS_COLUMN, f"{SCHEMA}.note"):
                    await line.execute(entities.column(SCHEMA).encode())
                for statement in (*tables(SCHEMA).split(";"), *entities.tables(SCHEMA).split(";")):
                    await line.execute(statement.encode())

        await self._pool.ask(work, size=_PATIENT)

    async def close(self) -> None:
        """Let go of the server."""
        await self._pool.close()

    async def add(self, notes: Sequence[MemoryNote], read: tuple[str, ReadPosition] | None = None) -> None:
        """Keep notes, and how far a thread has been read."""
        touched = sorted({(note.scope, note.kind) for note in notes if note.kind in TURNS})

        async def work(line: PostgresConnection) -> None:
            async with line.transaction():
                await _add(line, notes)
                for scope, kind in touched:
                    await _trim(line, scope, kind, self._capacity.most(kind))
                if read is not None:
                    kept = (
                        "INSERT INTO reading VALUES (%s, %s) ON CONFLICT (thread) DO UPDATE SET place = excluded.place"
                    )
                    await line.execute(kept, (read[0], write_progress(read[1])))

        await self._pool.ask(work, size=_PATIENT + sum(20 * len(note.words) for note in notes))

    async def search(self, scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        """The notes that fit best."""
        asked = asked_terms(question)

        async def work(line: PostgresConnection) -> list[MemoryHit]:
            rows = await _rows(line, _SIZES, list(scopes))
            sizes = {str(scope): int(notes) for scope, notes in rows}
            spread = "SELECT scope, term, notes FROM spread WHERE scope = ANY(%s) AND term = ANY(%s)"
            having = {f"{scope}\0{term}": int(n) for scope, term, n in await _rows(line, spread, list(scopes), asked)}
            chosen = [word.rpartition("\0") for word in telling(list(having), having)]
            owners, terms = [owner for owner, _, _ in chosen], [term for _, _, term in chosen]
            weights = [rarity(sizes.get(owner, 0), having[f"{owner}\0{term}"]) for owner, _, term in chosen]
            found = await _rows(line, _SEARCH, owners, terms, weights, MOST_MATCHES, limit)
            return [MemoryHit(note_from_json(body), score) for body, score in found]

        return await self._pool.ask(work) if asked else []

    async def spread(self, scopes: Sequence[str], words: Sequence[str]) -> WordSpread:
        """How usual words are."""
        sizes = await self._ask(_SIZES, list(scopes))
        asked = "SELECT term, sum(notes)::bigint FROM spread WHERE scope = ANY(%s) AND term = ANY(%s) GROUP BY term"
        rows = await self._ask(asked, list(scopes), list(words))
        return WordSpread(sum(int(notes) for _, notes in sizes), {str(term): int(notes) for term, notes in rows})

    async def recent(
        self, scopes: Sequence[str], kind: Kind, limit: int, before_ms: int | None = None
    ) -> list[MemoryNote]:
        """Notes of a kind, the newest first."""
        before = before_ms if before_ms is not None else 2**62
        asked = """SELECT hit.body FROM unnest(%s::text[]) AS whose
            CROSS JOIN LATERAL (SELECT body, at_ms, number FROM note
                WHERE scope = whose AND kind = %s AND at_ms < %s ORDER BY at_ms DESC, number DESC LIMIT %s) AS hit
            ORDER BY hit.at_ms DESC, hit.number DESC LIMIT %s"""
        rows = await self._ask(asked, list(scopes), kind, before, limit, limit)
        return [note_from_json(body) for (body,) in rows]

    async def scopes(self) -> list[str]:
        """Every scope that has notes."""
        rows = await self._ask("SELECT DISTINCT scope FROM size WHERE notes > 0")
        return sorted(scope for (scope,) in rows)

    async def count(self, scope: str, kind: Kind) -> int:
        """How many notes there are."""
        rows = await self._ask("SELECT notes FROM size WHERE scope = %s AND kind = %s", scope, kind)
        return int(rows[0][0]) if rows else 0

    async def get(self, ids: Sequence[str]) -> list[MemoryNote]:
        """The notes with these ids."""
        found = dict(await self._ask("SELECT id, body FROM note WHERE id = ANY(%s)", list(ids)))
        return [note_from_json(found[one]) for one in ids if one in found]

    async def delete(self, ids: Sequence[str]) -> int:
        """Remove notes for good."""

        async def work(line: PostgresConnection) -> int:
            async with line.transaction():
                rows = await _rows(
                    line, "SELECT number FROM note WHERE id = ANY(%s) ORDER BY number FOR UPDATE", list(ids)
                )
                return await _remove(line, [number for (number,) in rows])

        return await self._pool.ask(work, size=_PATIENT)

    async def progress(self, thread_id: str) -> ReadPosition | None:
        """How far a thread has been read."""
        rows = await self._ask("SELECT place FROM reading WHERE thread = %s", thread_id)
        return read_progress(rows[0][0]) if rows else None

    async def threads(self, after: str, limit: int) -> list[str]:
        """Threads that have been read."""
        asked = "SELECT thread FROM reading WHERE thread > %s ORDER BY thread LIMIT %s"
        return [thread for (thread,) in await self._ask(asked, after, limit)]

    async def drop_thread(self, thread_id: str) -> int:
        """Remove a thread's episodes."""
        mine = "SELECT number FROM note WHERE thread = %s AND kind = ANY(%s) ORDER BY number LIMIT %s FOR UPDATE"

        async def work(line: PostgresConnection) -> int:
            async with line.transaction():
                rows = await _rows(line, mine, thread_id, list(TURNS), MAX_REMOVED)
                gone = await _remove(line, [number for (number,) in rows])
                if gone < MAX_REMOVED:
                    await line.execute("DELETE FROM reading WHERE thread = %s", (thread_id,))
                return gone

        total = gone = await self._pool.ask(work, size=_PATIENT)
        while gone == MAX_REMOVED:
            gone = await self._pool.ask(work, size=_PATIENT)
            total += gone
        return total

    async def compact(self) -> None:
        """Nothing of it is on this machine."""

    async def _ask(self, query: str, *params: object) -> list[tuple[Any, ...]]:
        async def work(line: PostgresConnection) -> list[tuple[Any, ...]]:
            return await _rows(line, query, *params)

        return await self._pool.ask(work)


_PATIENT = 8 * 1024 * 1024
"""What a write counts as, in bytes, so that its deadline leaves room for all its rows: two seconds more."""


async def _rows(line: PostgresConnection, query: str, *params: object) -> list[tuple[Any, ...]]:
    return list(await (await line.execute(query, params)).fetchall())


async def _add(line: PostgresConnection, notes: Sequence[MemoryNote]) -> None:
    if not notes:
        return
    known = {note.id: note for note in reversed(notes)}
    rows = [(note.id, note.scope, note.kind, note.thread_id, note.at_ms, note_to_json(note)) for note in notes]
    made = await _rows(line, _INSERT, *(list(column) for column in zip(*rows, strict=True)))
    fresh = {number: known[id_] for number, id_ in made}
    postings = [
        (number, note.scope, term, impact)
        for number, note in fresh.items()
        for term, impact in impacts(note.words).items()
    ]
    columns = [list(column) for column in zip(*postings, strict=True)] or [[], [], [], []]
    await line.execute(_POST, columns)
    await line.execute(_COUNT_TERMS, (list(fresh),))
    await line.execute(_COUNT_NOTES, (list(fresh),))


async def _trim(line: PostgresConnection, scope: str, kind: Kind, most: int) -> None:
    ((kept,),) = await _rows(line, "SELECT notes FROM size WHERE scope = %s AND kind = %s", scope, kind)
    oldest = "SELECT number FROM note WHERE scope = %s AND kind = %s ORDER BY at_ms, number LIMIT %s FOR UPDATE"
    if kept > most:
        over = min(kept - most, MAX_REMOVED)
        await _remove(line, [number for (number,) in await _rows(line, oldest, scope, kind, over)])


async def _remove(line: PostgresConnection, numbers: list[int]) -> int:
    if not numbers:
        return 0
    await line.execute(_COUNT_TERMS.replace("count(*)", "-count(*)"), (numbers,))
    await line.execute(_COUNT_NOTES.replace("count(*)", "-count(*)"), (numbers,))
    await line.execute(_UNCOUNTED, (numbers,))
    await entities.remove_of(line, numbers)
    await line.execute("DELETE FROM posting WHERE note = ANY(%s)", (numbers,))
    await line.execute("DELETE FROM note WHERE number = ANY(%s)", (numbers,))
    return len(numbers)
