"""Who is at work in the cluster: a row for each process, which it renews. All times are the server's."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError, StoreUnavailable
from sulla.work.dbos.judgement import DEAD_S, SUSPECT_S
from sulla.work.dbos.line import Connection, Line
from sulla.work.dbos.process import is_gone, this_host, this_process

log = logging.getLogger(__name__)

MAKE_S: Final = 120.0
"""How long another process may take to make the tables."""
WAITS: Final = "waiting for another process that makes the tables by which work is shared"
LOCK: Final = 0x53_55_4C_4C_41
"""The number of the lock under which tables are made; any that nobody else uses."""

_AGAIN_S: Final = 30.0
"""How long what a dead process had taken is not looked for again: it may have woken up, taken more and died."""
_KNOWN_S: Final = 3_600.0
"""How long a dead one is remembered."""
_LOOK_S: Final = 0.2
"""How often it is looked whether the lock is free."""

_TABLES: Final = """
CREATE SCHEMA IF NOT EXISTS sulla_work;
CREATE TABLE IF NOT EXISTS sulla_work.members (
    executor text PRIMARY KEY, home text NOT NULL, seen timestamptz NOT NULL, relieved timestamptz);
ALTER TABLE sulla_work.members ADD COLUMN IF NOT EXISTS host text NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS process text NOT NULL DEFAULT '', ADD COLUMN IF NOT EXISTS owner text NOT NULL DEFAULT '';
CREATE TABLE IF NOT EXISTS sulla_work.chores (name text PRIMARY KEY, taken timestamptz NOT NULL);
"""
_CLAIM: Final = """
INSERT INTO sulla_work.members AS m (executor, home, seen, relieved, host, process, owner)
SELECT %(executor)s, %(home)s, clock_timestamp(), NULL::timestamptz, %(host)s, %(process)s, %(owner)s
WHERE NOT EXISTS (SELECT 1 FROM sulla_work.members WHERE home = %(home)s AND executor <> %(executor)s
    AND seen >= clock_timestamp() - make_interval(secs => %(dead)s))
ON CONFLICT (executor) DO UPDATE SET home = excluded.home, seen = excluded.seen, relieved = NULL,
    host = excluded.host, process = excluded.process, owner = excluded.owner
WHERE m.owner = excluded.owner OR m.seen < clock_timestamp() - make_interval(secs => %(dead)s) RETURNING 1
"""
_RIVALS: Final = """
SELECT executor, home, host, process, seen::text, extract(epoch FROM clock_timestamp() - seen)::float8
FROM sulla_work.members WHERE (executor = %(executor)s OR home = %(home)s) AND owner <> %(owner)s
AND seen >= clock_timestamp() - make_interval(secs => %(dead)s) ORDER BY seen DESC
"""
_ALIVE: Final = """
SELECT count(*) FROM sulla_work.members WHERE seen > clock_timestamp() - make_interval(secs => %(dead)s)
"""
_OTHERS: Final = """
SELECT executor, home, seen < clock_timestamp() - make_interval(secs => %(suspect)s), host, process
FROM sulla_work.members WHERE executor <> %(executor)s
AND (host = %(host)s OR seen < clock_timestamp() - make_interval(secs => %(suspect)s))
AND seen > clock_timestamp() - make_interval(secs => %(known)s)
"""
_GONE: Final = """
UPDATE sulla_work.members SET seen = least(seen, clock_timestamp() - make_interval(secs => %(dead)s + 0.001))
WHERE executor = %(other)s AND host = %(host)s AND process = %(gone)s
"""
_RELIEVE: Final = """
SELECT 1 FROM sulla_work.members
WHERE executor = %(other)s AND seen < clock_timestamp() - make_interval(secs => %(dead)s)
AND (relieved IS NULL OR relieved < seen OR relieved < clock_timestamp() - make_interval(secs => %(again)s))
FOR UPDATE SKIP LOCKED
"""
_RELIEVED: Final = "UPDATE sulla_work.members SET relieved = clock_timestamp() WHERE executor = %(other)s"
_OURS: Final = """
SELECT 1 FROM sulla_work.members WHERE executor = %(executor)s AND owner = %(owner)s FOR UPDATE
"""
_LEAVE: Final = "DELETE FROM sulla_work.members WHERE executor = %(executor)s AND owner = %(owner)s"
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


@dataclass(frozen=True, slots=True)
class _Rival:
    """Another process that has said of late that it lives, under our name or with our home."""

    executor: str
    home: str
    host: str
    process: str
    seen: str
    ago_s: float

    @property
    def where(self) -> str:
        """For people."""
        host, pid = self.host.partition("/")[0], self.process.partition(":")[0]
        at = f"process {pid} of the host {host!r}, " if host and pid else ""
        return f"{at}seen {self.ago_s:.1f} s ago"


class Members:
    """The processes of the cluster, and this one among them. It lives as long as the daemon.

    Args:
        line: a connection of its own.
        executor: what this process is called.
        owner: the daemon's name for leases: the id of its home, in which one process runs at a time, and that of its
            start. By it a process knows its row from that of a copy of its home.
    """

    def __init__(self, line: Line, executor: str, owner: str) -> None:
        self._line = line
        self.executor = executor
        self._home = owner.partition(":")[0]
        self._words: dict[str, Any] = {"executor": executor, "home": self._home, "owner": owner}
        self._words |= {"dead": DEAD_S, "known": _KNOWN_S, "suspect": SUSPECT_S}
        self._words |= {"host": this_host(), "process": this_process()}
        self.dead: tuple[DeadMember, ...] = ()
        """Those that did not live at the last beat, or seemed not to, as far as this one can judge."""

    async def make(self, also: Callable[[], Awaitable[None]], clock: Clock) -> None:
        """Make the tables, and what else there is to be made once; others who start meanwhile wait for it.

        Args:
            also: makes that.
            clock: for the wait.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there, or somebody else
                makes the tables for ever.
        """
        async with self._line.asking() as line:
            await self._lock(line, clock)
            try:
                await line.execute(_TABLES)
                await also()
            finally:
                await line.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))

    async def _lock(self, line: Connection, clock: Clock) -> None:
        """Take the lock, by one look after the other: DBOS makes an index while it answers others, and for that the
        server waits until every statement that began before has ended. One that waits for the lock would be waited for.
        """
        began_s, said = clock.elapsed(), False
        while not await _is_ours(line):
            if clock.elapsed() - began_s >= MAKE_S:
                raise StoreUnavailable(
                    f"another process has been making the tables in the PostgreSQL {self._line.shown}, by which work "
                    f"is shared, for {MAKE_S:g} s: see in its pg_stat_activity what that one waits for, end it, and "
                    "start again"
                )
            if not said:
                log.warning("%s", WAITS)
                said = True
            await clock.sleep(_LOOK_S)

    async def join(self, clock: Clock) -> None:
        """Be one of them. What a process of this home that is gone has left behind is ours; the name of one that lives
        is not. Of one that cannot be seen from here it is waited for whether it says again that it lives.

        Args:
            clock: for the wait, of `DEAD_S` at the most.

        Raises:
            SettingsError: another home works under the same name, or a copy of this one works.
            StoreUnavailable: the PostgreSQL does not answer.
        """
        first: _Rival | None = None
        while (rival := await self._claim()) is not None:
            if rival.home != self._home or (first is not None and rival.seen != first.seen):
                raise self._refused(rival)
            if first is None:
                first = rival
                log.warning("a process of this home was at work (%s): waiting whether it still is", rival.where)
            await clock.sleep(_LOOK_S)

    async def _claim(self) -> _Rival | None:
        """Have the row of this process, or say again that it lives; who has it instead, or works with the same home."""
        while await self._line.first(_CLAIM, self._words) is None:
            rivals = [_Rival(*row) for row in await self._line.all(_RIVALS, self._words)]
            living = [one for one in rivals if not self._is_gone(one.host, one.process)]
            if living:
                return living[0]
            for one in rivals:
                await self._see_gone(one.executor, one.process)
        return None

    def _is_gone(self, host: str, process: str) -> bool:
        return bool(host) and host == self._words["host"] and is_gone(process)

    async def _see_gone(self, executor: str, process: str) -> None:
        """To everybody it is as if it had been silent; nothing happens if it has begun anew."""
        async with self._line.asking() as line:
            await line.execute(_GONE, self._words | {"other": executor, "gone": process})

    def _refused(self, rival: _Rival) -> SettingsError:
        if rival.home != self._home:
            return SettingsError(
                f"another home already works as {self.executor!r} ({rival.where}): give each worker a work.executor of "
                f"its own, or, if that one is dead, start again in {DEAD_S:g} s"
            )
        return SettingsError(
            f"this home already works as {rival.executor!r} ({rival.where}): one of the two is a copy of the other, or "
            "their disk is mounted twice, and they would take each other's turns. Stop that one; or make a home of its "
            "own for this one: remove the file 'id' there, and give it a work.executor of its own"
        )

    async def beat(self, *, judges: bool) -> tuple[DeadMember, ...]:
        """Say that this process lives.

        Args:
            judges: whether it has said so for long enough, without a break, to say of others that were silent that they
                are dead: after an outage of the server all of them have been. Of a process of its own host that has
                ended it can always say so.

        Returns:
            Those that are dead, or seem to be: whoever relieves one finds out.

        Raises:
            SettingsError: while this one stood still, another home has begun to work under its name, or a copy of its
                own home.
            StoreUnavailable: the PostgreSQL does not answer.
        """
        if (rival := await self._claim()) is not None:
            raise self._refused(rival)
        found = []
        for executor, home, silent, host, process in await self._line.all(_OTHERS, self._words):
            gone = self._is_gone(host, process)
            if gone and not silent:
                await self._see_gone(executor, process)
            if gone or (silent and judges):
                found.append(DeadMember(executor, home))
        self.dead = tuple(found)
        return self.dead

    async def alive(self) -> int:
        """How many of them have said lately that they live.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer.
        """
        found = await self._line.first(_ALIVE, self._words)
        return int(found[0]) if found is not None else 0

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
        async with self._line.asking() as line, line.transaction():
            if await (await line.execute(_RELIEVE, words)).fetchone() is not None:
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
        return await self._line.first(_CHORE, {"name": chore, "every": every_s}) is not None

    async def forget(self) -> None:
        """Remove those that have been dead for long."""
        async with self._line.asking() as line:
            await line.execute(_FORGET, self._words)

    async def leave(self, give_back: Callable[[], Awaitable[None]]) -> None:
        """Be none of them any more, and let go of the connection.

        Args:
            give_back: has what this process had taken given to others; not called if somebody else has its row by now.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer; the others find that this one has ended.
        """
        async with self._line.asking() as line, line.transaction():
            if await (await line.execute(_OURS, self._words)).fetchone() is not None:
                await give_back()
                await line.execute(_LEAVE, self._words)
        await self.close()

    async def close(self) -> None:
        """Let go of the connection."""
        await self._line.close()


async def _is_ours(line: Connection) -> bool:
    row = await (await line.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,))).fetchone()
    return row is not None and bool(row[0])
