"""Vectors in the SQLite file of the notes: a note's goes in the transaction that removes the note (`sqlite_file`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from sulla.memory.note import MAX_REMOVED, MemoryNote, note_from_json
from sulla.memory.sqlite_file import SqliteWorker
from sulla.memory.vectors.base import NoteVector, Placed, Signed


class SqliteVectors:
    """Implements `VectorStore` in a file.

    Args:
        thread: has the file open.
    """

    def __init__(self, thread: SqliteWorker) -> None:
        self._thread = thread

    async def use(self, model: str) -> None:
        """Keep vectors of this model from here on."""

        def work(connection: sqlite3.Connection) -> int:
            if _model(connection) != model:
                # Nobody adds to these, or finds them, from here on.
                connection.execute("REPLACE INTO space VALUES (1, '')")
            else:
                return 0
            old = connection.execute("SELECT seq, note FROM signature LIMIT ?", (MAX_REMOVED,)).fetchall()
            connection.executemany("DELETE FROM vector WHERE seq = ?", [(seq,) for seq, _ in old])
            connection.executemany("DELETE FROM signature WHERE seq = ?", [(seq,) for seq, _ in old])
            connection.executemany("UPDATE note SET placed = 0 WHERE number = ?", [(note,) for _, note in old])
            if len(old) < MAX_REMOVED:
                connection.execute("REPLACE INTO space VALUES (1, ?)", (model,))
            return len(old)

        if await self._thread.read(_model) != model:
            while await self._thread.write(work) == MAX_REMOVED:
                pass

    async def missing(self, limit: int) -> list[MemoryNote]:
        """Notes that have no vector."""
        asked = "SELECT body FROM note WHERE placed = 0 ORDER BY at_ms DESC, number DESC LIMIT ?"
        return await self._thread.read(
            lambda connection: [note_from_json(body) for (body,) in connection.execute(asked, (limit,))]
        )

    async def put(self, model: str, vectors: Sequence[NoteVector]) -> int:
        """Keep vectors."""

        def work(connection: sqlite3.Connection) -> int:
            if _model(connection) != model:
                return 0
            return sum(_put(connection, one) for one in vectors)

        return await self._thread.write(work)

    async def signed(self, scope: str, after: int, limit: int) -> list[Signed]:
        """Signatures of the model in use."""
        asked = (
            "SELECT seq, bits FROM signature WHERE scope = (SELECT number FROM scope WHERE name = ?) AND seq > ? "
            "AND (SELECT model FROM space) <> '' ORDER BY seq LIMIT ?"
        )
        return await self._thread.read(
            lambda connection: [Signed(*row) for row in connection.execute(asked, (scope, after, limit))]
        )

    async def placed(self, scope: str, seqs: Sequence[int]) -> list[Placed]:
        """The notes and vectors under these numbers."""
        asked = (
            "SELECT seq, note.body, vector.packed FROM signature JOIN vector USING (seq) "
            "JOIN note ON note.number = signature.note "
            "WHERE seq = ? AND signature.scope = (SELECT number FROM scope WHERE name = ?)"
        )

        def work(connection: sqlite3.Connection) -> list[Placed]:
            rows = (connection.execute(asked, (seq, scope)).fetchone() for seq in seqs)
            return [Placed(*row) for row in rows if row is not None]

        return await self._thread.read(work)


def _model(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT model FROM space").fetchone()
    return str(row[0]) if row is not None else ""


def _put(connection: sqlite3.Connection, one: NoteVector) -> bool:
    row = connection.execute("SELECT number, scope FROM note WHERE id = ? AND placed = 0", (one.note.id,)).fetchone()
    if row is None:
        return False
    kept = "INSERT INTO signature (note, scope, bits) VALUES (?, ?, ?) RETURNING seq"
    (seq,) = connection.execute(kept, (*row, one.signature)).fetchone()
    connection.execute("INSERT INTO vector VALUES (?, ?)", (seq, one.packed))
    connection.execute("UPDATE note SET placed = 1 WHERE number = ?", (row[0],))
    return True
