"""What can be seen of the PostgreSQL by which work is shared by whoever takes no part in that."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.store.postgres.url import parse_address
from sulla.work.dbos.line import Line
from sulla.work.dbos.members import Members

_LOOK: Final = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    has_database_privilege(current_database(), 'CREATE'), to_regclass('sulla_work.members') IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class QueueServer:
    """A server that answers."""

    shown: str
    """Where it is, for people."""
    most_connections: int
    """So many it has for all but superusers."""
    made: bool
    """Whether the tables are there."""
    may_make: bool
    """Whether this user may make them."""
    workers: int
    """How many live."""


async def look_at(url: str) -> QueueServer:
    """Look at it; nothing is changed.

    Args:
        url: of the PostgreSQL; can hold a password.

    Raises:
        SettingsError: there is no such address.
        StoreUnavailable: it does not answer, or refuses what is asked.
    """
    address = parse_address(url)
    line = Line(address.conninfo, address.shown)
    try:
        [(most, may_make, made)] = await line.all(_LOOK)
        workers = await Members(line, "", "").alive() if made else 0
    finally:
        await line.close()
    return QueueServer(address.shown, most, made, may_make, workers)
