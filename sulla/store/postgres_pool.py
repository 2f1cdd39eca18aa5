"""Connections to a PostgreSQL, and calls on them: at most so many at once, each with a deadline that holds.

A call runs in a task of its own, so an asker who is cancelled cuts nothing off. A call that is late loses its
connection: to ask the server to cancel it would mean to wait for that very server once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TypeVar

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.store.postgres_errors import explained, is_failure, is_wrong_place
from sulla.store.postgres_url import Address

T = TypeVar("T")
Line = AsyncConnection[tuple[object, ...]]
Work = Callable[[Line], Awaitable[T]]

ANSWER_S = 0.9
"""How long a call may take, in seconds: a failure is to be known within one."""

CONNECT_S = 5.0
"""How long a connection may take to come about, in seconds, where nobody is waiting for a call."""

BYTES_PER_S = 4 * 1024 * 1024
"""What a call may take beyond that, by its size."""

MAX_LINES = 8
"""How many connections one daemon has at the most, beside the one that listens."""

MAX_CALLS = 4096
"""How many calls may be under way or wait; more are refused at once."""

_STATEMENT_MS = 30_000
"""After this the server gives up a statement whose asker has gone, in milliseconds."""

# No statement of ours is meant to go through a whole table, whatever the planner thinks of its size.
_SETTINGS = """SELECT set_config('enable_seqscan', 'off', false),
    set_config('search_path', %s, false), set_config('synchronous_commit', 'on', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false),
    set_config('idle_in_transaction_session_timeout', %s, false)"""


@dataclass(slots=True)
class _Call:
    """Where one call has got to."""

    line: Line | None = None


class Lines:
    """Connections that are made when they are needed and kept while they are good.

    Args:
        address: where the server is.
        schema: where the tables are.
        clock: for deadlines.
        most: how many connections at once.
        answer_s: how long a call may take, in seconds.
    """

    def __init__(self, address: Address, schema: str, clock: Clock, *, most: int, answer_s: float) -> None:
        self._address = address
        self._schema = schema
        self._clock = clock
        self._answer_s = answer_s
        self._room = asyncio.Semaphore(most)
        self._idle: list[Line] = []
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

    def open(self) -> None:
        """Take calls; nothing is connected yet."""
        self._open = True

    async def close(self) -> None:
        """Finish what was asked and let go of all connections; a second time does nothing."""
        self._open = False
        if self._calls:
            await asyncio.wait(self._calls)
        while self._idle:
            await self._idle.pop().close()

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

    async def connect(self) -> Line:
        """A connection of one's own, set up; to be closed by the caller.

        Raises:
            psycopg.Error: there is no such server, or it does not let us in.
        """
        try:
            async with self._clock.timeout(CONNECT_S):
                line = await AsyncConnection.connect(self._address.conninfo, autocommit=True)
        except TimeoutError:
            raise _late(CONNECT_S) from None
        try:
            # One type for all whole numbers: else a statement would be prepared anew for each size of them.
            line.adapters.register_dumper(int, Int8BinaryDumper)
            path = sql.Identifier(self._schema).as_string(line)
            limit = str(_STATEMENT_MS)
            asked = line.execute(_SETTINGS, (f"{path}, pg_temp", limit, limit, limit), prepare=False)
            await guarded(line, asked, self._clock, CONNECT_S)
        except BaseException:
            await line.close()
            raise
        return line

    # ------------------------------------------------------------------------------------------------- private

    async def _timed(self, work: Work[T], limit_s: float) -> T:
        call = _Call()
        running = asyncio.ensure_future(self._run(work, call))
        try:
            async with self._clock.timeout(limit_s):
                return await asyncio.shield(running)
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

    async def _run(self, work: Work[T], call: _Call) -> T:
        async with self._room:
            line = self._take() or await self.connect()
            call.line = line
            try:
                return await work(line)
            except psycopg.Error as error:
                if is_wrong_place(error):
                    await line.close()
                raise
            finally:
                await self._give_back(line)

    def _take(self) -> Line | None:
        """The connection that was used last and still stands."""
        while self._idle:
            line = self._idle.pop()
            if _is_quiet(line):
                return line
            line.pgconn.finish()
        return None

    async def _give_back(self, line: Line) -> None:
        if line.closed:
            return
        if line.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(line)
        else:
            await line.close()

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
    return psycopg.errors.ConnectionTimeout(f"timeout: nobody answered within {limit_s:.0f} s")


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
