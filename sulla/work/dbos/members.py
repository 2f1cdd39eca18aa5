"""Who is at work in the cluster: a row for each process, which it renews. All times are the server's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString

import psycopg
from psycopg import AsyncConnection

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError, StoreUnavailable
from sulla.work.dbos.judgement import DEAD_S, SUSPECT_S

_AGAIN_S: Final = 30.0
"""How long what a dead process had taken is not looked for again: it may have woken up, taken more and died."""
_KNOWN_S: Final = 3_600.0
"""How long a dead one is remembered."""
_CONNECT_S: Final = 3
_LOCK: Final = 0x53_55_4C_4C_41
"""The number of the lock under which tables are made; any that nobody else uses."""

_TABLES: Final = """
CREATE SCHEMA IF NOT EXISTS sulla_work;
CREATE TABLE IF NOT EXISTS sulla_work.members (
    executor text PRIMARY KEY, home text NOT NULL, seen timestamptz NOT NULL, relieved timestamptz);
CREATE TABLE IF NOT EXISTS sulla_work.chores (name text PRIMARY KEY, taken timestamptz NOT NULL);
"""
_CLAIM: Final = """
INSERT INTO sulla_work.members AS m VALUES (%(executor)s, %(home)s, clock_timestamp(), NULL)
ON CONFLICT (executor) DO UPDATE SET home = excluded.home, seen = excluded.seen, relieved = NULL
WHERE m.home = excluded.home OR m.seen < clock_timestamp() - make_interval(secs => %(dead)s) RETURNING 1
"""
_SEEN: Final = """
SELECT extract(epoch FROM clock_timestamp() - seen)::float8 FROM sulla_work.members WHERE executor = %(executor)s
"""
_DEAD: Final = """
SELECT executor, home FROM sulla_work.members WHERE executor <> %(executor)s
AND seen < clock_timestamp() - make_interval(secs => %(suspect)s)
AND seen > clock_timestamp() - make_interval(secs => %(known)s)
"""
_RELIEVE: Final = """
SELECT 1 FROM sulla_work.members
WHERE executor = %(other)s AND seen < clock_timestamp() - make_interval(secs => %(dead)s)
AND (relieved IS NULL OR relieved < seen OR relieved < clock_timestamp() - make_interval(secs => %(again)s))
FOR UPDATE SKIP LOCKED
"""
_RELIEVED: Final = "UPDATE sulla_work.members SET relieved = clock_timestamp() WHERE executor = %(other)s"
_LEAVE: Final = "DELETE FROM sulla_work.members WHERE executor = %(executor)s AND home = %(home)s"
_FORGET: Final = """
DELETE FROM sulla_work.members WHERE seen < clock_timestamp() - make_interval(secs => %(known)s)
"""
_CHORE: Final = """
INSERT INTO sulla_work.chores AS c VALUES (%(name)s, clock_timestamp())
ON CONFLICT (name) DO UPDATE SET taken = excluded.taken
WHERE c.taken < clock_timestamp() - make_interval(secs => %(every)s) RETURNING 1
"""


@dataclass(frozen=True, slots=True)
class DeadMember:
    """A process that has not said for a while that it lives."""

    executor: str
    home: str
    """The first part of the name under which it holds leases."""


class Members:
    """The processes of the cluster, and this one among them. It lives as long as the daemon.

    Args:
        conninfo: of the PostgreSQL, for the library; can hold a password.
        shown: the same for people.
        executor: what this process is called.
        home: the id of its home, in which one process runs at a time.
    """

    def __init__(self, conninfo: str, shown: str, executor: str, home: str) -> None:
        self._conninfo = conninfo
        self._shown = shown
        self.executor = executor
        self._words: dict[str, Any] = {"executor": executor, "home": home, "dead": DEAD_S, "known": _KNOWN_S}
        self._words["suspect"] = SUSPECT_S
        self.dead: tuple[DeadMember, ...] = ()
        """Those that did not live at the last beat, or seemed not to, as far as this one can judge."""
        self._line: AsyncConnection[tuple[Any, ...]] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def make(self, also: Callable[[], Awaitable[None]]) -> None:
        """Make the tables, and what else there is to be made once; others who start meanwhile wait for it.

        Args:
            also: makes that.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there.
        """
        async with self._asking() as line:
            await line.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            try:
                await line.execute(_TABLES)
                await also()
            finally:
                await line.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))

    async def join(self) -> None:
        """Be one of them. What the same home has left behind is ours; a name that another home uses is not.

        Raises:
            SettingsError: another home works under the same name.
            StoreUnavailable: the PostgreSQL does not answer.
        """
        async with self._asking() as line:
            if await _first(line, _CLAIM, self._words) is None:
                found = await _first(line, _SEEN, self._words)
                ago = f" (seen {found[0]:.1f} s ago)" if found is not None else ""
                raise SettingsError(
                    f"another home already works as {self.executor!r}{ago}: give each worker a work.executor of its "
                    f"own, or, if that one is dead, start again in {DEAD_S:g} s"
                )

    async def beat(self, *, judges: bool) -> tuple[DeadMember, ...]:
        """Say that this process lives.

        Args:
            judges: whether it has said so for long enough, without a break, to say of others that they are dead: after
                an outage of the server all of them have been silent.

        Returns:
            Those that are dead, or seem to be: whoever relieves one finds out.

        Raises:
            SettingsError: another home works under the same name by now.
            StoreUnavailable: the PostgreSQL does not answer.
        """
        await self.join()
        found: Sequence[Any] = ()
        if judges:
            async with self._asking() as line:
                found = await (await line.execute(_DEAD, self._words)).fetchall()
        self.dead = tuple(DeadMember(executor, home) for executor, home in found)
        return self.dead

    async def relieve(self, dead: DeadMember, give_back: Callable[[], Awaitable[None]]) -> None:
        """Have what a dead process had taken given to others; nothing happens if somebody else does, or just has.

        Args:
            dead: which.
            give_back: does it.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer; the next who looks does it.
        """
        words = self._words | {"other": dead.executor, "again": _AGAIN_S}
        # While the row is locked that process cannot begin anew under its name.
        async with self._asking() as line, line.transaction():
            if await _first(line, _RELIEVE, words) is not None:
                await give_back()
                await line.execute(_RELIEVED, words)

    async def may_do(self, chore: str, every_s: float) -> bool:
        """Whether this process is to do what one of them does every so often.

        Args:
            chore: what it is.
            every_s: how often, in seconds.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer.
        """
        async with self._asking() as line:
            return await _first(line, _CHORE, {"name": chore, "every": every_s}) is not None

    async def forget(self) -> None:
        """Remove those that have been dead for long."""
        async with self._asking() as line:
            await line.execute(_FORGET, self._words)

    async def leave(self) -> None:
        """Be none of them any more, and let go of the connection."""
        async with self._asking() as line:
            await line.execute(_LEAVE, self._words)
        await self.close()

    async def close(self) -> None:
        """Let go of the connection."""
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[AsyncConnection[tuple[Any, ...]]]:
        async with self._one_at_a_time:
            try:
                if self._line is None or self._line.closed:
                    self._line = await AsyncConnection.connect(
                        self._conninfo, autocommit=True, connect_timeout=_CONNECT_S
                    )
                yield self._line
            except asyncio.CancelledError:
                await self.close()  # nobody knows what the server still has to say on it
                raise
            except (psycopg.Error, OSError) as error:
                await self.close()
                raise StoreUnavailable(f"the PostgreSQL {self._shown}, by which work is shared: {error}") from error


async def _first(
    line: AsyncConnection[tuple[Any, ...]], query: LiteralString, words: dict[str, Any]
) -> Sequence[Any] | None:
    return await (await line.execute(query, words)).fetchone()
