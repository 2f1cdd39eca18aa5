"""Which log is worked on by whom in the cluster: a row for each, so that one job of a log runs at a time.

The table is not logged: what a crash of the server takes from it costs a look that is doubled, since nothing is
written to a log but under its lease.
"""

from __future__ import annotations

from typing import Any, Final

from sulla.work.dbos.line import Line

KEPT_S: Final = 60.0
"""How long it is known which wish was seen to last. It has to be shorter than a wish's name is taken."""
_JUST_S: Final = 2.0

_TABLES: Final = """
CREATE UNLOGGED TABLE IF NOT EXISTS sulla_work.claims (
    key text PRIMARY KEY, executor text NOT NULL, mark text NOT NULL, again boolean NOT NULL,
    since timestamptz NOT NULL)
"""
_TAKE: Final = """
INSERT INTO sulla_work.claims AS c VALUES (%(key)s, %(executor)s, %(mark)s, false, clock_timestamp())
ON CONFLICT (key) DO UPDATE SET
    executor = CASE WHEN c.executor = '' THEN excluded.executor ELSE c.executor END,
    again = c.executor NOT IN ('', excluded.executor), mark = excluded.mark, since = excluded.since
WHERE excluded.mark = '' OR c.mark <> excluded.mark OR c.since < excluded.since - make_interval(secs => %(kept)s)
RETURNING executor = %(executor)s
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
    """

    def __init__(self, line: Line, executor: str) -> None:
        self._line = line
        self._executor = executor

    async def make(self) -> None:
        """Make the table; the schema is there.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there.
        """
        async with self._line.asking() as line:
            await line.execute(_TABLES)

    async def take(self, key: str, mark: str) -> bool:
        """Have a log for this process alone, until `end`.

        Args:
            key: the log.
            mark: the name of the wish that it is taken for; empty if there is none.

        Returns:
            Whether this process has it. If not, either the wish was seen to, or whoever has the log looks again.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer.
        """
        found = await self._line.first(_TAKE, self._words(key=key, mark=mark, kept=KEPT_S))
        return found is not None and bool(found[0])

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
        return [key for (key,) in await self._line.all(_FREE_ORPHANS, {})]

    async def forget(self) -> None:
        """Remove what has been over for long."""
        async with self._line.asking() as line:
            await line.execute(_FORGET, {"kept": KEPT_S})

    async def close(self) -> None:
        """Let go of the connection."""
        await self._line.close()

    def _words(self, **words: object) -> dict[str, Any]:
        return {"executor": self._executor, **words}
