"""A SQLite file: opened with the promises that a store needs, brought up to date, and its failures put into words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sulla.core.errors import StoreUnavailable
from sulla.store.sqlite.tables import APPLICATION_ID, MIGRATIONS

_WAL_BYTES = 64 * 1024 * 1024
"""What the write-ahead log may keep of the disk after a burst."""

_SETTINGS = (
    "PRAGMA synchronous = FULL",  # A commit returns when the disk has it (design §3).
    "PRAGMA fullfsync = ON",  # On macOS, where fsync alone promises less; nothing elsewhere.
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA cell_size_check = ON",  # Finds a damaged page when it is read, not when it has done harm.
    "PRAGMA trusted_schema = OFF",
    f"PRAGMA journal_size_limit = {_WAL_BYTES}",
)

_BEGIN_ANEW = "restore a backup, or move the file and its -wal and -shm neighbours away to begin anew"

_REMEDIES = {
    sqlite3.SQLITE_BUSY: "another process is writing to it: stop that one, then try again",
    sqlite3.SQLITE_LOCKED: "another process is writing to it: stop that one, then try again",
    sqlite3.SQLITE_FULL: "the disk is full: free some space; nothing that was acknowledged is lost",
    sqlite3.SQLITE_READONLY: "it is read-only: make the file and its folder writable for this user",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: its folder must exist and let this user read and write",
    sqlite3.SQLITE_PERM: "it cannot be opened: its folder must exist and let this user read and write",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write it: check the disk and the free space on it",
    sqlite3.SQLITE_CORRUPT: f"the file is damaged: {_BEGIN_ANEW}",
    sqlite3.SQLITE_NOTADB: f"this is no SQLite file: {_BEGIN_ANEW}",
}


def open_file(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """Open a store's file, making or migrating it as needed; to be called on the thread that will use it.

    Args:
        path: the file; its folder exists.
        busy_timeout_s: how long to wait for another process's write, in seconds.

    Raises:
        StoreUnavailable: it is somebody else's, or of a later version, or on a disk that cannot do it.
        sqlite3.Error: for `explained`.
    """
    # Readable for its owner alone, and so are the neighbours that SQLite makes. Only a file that is not there yet:
    # closing one that is open elsewhere in this process would drop the locks on it.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
    try:
        refuse_strangers(connection, path)
        for setting in _SETTINGS:
            connection.execute(setting)
        _use_wal(connection, path)
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, busy_timeout_s: float, *, quiet: bool) -> tuple[sqlite3.Connection, bool]:
    """Open a store's file so that nothing of it changes; the connection may be used on any one thread at a time.

    Args:
        path: the file; it exists.
        busy_timeout_s: how long to wait for another process's write, in seconds.
        quiet: nobody writes meanwhile: then SQLite need not make its neighbour files.

    Returns:
        The connection, and whether its tables are this version's.

    Raises:
        StoreUnavailable: it is somebody else's, or of a later version.
        sqlite3.Error: for `explained`.
    """
    connection = connect_to_read(path, busy_timeout_s, quiet=quiet)
    try:
        version = refuse_strangers(connection, path)
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection, version == len(MIGRATIONS)


def connect_to_read(path: Path, busy_timeout_s: float, *, quiet: bool) -> sqlite3.Connection:
    """A connection to any SQLite file by which nothing of it changes: see `open_to_read`."""
    # Without a writer and a log of its own the file is all there is: as it is, SQLite need not make any neighbour.
    still = quiet and not _has_content(path.with_name(f"{path.name}-wal"))
    uri = f"file:{quote(str(path))}?mode=ro{'&immutable=1' if still else ''}"
    return sqlite3.connect(uri, uri=True, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)


def open_read_only(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """Open a store's file that lies where nothing can be written; to be called on the thread that will use it.

    Args:
        path: the file; it exists.
        busy_timeout_s: how long to wait for another process's write, in seconds.

    Raises:
        StoreUnavailable: it is somebody else's, or of another version.
        sqlite3.Error: for `explained`.
    """
    connection, current = open_to_read(path, busy_timeout_s, quiet=True)
    if not current:
        connection.close()
        raise StoreUnavailable(
            f"the store {str(path)!r} is of an earlier version, and cannot be brought up to date where nothing can be "
            "written: copy the home to where it can, and name the copy with --home DIR"
        )
    return connection


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def compact_file(path: Path, kind: str, scrub: Callable[[str, bytes], bytes]) -> tuple[int, int]:
    """Write a store's file anew, so that nothing of what was removed is left in it. Blocks; nobody may have it open.

    Args:
        path: the file.
        kind: of the records that may hold words of other logs.
        scrub: gives for such a record's kind and body the body that takes its place.

    Returns:
        Its bytes before and behind, with those of its neighbours.

    Raises:
        StoreUnavailable: it could not be, e.g. because there is no room for a second one; it is as it was.
    """
    before = _bytes_of(path)
    try:
        connection = open_file(path, busy_timeout_s=5.0)
        try:
            connection.execute("BEGIN IMMEDIATE")
            for life, seq, body in connection.execute("SELECT life, seq, body FROM records WHERE kind = ?", (kind,)):
                if (scrubbed := scrub(kind, body)) is not body:
                    connection.execute("UPDATE records SET body = ? WHERE life = ? AND seq = ?", (scrubbed, life, seq))
            connection.execute("COMMIT")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            connection.close()
    except (sqlite3.Error, OSError) as error:
        raise explained(path, error) from error
    return before, _bytes_of(path)


def _bytes_of(path: Path) -> int:
    return sum(one.stat().st_size for one in path.parent.glob(f"{path.name}*"))


def explained(path: Path, error: sqlite3.Error | OSError) -> StoreUnavailable:
    """What went wrong with the file, and what to do about it."""
    if isinstance(error, OSError):
        return StoreUnavailable(f"the store {str(path)!r} cannot be opened: {error.strerror or error}")
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    remedy = _REMEDIES.get(code, f"SQLite failed; if it keeps failing, {_BEGIN_ANEW}")
    refused = code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
    return StoreUnavailable(f"the store {str(path)!r}: {remedy} ({error})", refused=refused)


def _pragma(connection: sqlite3.Connection, name: str) -> str | int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    if not isinstance(value, str | int):
        raise TypeError(f"PRAGMA {name} gave {value!r}")
    return value


def refuse_strangers(connection: sqlite3.Connection, path: Path) -> int:
    """Leave alone what another program, or a later Sulla, has made.

    Returns:
        The version of the file's tables.

    Raises:
        StoreUnavailable: it is such a file.
    """
    version, known = int(_pragma(connection, "user_version")), len(MIGRATIONS)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if _pragma(connection, "application_id") != APPLICATION_ID and (tables or version):
        raise StoreUnavailable(
            f"the store {str(path)!r} is another program's database: name another file in SULLA_STORE"
        )
    if version > known:
        raise StoreUnavailable(
            f"the store {str(path)!r} has version {version}, and this Sulla knows versions up to {known}: "
            "run the Sulla that made it, or a later one"
        )
    return version


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    mode = _pragma(connection, "journal_mode = WAL")
    if mode != "wal":
        raise StoreUnavailable(
            f"the store {str(path)!r} is on a file system without shared memory (journal mode {mode!r}): "
            "put it on a local disk"
        )


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Asked again: another process may have been faster.
    version = int(_pragma(connection, "user_version"))
    for number, statements in enumerate(MIGRATIONS[version:], version + 1):
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("COMMIT")
