"""A store's file opened to be looked at: beside its writer or without one, and nothing of it changes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable, leaf
from sulla.store import rules
from sulla.store.requests import FindRequest
from sulla.store.sqlite import steps
from sulla.store.sqlite.file import explained, open_to_read
from sulla.store.values import LogInfo, Record, Status

T = TypeVar("T")

_BUSY_S = 5.0
_NAMED = 20
"""So many faults of a file's structure are named."""

_CHECK = f"PRAGMA quick_check({_NAMED})"

_INSIST_S = 0.05
"""How soon SQLite is told again to stop, in case it had not begun when it was told first."""


@dataclass(frozen=True, slots=True)
class FileStructure:
    """What SQLite says of its own file."""

    faults: tuple[str, ...] = ()
    finished: bool = True
    """Whether all of it was looked at in time."""


class SqliteReader:
    """The reading half of `Store`, for one caller at a time.

    Args:
        path: the file.
        clock: for leases and deadlines.
        quiet: nobody writes meanwhile, because the home's lock is held: then SQLite need not make its neighbour files.
    """

    def __init__(self, path: Path, clock: Clock, *, quiet: bool) -> None:
        self._path = path
        self._clock = clock
        self._quiet = quiet
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> bool:
        """Open the file.

        Returns:
            Whether its tables are this version's; those of an earlier one are brought up to date by whoever writes.

        Raises:
            StoreUnavailable: there is no such file, it is somebody else's, of a later version, or damaged.
        """
        return await self._run(self._open)

    async def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.interrupt()  # whoever was cancelled has left something running
            await asyncio.to_thread(connection.close)

    async def structure(self, deadline_s: float) -> FileStructure:
        """Have SQLite look for damage in the file's structure (`PRAGMA quick_check`).

        Args:
            deadline_s: after so many seconds it is left at what was found.
        """
        try:
            async with asyncio.TaskGroup() as group:
                looking = group.create_task(self._run(self._structure))
                ending = group.create_task(self._end(deadline_s))
                await asyncio.wait((looking,))
                ending.cancel()
        except BaseExceptionGroup as failed:
            raise leaf(failed) from failed
        return looking.result()

    async def _end(self, deadline_s: float) -> None:
        """End what is running when its time is over."""
        await self._clock.sleep(max(0.0, deadline_s))
        while True:
            self._connected().interrupt()
            await self._clock.sleep(_INSIST_S)

    async def head(self, key: str) -> LogInfo | None:
        """A log's head and whereabouts; see `Store.head`."""
        log = await self._run(lambda: steps.load(self._connected(), key))
        return rules.info_of(key, log, self._clock) if log is not None else None

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        """Records of a log; see `Store.read`."""
        end = steps.END if before is None else before
        return await self._run(lambda: steps.read(self._connected(), key, after, end, limit, reverse=reverse))

    async def find(
        self,
        *,
        ready: bool | None = None,
        kind: str | None = None,
        status: Status | None = None,
        due_before_ms: int | None = None,
        after_key: str = "",
        limit: int = 100,
    ) -> list[LogInfo]:
        """Logs that meet every given condition; see `Store.find`."""
        question = FindRequest(ready, kind, status, due_before_ms, after_key, limit)
        return await self._run(lambda: steps.find(self._connected(), question, self._clock))

    # --------------------------------------------------------------------------------------- on a worker thread

    async def _run(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except (sqlite3.DatabaseError, OSError) as error:
            raise explained(self._path, error) from error

    def _open(self) -> bool:
        if not self._path.exists():
            raise StoreUnavailable(f"the store {str(self._path)!r} does not exist")
        # The calls of one caller come one after the other, but each on whatever thread is free.
        self._connection, current = open_to_read(self._path, _BUSY_S, quiet=self._quiet)
        return current

    def _structure(self) -> FileStructure:
        try:
            rows = [str(row[0]) for row in self._connected().execute(_CHECK)]
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code == sqlite3.SQLITE_INTERRUPT:
                return FileStructure(finished=False)
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                return FileStructure((str(error),))
            raise
        return FileStructure(() if rows == ["ok"] else tuple(rows))

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreUnavailable(f"the store {str(self._path)!r} is not open")
        return self._connection
