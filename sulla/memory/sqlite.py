"""Notes in a SQLite file of their own, found with FTS5."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from sulla.core.search.ranking import MOST_MATCHES, telling
from sulla.core.search.terms import asked_terms, terms
from sulla.memory.entities.sqlite import SqliteStatements
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
from sulla.memory.sqlite_file import SqliteWorker
from sulla.memory.sqlite_vectors import SqliteVectors


class SqliteMemory:
    """Implements `MemoryIndex` in a file.

    Args:
        thread: has the file open.
        capacity: how much is kept.
    """

    def __init__(self, thread: SqliteWorker, capacity: MemoryCapacity | None = None) -> None:
        self.vectors = SqliteVectors(thread)
        """Keeps the notes' vectors in the same file."""
        self.statements = SqliteStatements(thread)
        """Keeps what was drawn from them there too."""
        self._thread = thread
        self._capacity = capacity if capacity is not None else MemoryCapacity()

    async def open(self) -> None:
        """Open the file."""
        await self._thread.start()

    async def close(self) -> None:
        """Close the file."""
        await self._thread.stop()

    async def add(self, notes: Sequence[MemoryNote], read: tuple[str, ReadPosition] | None = None) -> None:
        """Keep notes, and how far a thread has been read."""

        def work(connection: sqlite3.Connection) -> None:
            touched = {(_add(connection, note), note.kind) for note in notes}
            for scope, kind in sorted(touched):
                if kind in TURNS:
                    _trim(connection, scope, kind, self._capacity.most(kind))
            if read is not None:
                connection.execute("REPLACE INTO reading VALUES (?, ?)", (read[0], write_progress(read[1])))

        await self._thread.write(work)

    async def search(self, scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        """The notes that fit best."""
        asked = asked_terms(question)

        def work(connection: sqlite3.Connection) -> list[MemoryHit]:
            words = [f"{number}x{term}" for number in _numbers(connection, scopes) for term in asked]
            having = _spread(connection, words)
            chosen = telling(words, having)
            if not chosen:
                return []
            match = " OR ".join(f'"{word}"' for word in chosen)
            rows = connection.execute(
                "SELECT note.body, best.score FROM (SELECT number, score FROM (SELECT rowid AS number, "
                "bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?) "
                "ORDER BY score, number DESC LIMIT ?) AS best JOIN note USING (number) "
                "ORDER BY best.score, number DESC",
                (match, MOST_MATCHES, limit),
            )
            return [MemoryHit(note_from_json(body), -score) for body, score in rows]

        return await self._thread.read(work) if asked else []

    async def spread(self, scopes: Sequence[str], words: Sequence[str]) -> WordSpread:
        """How usual words are."""

        def work(connection: sqlite3.Connection) -> WordSpread:
            numbers = _numbers(connection, scopes)
            having = Counter[str]()
            for word, notes in _spread(
                connection, [f"{number}x{word}" for number in numbers for word in words]
            ).items():
                having[word.partition("x")[2]] += notes
            asked = f"SELECT count(*) FROM note WHERE scope IN ({_marks(numbers)})"  # noqa: S608 - question marks
            return WordSpread(connection.execute(asked, numbers).fetchone()[0], having)

        return await self._thread.read(work)

    async def recent(
        self, scopes: Sequence[str], kind: Kind, limit: int, before_ms: int | None = None
    ) -> list[MemoryNote]:
        """Notes of a kind, the newest first."""

        def work(connection: sqlite3.Connection) -> list[MemoryNote]:
            found: list[tuple[int, str]] = []
            for number in _numbers(connection, scopes):
                found += connection.execute(
                    "SELECT at_ms, body FROM note WHERE scope = ? AND kind = ? AND at_ms < ? "
                    "ORDER BY at_ms DESC, number DESC LIMIT ?",
                    (number, kind, before_ms if before_ms is not None else 2**62, limit),
                )
            newest = sorted(found, key=lambda row: -row[0])[:limit]
            return [note_from_json(body) for _, body in newest]

        return await self._thread.read(work)

    async def scopes(self) -> list[str]:
        """Every scope that has notes."""
        asked = "SELECT name FROM scope WHERE EXISTS (SELECT 1 FROM note WHERE scope = scope.number) ORDER BY name"
        return await self._thread.read(lambda connection: [name for (name,) in connection.execute(asked)])

    async def count(self, scope: str, kind: Kind) -> int:
        """How many notes there are."""

        def work(connection: sqlite3.Connection) -> int:
            return sum(_count(connection, number, kind) for number in _numbers(connection, [scope]))

        return await self._thread.read(work)

    async def get(self, ids: Sequence[str]) -> list[MemoryNote]:
        """The notes with these ids."""

        def work(connection: sqlite3.Connection) -> list[MemoryNote]:
            asked = "SELECT body FROM note WHERE id = ?"
            rows = (connection.execute(asked, (one,)).fetchone() for one in ids)
            return [note_from_json(row[0]) for row in rows if row is not None]

        return await self._thread.read(work)

    async def delete(self, ids: Sequence[str]) -> int:
        """Remove notes for good."""

        def work(connection: sqlite3.Connection) -> int:
            asked = "SELECT number FROM note WHERE id = ?"
            rows = [connection.execute(asked, (one,)).fetchone() for one in dict.fromkeys(ids)]
            return _remove(connection, [row[0] for row in rows if row is not None])

        return await self._thread.write(work)

    async def progress(self, thread_id: str) -> ReadPosition | None:
        """How far a thread has been read."""

        def work(connection: sqlite3.Connection) -> ReadPosition | None:
            row = connection.execute("SELECT place FROM reading WHERE thread = ?", (thread_id,)).fetchone()
            return read_progress(row[0]) if row is not None else None

        return await self._thread.read(work)

    async def threads(self, after: str, limit: int) -> list[str]:
        """Threads that have been read."""
        asked = "SELECT thread FROM reading WHERE thread > ? ORDER BY thread LIMIT ?"
        return await self._thread.read(lambda connection: [key for (key,) in connection.execute(asked, (after, limit))])

    async def drop_thread(self, thread_id: str) -> int:
        """Remove a thread's episodes."""

        def work(connection: sqlite3.Connection) -> int:
            asked = "SELECT number FROM note WHERE thread = ? AND kind IN (?, ?) LIMIT ?"
            gone = _remove(
                connection, [number for (number,) in connection.execute(asked, (thread_id, *TURNS, MAX_REMOVED))]
            )
            if gone < MAX_REMOVED:
                connection.execute("DELETE FROM reading WHERE thread = ?", (thread_id,))
            return gone

        total = gone = await self._thread.write(work)
        while gone == MAX_REMOVED:
            gone = await self._thread.write(work)
            total += gone
        return total

    async def compact(self) -> None:
        """Merge the index into one piece, which holds the words of no removed note, and write the file anew."""

        await self._thread.write(_merge)
        await self._thread.read(_vacuum)


def _merge(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


def _vacuum(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")  # which no transaction may be around
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _numbers(connection: sqlite3.Connection, scopes: Iterable[str]) -> list[int]:
    rows = (connection.execute("SELECT number FROM scope WHERE name = ?", (name,)).fetchone() for name in scopes)
    return [row[0] for row in rows if row is not None]


def _add(connection: sqlite3.Connection, note: MemoryNote) -> int:
    """Keep a note; the number of its scope."""
    connection.execute("INSERT OR IGNORE INTO scope (name) VALUES (?)", (note.scope,))
    (scope,) = _numbers(connection, [note.scope])
    row = connection.execute(
        "INSERT OR IGNORE INTO note (id, scope, kind, thread, at_ms, body) VALUES (?, ?, ?, ?, ?, ?) RETURNING number",
        (note.id, scope, note.kind, note.thread_id, note.at_ms, note_to_json(note)),
    ).fetchone()
    if row is not None:
        words = [f"{scope}x{term}" for term in terms(note.words)]
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row[0], " ".join(words)))
        counted = "INSERT INTO spread VALUES (?, 1) ON CONFLICT (word) DO UPDATE SET notes = notes + 1"
        connection.executemany(counted, [(word,) for word in set(words)])
    return scope


def _trim(connection: sqlite3.Connection, scope: int, kind: Kind, most: int) -> None:
    over = _count(connection, scope, kind) - most
    if over > 0:
        oldest = "SELECT number FROM note WHERE scope = ? AND kind = ? ORDER BY at_ms, number LIMIT ?"
        _remove(connection, [number for (number,) in connection.execute(oldest, (scope, kind, min(over, MAX_REMOVED)))])


def _remove(connection: sqlite3.Connection, numbers: Sequence[int]) -> int:
    for number in numbers:
        (text,) = connection.execute("SELECT text FROM words WHERE rowid = ?", (number,)).fetchone()
        gone = [(word,) for word in set(text.split())]
        connection.executemany("UPDATE spread SET notes = notes - 1 WHERE word = ?", gone)
        connection.executemany("DELETE FROM spread WHERE word = ? AND notes < 1", gone)
        connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
        connection.execute("DELETE FROM note WHERE number = ?", (number,))
    return len(numbers)


def _count(connection: sqlite3.Connection, scope: int, kind: Kind) -> int:
    asked = "SELECT count(*) FROM note WHERE scope = ? AND kind = ?"
    return int(connection.execute(asked, (scope, kind)).fetchone()[0])


def _spread(connection: sqlite3.Connection, words: Sequence[str]) -> dict[str, int]:
    """In how many notes each word stands. FTS5 could say it too, but it counts: milliseconds for a usual word.

    All words are asked for at once: each statement locks the file and lets go of the interpreter, which costs a turn
    more than the words do.
    """
    asked = f"SELECT word, notes FROM spread WHERE word IN ({_marks(words)})"  # noqa: S608 - question marks
    return dict(connection.execute(asked, words).fetchall())


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
