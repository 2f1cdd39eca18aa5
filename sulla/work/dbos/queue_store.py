"""Which store the queue is for: whoever works for another one would be asked for logs that he does not have."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import StoreReplaced
from sulla.work.dbos.line import Line

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS sulla_work.store (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), incarnation text NOT NULL, place text NOT NULL)
"""
_NOTE: Final = """
INSERT INTO sulla_work.store AS s (incarnation, place) VALUES (%(incarnation)s, %(place)s)
ON CONFLICT (one) DO UPDATE SET incarnation = excluded.incarnation, place = excluded.place
WHERE %(accept)s OR s.incarnation = excluded.incarnation RETURNING 1
"""
_NOTED: Final = "SELECT place FROM sulla_work.store"


class QueueStore:
    """The store that the queue is for, noted beside it by the first daemon. It lives as long as the daemon.

    Args:
        line: a connection.
        place: where this daemon's store is, for people.
        accept: note this daemon's store, whatever stood there.
    """

    def __init__(self, line: Line, place: str, *, accept: bool) -> None:
        self._line = line
        self._place = place
        self._accept = accept

    async def make(self) -> None:
        """Make the table; the schema is there.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or this user may make nothing there.
        """
        async with self._line.asking() as line:
            await line.execute(_TABLES)

    async def check(self, incarnation: str) -> None:
        """See that the queue is for the store of this daemon, and note it if it is for none yet.

        Args:
            incarnation: the store's own id.

        Raises:
            StoreReplaced: it is for another one.
            StoreUnavailable: the PostgreSQL does not answer.
        """
        words = {"incarnation": incarnation, "place": self._place, "accept": self._accept}
        if await self._line.first(_NOTE, words) is not None:
            return
        noted = await self._line.first(_NOTED)
        there = f"{noted[0]}" if noted is not None else "another one"
        same = ", as it was before it was emptied or replaced" if there == self._place else ""
        raise StoreReplaced(
            f"the queue in the PostgreSQL {self._line.shown} is for the store {there}{same}, and this daemon's store "
            f"is {self._place}: daemons that share a queue share a store. Name the same one (store.url, SULLA_STORE), "
            "or another database for the queue (work.database_url); where the whole cluster goes on with this store, "
            "stop the others and start this one once with `sulla up --accept-store`"
        )
