"""One thread that owns one SQLite connection, so that a commit never stops the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

from sulla.core.errors import StoreUnavailable
from sulla.store.sqlite.file import explained, open_file

T = TypeVar("T")
V = TypeVar("V")
Job = Callable[[], None]
Work = Callable[[sqlite3.Connection], T]
Opened = Callable[[Path, float], sqlite3.Connection]

MAX_QUEUED = 4096
"""How many jobs may wait for the thread; more are refused at once."""


class SqliteThread:
    """Runs one piece of work after the other, each in its own transaction.

    A write that cannot get through leaves nothing behind. Work goes on to its end even if its asker is cancelled.

    Args:
        path: the file.
        busy_timeout_s: how long a write waits for another process's, in seconds.
        opened: opens the file, which may be another than the store's.
    """

    def __init__(self, path: Path, busy_timeout_s: float, opened: Opened = open_file) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._opened = opened
        self._jobs: SimpleQueue[Job | None] | None = None
        self._thread: Thread | None = None
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._synced = True

    async def start(self) -> None:
        """Open the file; does nothing if it is open.

        Raises:
            StoreUnavailable: it cannot be used.
        """
        if self._jobs is not None:
            return
        self._jobs = SimpleQueue()
        # A daemon thread: a store that nobody closed must not keep the process from ending.
        self._thread = Thread(target=_serve, args=(self._jobs,), name=f"sqlite {self._path.name}", daemon=True)
        self._thread.start()
        try:
            await self._ask(self._open)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Finish what was asked and close the file; a second time does nothing."""
        if self._jobs is None or self._thread is None:
            return
        jobs, thread, closing = self._jobs, self._thread, self._ask(self._close)
        self._jobs = self._thread = None
        try:
            await closing
        finally:
            jobs.put(None)
            thread.join()

    def write(self, work: Work[T], *, synced: bool = True) -> asyncio.Future[T]:
        """Run `work` in a transaction of its own.

        Args:
            work: what to do; anything that it raises undoes it.
            synced: whether to wait until the disk has it. Without, it outlives the process but maybe not a power cut.

        Raises:
            StoreUnavailable: nothing was kept.
        """
        self._check_room()
        return self._ask(lambda: self._transact(work, synced=synced))

    def read(self, work: Work[T], *, in_place: bool = False) -> asyncio.Future[T]:
        """Run `work`, which asks one statement and changes nothing.

        Args:
            work: what to ask.
            in_place: whether the file also has to be where it was, as for a write: SQLite itself reads on in one that
                was removed.

        Raises:
            StoreUnavailable: the file cannot be read.
        """
        self._check_room()
        return self._ask(lambda: work(self._in_place() if in_place else self._connected()))

    # ---------------------------------------------------------------------------------------- on the event loop

    def _check_room(self) -> None:
        if self._jobs is not None and self._jobs.qsize() >= MAX_QUEUED:
            raise StoreUnavailable(
                f"{MAX_QUEUED} calls wait for the store {str(self._path)!r} already: ask again later", retry_after_s=1.0
            )

    def _not_open(self) -> StoreUnavailable:
        return StoreUnavailable(f"the store {str(self._path)!r} is not open")

    def _ask(self, work: Callable[[], T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        jobs = self._jobs
        if jobs is None:
            raise self._not_open()

        def job() -> None:
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the asker's
                tell(_fail, self._in_words(error))
            else:
                tell(_fulfil, result)

        def tell(how: Callable[[asyncio.Future[T], V], None], what: V) -> None:
            with contextlib.suppress(RuntimeError):  # The asker's loop is closed, and with it whoever could look.
                loop.call_soon_threadsafe(how, answer, what)

        jobs.put(job)
        return answer

    # --------------------------------------------------------------------------------------------- on the thread

    def _open(self) -> None:
        self._connection = self._opened(self._path, self._busy_timeout_s)
        self._file = self._present_file()
        self._synced = True

    def _close(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            raise self._not_open()
        return self._connection

    def _in_place(self) -> sqlite3.Connection:
        connection = self._connected()
        if self._present_file() != self._file:
            raise StoreUnavailable(
                f"the store {str(self._path)!r} was moved, removed or replaced while it was open: "
                "what is written now would be lost; put it back or restart"
            )
        return connection

    def _transact(self, work: Work[T], *, synced: bool) -> T:
        connection = self._in_place()
        if synced is not self._synced:
            connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
            self._synced = synced
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _present_file(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _in_words(self, error: BaseException) -> BaseException:
        """A failure of the file as `StoreUnavailable`; anything else as it is."""
        # The subclasses of DatabaseError other than OperationalError are mistakes of ours.
        if isinstance(error, OSError | sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
            unavailable = explained(self._path, error)
            unavailable.__cause__ = error
            return unavailable
        return error


def _serve(jobs: SimpleQueue[Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


def _fulfil(answer: asyncio.Future[T], result: T) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: asyncio.Future[T], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
