"""Which log is worked on by whom in the cluster: a row for each, so that one job of a log runs at a time.

The table is not logged: what a crash of the server takes from it costs a look that is doubled, since nothing is
written to a log but under its lease.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sulla.work.base import Group
from sulla.work.dbos.line import Connection, Line
from sulla.work.dbos.places import Occupied, full
from sulla.work.queue import JobCaps

KEPT_S: Final = 60.0
"""How long it is known which wish was seen to last. It has to be shorter than a wish's name is taken."""
_JUST_S: Final = 2.0

_LOCK: Final = 0x53_55_4C_4C_42
"""The number of the lock under which places are counted; any that nobody else uses."""

_TABLES: Final = """
CREATE UNLOGGED TABLE IF NOT EXISTS sulla_work.claims (
    key text PRIMARY KEY, executor text NOT NULL, mark text NOT NULL, again boolean NOT NULL,
    since timestamptz NOT NULL, kind text NOT NULL, agent text NOT NULL, parent text NOT NULL)
"""
_TAKE: Final = """
INSERT INTO sulla_work.claims AS c
VALUES (%(key)s, %(executor)s, %(mark)s, false, clock_timestamp(), %(kind)s, %(agent)s, %(parent)s)
ON CONFLICT (key) DO UPDATE SET
    executor = CASE WHEN c.executor = '' THEN excluded.executor ELSE c.executor END,
    kind = CASE WHEN c.executor IN ('', excluded.executor) THEN excluded.kind ELSE c.kind END,
    agent = CASE WHEN c.executor IN ('', excluded.executor) THEN excluded.agent ELSE c.agent END,
    parent = CASE WHEN c.executor IN ('', excluded.executor) THEN excluded.parent ELSE c.parent END,
    again = c.executor NOT IN ('', excluded.executor), mark = excluded.mark, since = excluded.since
WHERE excluded.mark = '' OR c.mark <> excluded.mark OR c.since < excluded.since - make_interval(secs => %(kept)s)
RETURNING executor = %(executor)s
"""
_LOCKED: Final = "SELECT pg_advisory_xact_lock(%(lock)s)"
_OCCUPIED: Final = """
SELECT count(*) FILTER (WHERE kind IN ('turn', 'child')), count(*) FILTER (WHERE kind = 'turn' AND agent = %(agent)s),
    count(*) FILTER (WHERE kind = 'child'), count(*) FILTER (WHERE kind = 'step'),
    count(DISTINCT CASE kind WHEN 'play' THEN key WHEN 'step' THEN nullif(parent, %(key)s) END)
FROM sulla_work.claims WHERE executor <> '' AND key <> %(key)s
"""
_PASS: Final = """
UPDATE sulla_work.claims SET agent = CASE WHEN %(room)s THEN %(agent)s ELSE '' END
WHERE key = %(key)s AND executor = %(executor)s
"""
_END: Final = """
WITH ended AS (SELECT key, again FROM sulla_work.claims WHERE key = %(key)s AND executor = %(executor)s FOR UPDATE)
UPDATE sulla_work.claims AS c SET executor = '', again = false, since = clock_timestamp(),
    mark = CASE WHEN ended.again THEN '' ELSE c.mark END
FROM ended WHERE c.key = ended.key RETURNING ended.again
"""
_FREE: Final = """
UPDATE sulla_work.claims SET executor = '', again = false, mark = '', since = clock_timestamp()
WHERE executor = %(executor)s RETURNING key
"""
_FREE_ORPHANS: Final = """
UPDATE sulla_work.claims AS c SET executor = '', again = false, mark = '', since = clock_timestamp()
WHERE executor <> '' AND NOT EXISTS (SELECT 1 FROM sulla_work.members AS m WHERE m.executor = c.executor) RETURNING key
"""
_TAKEN: Final = """
SELECT key FROM sulla_work.claims WHERE executor <> '' OR since > clock_timestamp() - make_interval(secs => %(just)s)
"""
_FORGET: Final = """
DELETE FROM sulla_work.claims
WHERE executor = '' AND since < clock_timestamp() - make_interval(secs => %(kept)s)
"""


class Claims:
    """What the processes of the cluster work on, and this one among them. It lives as long as the daemon.

    Args:
        line: a connection of its own.
        executor: what this process is called.
        caps: how many jobs there may be at once, in all of them.
    """

    def __init__(self, line: Line, executor: str, caps: JobCaps) -> None:
        self._caps = caps
        self._line = line
        self._executor = executor

    async def make(self) -> None:
        """Make the table; the schema is there.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there.
        """
        async with self._line.asking() as line:
            await line.execute(_TABLES)

    async def take(self, key: str, mark: str, group: Group | None = None) -> str | None:
        """Have a log for this process alone, until `end`.

        Args:
            key: the log.
            mark: the name of the wish that it is taken for; empty if there is none.
            group: what it counts as; None if it takes no place.

        Returns:
            Empty if this process has it. Else the place that is missing, of those of the whole cluster; or None: either
            the wish was seen to, or whoever has the log looks again.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer.
        """
        words = self._words(key=key, mark=mark, kept=KEPT_S, kind="", agent="", parent="")
        if group is None:
            return _ours(await self._line.first(_TAKE, words))
        words |= {"kind": group.kind, "agent": group.agent, "parent": group.parent}
        async with self._line.asking() as line, line.pipeline(), line.transaction():
            if place := full(await _occupied(line, words), group, self._caps):
                return place
            return _ours(await (await line.execute(_TAKE, words)).fetchone())

    async def pass_to(self, key: str, agent: str) -> bool:
        """A turn goes on with another agent: have a place among those of that agent, in the place of its own.

        Args:
            key: its log.
            agent: who goes on.

        Returns:
            Whether it has one; if not, it has none of any agent, and is to ask again.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer.
        """
        words = self._words(key=key, agent=agent)
        async with self._line.asking() as line, line.pipeline(), line.transaction():
            room = (await _occupied(line, words)).of_agent < self._caps.per_agent
            await line.execute(_PASS, words | {"room": room})
        return room

    async def end(self, key: str) -> bool:
        """Let go of a log; nothing happens if this process was taken for dead meanwhile.

        Args:
            key: the log.

        Returns:
            Whether somebody has wished for another look meanwhile.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer.
        """
        found = await self._line.first(_END, self._words(key=key))
        return found is not None and bool(found[0])

    async def taken(self) -> set[str]:
        """The logs that somebody has, or had a moment ago: he may be about to wish for them again."""
        return {key for (key,) in await self._line.all(_TAKEN, {"just": _JUST_S})}

    async def free(self, executor: str) -> list[str]:
        """End all that a process has.

        Returns:
            The logs, which somebody has to look at.
        """
        return [key for (key,) in await self._line.all(_FREE, {"executor": executor})]

    async def free_orphans(self) -> list[str]:
        """The same for processes that nobody remembers."""
        return [key for (key,) in await self._line.all(_FREE_ORPHANS)]

    async def forget(self) -> None:
        """Remove what has been over for long."""
        async with self._line.asking() as line:
            await line.execute(_FORGET, {"kept": KEPT_S})

    async def close(self) -> None:
        """Let go of the connection."""
        await self._line.close()

    def _words(self, **words: object) -> dict[str, Any]:
        return {"executor": self._executor, **words}


async def _occupied(line: Connection, words: dict[str, Any]) -> Occupied:
    """What others have; nobody else takes a place before this transaction is over."""
    await line.execute(_LOCKED, {"lock": _LOCK})
    (counts,) = await (await line.execute(_OCCUPIED, words)).fetchall()
    return Occupied(*counts)


def _ours(row: Sequence[Any] | None) -> str | None:
    return "" if row is not None and row[0] else None
