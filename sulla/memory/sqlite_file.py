"""The SQLite file of a memory: its tables, its versions, and how it is opened."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from asyncio import Future
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar
from urllib.parse import quote

from sulla.core.errors import StoreUnavailable

T = TypeVar("T")

SqliteConnection = sqlite3.Connection
"""What work is run on."""

IN_MEMORY: Final = Path(":memory:")
"""For a store that ends with its daemon."""

_APPLICATION: Final = 0x53554C4D  # "SULM"

# A word stands in the index with its scope's number before it, so what an agent finds, and what counts as rare for it,
# never depends on another's notes.
_FIRST = (
    "CREATE TABLE scope (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    """CREATE TABLE note (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope INTEGER NOT NULL,
    kind TEXT NOT NULL, thread TEXT NOT NULL, at_ms INTEGER NOT NULL, body TEXT NOT NULL)""",
    "CREATE INDEX note_by_time ON note (scope, kind, at_ms, number)",
    "CREATE INDEX note_by_thread ON note (thread, kind)",
    "CREATE TABLE reading (thread TEXT PRIMARY KEY, place TEXT NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE words USING fts5 (text, detail = full, tokenize = 'unicode61 remove_diacritics 0')",
    "CREATE TABLE spread (word TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID",
)


# A trigger, and no foreign key: those are off until each connection turns them on. A number is not given twice, so that
# whoever has looked through all up to one has missed nothing. What is looked through lies apart from what is not.
_SECOND = (
    "ALTER TABLE note ADD COLUMN placed INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX note_unplaced ON note (at_ms, number) WHERE placed = 0",
    "CREATE TABLE space (only INTEGER PRIMARY KEY CHECK (only = 1), model TEXT NOT NULL)",
    """CREATE TABLE signature (seq INTEGER PRIMARY KEY AUTOINCREMENT, note INTEGER NOT NULL UNIQUE,
    scope INTEGER NOT NULL, bits BLOB NOT NULL)""",
    "CREATE INDEX signature_by_scope ON signature (scope, seq)",
    "CREATE TABLE vector (seq INTEGER PRIMARY KEY, packed BLOB NOT NULL)",
    """CREATE TRIGGER note_gone AFTER DELETE ON note BEGIN
    DELETE FROM vector WHERE seq = (SELECT seq FROM signature WHERE note = old.number);
    DELETE FROM signature WHERE note = old.number; END""",
)
# What was drawn from a note goes with it, and nobody who has read statements misses that: each removal is counted.
_THIRD = (
    "ALTER TABLE note ADD COLUMN drawn INTEGER NOT NULL DEFAULT 0",
    """CREATE TABLE statement (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL,
    person INTEGER NOT NULL, body TEXT NOT NULL)""",
    "CREATE INDEX statement_by_scope ON statement (scope, person, seq)",
    "CREATE INDEX statement_by_seq ON statement (scope, seq)",
    """CREATE TABLE source (note INTEGER NOT NULL, statement INTEGER NOT NULL, PRIMARY KEY (note, statement))
    WITHOUT ROWID""",
    "CREATE INDEX source_by_statement ON source (statement)",
    "CREATE TABLE removals (scope TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TRIGGER source_gone AFTER DELETE ON note BEGIN
    DELETE FROM statement WHERE seq IN (SELECT statement FROM source WHERE note = old.number); END""",
    """CREATE TRIGGER statement_gone AFTER DELETE ON statement BEGIN
    DELETE FROM source WHERE statement = old.seq;
    INSERT INTO removals VALUES (old.scope, 1) ON CONFLICT (scope) DO UPDATE SET number = number + 1; END""",
)
_VERSIONS: Final = (_FIRST, _SECOND, _THIRD)
"""What each version of the file has more than the one before; a file is brought up to the last one when it is opened to
be written."""


class SqliteWorker(Protocol):
    """Runs work on the one connection to the file; `store.sqlite.thread.SqliteThread` does."""

    async def start(self) -> None:
        """Open the file."""

    async def stop(self) -> None:
        """Close it."""

    def write(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Run `work` in a transaction of its own; done when the disk has it."""

    def read(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Run `work`, which changes nothing."""


def open_memory(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """Open the file, making it as needed; to be called on the thread that will use it.

    Where nothing can be written it is only read; what is not there is empty then.

    Args:
        path: the file, in a folder that exists; `IN_MEMORY` for none.
        busy_timeout_s: how long to wait for another process's write, in seconds.

    Raises:
        StoreUnavailable: it is somebody else's, or of a later version.
        sqlite3.Error: it cannot be used.
    """
    if path != IN_MEMORY and path.parent.is_dir() and not os.access(path.parent, os.W_OK):
        return _open_read_only(path, busy_timeout_s)
    if path != IN_MEMORY:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
    try:
        _refuse_strangers(connection, path)  # before anything is written to it
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # What was forgotten is not to be read from the file either.
        connection.execute("BEGIN IMMEDIATE")
        _bring_up(connection, _refuse_strangers(connection, path))  # Asked again: another process may have been faster.
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def is_database(path: Path) -> bool:
    """Whether a file is one of SQLite, or empty. Nothing is changed or made beside it.

    SQLite is asked: a file that is opened and closed past it loses the locks of every connection that this process has
    to it. The next program to close it would take itself for the last, and delete the log that is written to here.

    Raises:
        StoreUnavailable: it cannot be read.
    """
    place = f"file:{quote(str(path))}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            return False
        raise StoreUnavailable(f"let whoever runs Sulla read it ({error})") from error
    return True


def _open_read_only(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    if not path.exists():
        return open_memory(IN_MEMORY, busy_timeout_s)
    # As `store.sqlite.file.connect_to_read`, which this floor does not know.
    log = path.with_name(f"{path.name}-wal")
    still = "" if log.exists() and log.stat().st_size else "&immutable=1"
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=ro{still}", uri=True, timeout=busy_timeout_s, isolation_level=None
    )
    try:
        _refuse_strangers(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_strangers(connection: sqlite3.Connection, path: Path) -> int:
    """Leave alone what is not ours; of which version our tables are, 0 for none."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (tables or version) and (mark != _APPLICATION or not 1 <= version <= len(_VERSIONS)):
        raise StoreUnavailable(
            f"the memory {str(path)!r} is another program's database, or a later Sulla's: move it away to begin anew; "
            "episodes are written again from the threads, facts are not"
        )
    return int(version)


def _bring_up(connection: sqlite3.Connection, version: int) -> None:
    for more in _VERSIONS[version:]:
        for statement in more:
            connection.execute(statement)
    if not version and sqlite3.sqlite_version_info >= (3, 42):  # Earlier ones keep words until they merge segments.
        connection.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)")
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(_VERSIONS)}")
