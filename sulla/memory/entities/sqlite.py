"""Statements in the SQLite file of the notes: those of a note go in the transaction that removes the note (`file`)."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.memory.entities.base import DRAWN_KINDS, NEWEST, Kept, Revision
from sulla.memory.entities.statement import Statement, statement_from_json, statement_to_json
from sulla.memory.note import MemoryNote, note_from_json
from sulla.memory.sqlite_file import SqliteConnection, SqliteWorker


class SqliteStatements:
    """Implements `StatementStore` in a file.

    Args:
        thread: has the file open.
    """

    def __init__(self, thread: SqliteWorker) -> None:
        self._thread = thread

    async def undrawn(self, scope: str, limit: int) -> list[MemoryNote]:
        """Notes from which nothing was drawn yet."""
        asked = (
            "SELECT at_ms, number, drawn FROM note WHERE scope = (SELECT number FROM scope WHERE name = ?) "
            "AND kind = ? ORDER BY at_ms DESC, number DESC LIMIT ?"
        )

        def work(connection: SqliteConnection) -> list[MemoryNote]:
            rows = [row for kind in DRAWN_KINDS for row in connection.execute(asked, (scope, kind, NEWEST))]
            left = sorted(row for row in rows if not row[2])[:limit]
            body = "SELECT body FROM note WHERE number = ?"
            return [note_from_json(connection.execute(body, (number,)).fetchone()[0]) for _, number, _ in left]

        return await self._thread.read(work)

    async def put(
        self, scope: str, statements: Sequence[Statement], drawn: Sequence[str] = (), most: int | None = None
    ) -> bool:
        """Keep statements, and what they were drawn from."""

        def work(connection: SqliteConnection) -> bool:
            for id_ in drawn:
                if connection.execute("SELECT 1 FROM note WHERE id = ? AND drawn = 1", (id_,)).fetchone():
                    return False
            connection.executemany("UPDATE note SET drawn = 1 WHERE id = ?", [(id_,) for id_ in drawn])
            for one in statements:
                _put(connection, one)
            if most is not None:
                _trim(connection, scope, most)
            return True

        return await self._thread.write(work)

    async def revision(self, scope: str) -> Revision:
        """How a memory's statements are by now."""

        def work(connection: SqliteConnection) -> Revision:
            (last,) = connection.execute("SELECT max(seq) FROM statement WHERE scope = ?", (scope,)).fetchone()
            gone = connection.execute("SELECT number FROM removals WHERE scope = ?", (scope,)).fetchone()
            return Revision(last or 0, gone[0] if gone is not None else 0)

        return await self._thread.read(work)

    async def since(self, scope: str, after: int, limit: int) -> list[Kept]:
        """Statements in their order."""
        asked = "SELECT seq, body FROM statement WHERE scope = ? AND seq > ? ORDER BY seq LIMIT ?"
        return await self._thread.read(
            lambda connection: [
                Kept(seq, statement_from_json(body)) for seq, body in connection.execute(asked, (scope, after, limit))
            ]
        )

    async def scopes(self) -> list[str]:
        """Every memory that has statements."""
        asked = "SELECT DISTINCT scope FROM statement ORDER BY scope"
        return await self._thread.read(lambda connection: [scope for (scope,) in connection.execute(asked)])

    async def remove(self, ids: Sequence[str]) -> int:
        """Remove statements."""

        def work(connection: SqliteConnection) -> int:
            return sum(connection.execute("DELETE FROM statement WHERE id = ?", (id_,)).rowcount for id_ in ids)

        return await self._thread.write(work)


def _put(connection: SqliteConnection, one: Statement) -> None:
    asked = "SELECT number FROM note WHERE id = ?"
    rows = [connection.execute(asked, (source,)).fetchone() for source in one.source]
    if None in rows:
        return
    kept = "INSERT OR IGNORE INTO statement (id, scope, person, body) VALUES (?, ?, ?, ?) RETURNING seq"
    row = connection.execute(kept, (one.id, one.scope, one.by_person, statement_to_json(one))).fetchone()
    if row is not None:
        connection.executemany("INSERT OR IGNORE INTO source VALUES (?, ?)", [(note, row[0]) for (note,) in rows])


def _trim(connection: SqliteConnection, scope: str, most: int) -> None:
    (kept,) = connection.execute("SELECT count(*) FROM statement WHERE scope = ? AND person = 0", (scope,)).fetchone()
    if kept > most:
        connection.execute(
            "DELETE FROM statement WHERE seq IN "
            "(SELECT seq FROM statement WHERE scope = ? AND person = 0 ORDER BY seq LIMIT ?)",
            (scope, kept - most),
        )
