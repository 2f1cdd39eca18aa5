"""Connections to a PostgreSQL, and calls on them: at most so many at once, each with a deadline that holds.

psycopg's own pool has the connections. What it has no word for is done around it: a call runs in a task of its own, so
an asker who is cancelled cuts nothing off. A call that is late loses its connection: to ask the server to cancel it
would mean to wait for that very server once more. Who waits for a connection that cannot be made is told why, at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import select
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper
from psycopg_pool import AsyncConnectionPool

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.store.postgres.errors import explained, is_failure, is_wrong_place
from sulla.store.postgres.url import PostgresAddress

T = TypeVar("T")
Line = AsyncConnection[tuple[object, ...]]
Work = Callable[[Line], Awaitable[T]]

ANSWER_S = 0.9
"""How long a call may take, in seconds: a failure is to be known within one."""

CONNECT_S = 5.0
"""How long a connection may take to come about, in seconds, where nobody is waiting for a call."""

BYTES_PER_S = 4 * 1024 * 1024
"""What a call may take beyond that, by its size."""

MAX_CONNECTIONS = 8
"""How many connections one daemon has at most, besides the one that listens."""

MAX_CALLS = 4096
"""How many calls may be under way or wait; more are refused at once."""

_NO_LIMIT_S: Final = 86_400.0
"""For waits of the library's that end by a deadline of ours."""

_STATEMENT_MS = 30_000
"""After this the server gives up a statement whose asker has gone, in milliseconds."""

# No statement of ours is meant to go through a whole table, whatever the planner thinks of its size.
_SETTINGS = """SELECT set_config('enable_seqscan', 'off', false),
    set_config('search_path', %s, false), set_config('synchronous_commit', 'on', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false),
    set_config('idle_in_transaction_session_timeout', %s, false)"""


@dataclass(slots=True, eq=False)
class _PoolCall:
    """Where one call has got to."""

    running: asyncio.Future[Any] | None = None
    line: Line | None = None
    failure: Exception | None = None
    """Why no connection could be made for it."""


class _PooledConnection(AsyncConnection[tuple[object, ...]]):
    """Has the pool make connections our way."""

    @classmethod
    async def connect(  # type: ignore[override]  # the pool alone calls it, with what it was given
        cls, conninfo: str = "", *, make: Callable[[], Awaitable[Line]], **kwargs: object
    ) -> Line:
        """A connection, set up."""
        return await make()


class ConnectionPool:
    """Connections that are made when they are needed and kept while they are good.

    Args:
        address: where the server is.
        schema: where the tables are.
        clock: for deadlines.
        most: how many connections at once.
        answer_s: how long a call may take, in seconds.
    """

    def __init__(self, address: PostgresAddress, schema: str, clock: Clock, *, most: int, answer_s: float) -> None:
        self._address = address
        self._schema = schema
        self._clock = clock
        self._answer_s = answer_s
        self._most = most
        self._pool: AsyncConnectionPool[Line] | None = None
        self._waiting: set[_PoolCall] = set()
        """For a connection."""
        self._making: set[asyncio.Future[Line]] = set()
        self._failure: Exception | None = None
        """Why the last connection that failed could not be made."""
        self._calls: set[asyncio.Task[object]] = set()
        self._open = False

    @property
    def shown(self) -> str:
        """Where the server is, for people."""
        return self._address.shown

    @property
    def is_open(self) -> bool:
        """Whether calls are taken."""
        return self._open

    async def open(self) -> None:
        """Take calls; nothing is connected yet. A second time does nothing."""
        if self._open:
            return
        self._open = True
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # it tells of each failure; callers are told, too
        self._pool = AsyncConnectionPool(
            self._address.conninfo,
            connection_class=_PooledConnection,
            kwargs={"make": self._make},
            min_size=0,
            max_size=self._most,
            open=False,
            timeout=_NO_LIMIT_S,
            # It would wait longer after each failure before it tries again. So each failure is the end of its try, and
            # the next call begins another one: the first after the server is back gets through.
            reconnect_timeout=0.0,
            reconnect_failed=self._fail,
        )
        await self._pool.open()

    async def close(self) -> None:
        """Finish what was asked and let go of all connections; a second time does nothing."""
        self._open = False
        if self._calls:
            await asyncio.wait(self._calls)
        for making in self._making:  # in place of one that broke; nobody waits for it any more
            making.cancel()
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def ask(self, work: Work[T], *, size: int = 0) -> T:
        """Run `work` on a connection, which is in autocommit: one statement is one transaction.

        Args:
            work: what to do. It goes on to its end, or to its deadline, even if its asker is cancelled.
            size: how many bytes it carries.

        Raises:
            StoreUnavailable: the server failed, or was late.
        """
        if not self._open:
            raise StoreUnavailable(f"the store {self.shown} is not open")
        if len(self._calls) >= MAX_CALLS:
            raise StoreUnavailable(
                f"{MAX_CALLS} calls wait for the store {self.shown} already: ask again later", retry_after_s=1.0
            )
        task = asyncio.ensure_future(self._timed(work, self._answer_s + size / BYTES_PER_S))
        self._calls.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def connect(self, limit_s: float = CONNECT_S) -> Line:
        """A connection of one's own, set up; to be closed by the caller.

        Args:
            limit_s: how long it may take to connect, and then to set it up, in seconds.

        Raises:
            psycopg.Error: there is no such server, or it does not let us in.
        """
        try:
            async with self._clock.timeout(limit_s):
                line = await AsyncConnection.connect(self._address.conninfo, autocommit=True)
        except TimeoutError:
            raise _late(limit_s) from None
        try:
            # One type for all whole numbers: else a statement would be prepared anew for each size of them.
            line.adapters.register_dumper(int, Int8BinaryDumper)
            path = sql.Identifier(self._schema).as_string(line)
            limit = str(_STATEMENT_MS)
            asked = line.execute(_SETTINGS, (f"{path}, pg_temp", limit, limit, limit), prepare=False)
            await guarded(line, asked, self._clock, limit_s)
        except BaseException:
            await line.close()
            raise
        return line

    # ------------------------------------------------------------------------------------------------- private

    async def _timed(self, work: Work[T], limit_s: float) -> T:
        call = _PoolCall()
        call.running = running = asyncio.ensure_future(self._run(work, call))
        try:
            async with self._clock.timeout(limit_s):
                return await asyncio.shield(running)
        except asyncio.CancelledError:
            if call.failure is None:
                raise
            raise explained(self.shown, call.failure) from call.failure
        except TimeoutError:
            if call.line is None:
                running.cancel()
            else:
                _cut(call.line)
            await asyncio.wait((running,))
            if not running.cancelled() and running.exception() is None:
                return running.result()  # It came through in the last moment.
            raise StoreUnavailable(
                f"the store {self.shown} did not answer within {limit_s:.1f} s: check the server and the way to it",
                retry_after_s=1.0,
            ) from None
        except Exception as error:
            if is_failure(error):
                raise explained(self.shown, error) from error
            raise

    async def _run(self, work: Work[T], call: _PoolCall) -> T:
        pool = self._pool
        if pool is None:
            raise StoreUnavailable(f"the store {self.shown} is not open")
        self._waiting.add(call)
        try:
            line = await pool.getconn()
            while not _is_quiet(line):
                line.pgconn.finish()
                await pool.putconn(line)
                line = await pool.getconn()
        finally:
            self._waiting.discard(call)
        call.line = line
        try:
            return await work(line)
        except psycopg.Error as error:
            if is_wrong_place(error):
                await line.close()
            raise
        finally:
            if not line.closed and line.info.transaction_status != TransactionStatus.IDLE:
                await line.close()
            await pool.putconn(line)

    async def _make(self) -> Line:
        """A connection for the pool."""
        if not self._open and not self._calls:
            raise psycopg.OperationalError("nobody needs a connection any more")
        # No longer than a call waits: the pool makes one at a time while it grows, and all others wait for that one.
        making = asyncio.ensure_future(self.connect(min(self._answer_s, CONNECT_S)))
        self._making.add(making)
        try:
            return await making
        except Exception as error:
            self._failure = error
            raise
        finally:
            self._making.discard(making)

    async def _fail(self, pool: object) -> None:
        """No connection can be made: whoever waits for one is told."""
        for call in self._waiting:
            call.failure = self._failure or psycopg.OperationalError("no connection can be made")
            if call.running is not None:
                call.running.cancel()

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._calls.discard(task)
        if not task.cancelled():
            task.exception()  # Its asker may have gone, and nobody else would look.


async def guarded(line: Line, asked: Coroutine[object, object, T], clock: Clock, limit_s: float) -> T:
    """What is asked of a connection of one's own, with a deadline that holds.

    Whoever is late or cancelled loses the connection: the library would wait for the server to take the cancellation.

    Raises:
        psycopg.Error: the server failed, or was late.
    """
    running = asyncio.ensure_future(asked)
    try:
        async with clock.timeout(limit_s):
            return await asyncio.shield(running)
    except TimeoutError:
        raise _late(limit_s) from None
    finally:
        if not running.done():
            _cut(line)
            await asyncio.wait((running,))
            running.exception()  # Nobody else would look.


def _late(limit_s: float) -> psycopg.Error:
    return psycopg.errors.ConnectionTimeout(f"timeout: nobody answered within {limit_s:.1f} s")


def _is_quiet(line: Line) -> bool:
    """Whether nothing came meanwhile: an idle server speaks only to say farewell. Costs no round trip."""
    poll = select.poll()
    poll.register(line.fileno(), select.POLLIN)
    return not poll.poll(0)


def _cut(line: Line) -> None:
    """End a connection under whoever waits for it."""
    if line.closed:
        return
    with socket.socket(fileno=os.dup(line.fileno())) as wire, contextlib.suppress(OSError):  # It was cut already.
        wire.shutdown(socket.SHUT_RDWR)
