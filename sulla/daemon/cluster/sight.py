"""The PostgreSQL of a cluster's queue as a daemon's settings lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import Settings
from sulla.host.store_url import POSTGRES, named_store, work_database

if TYPE_CHECKING:
    from sulla.work.dbos.look import QueueServer


@dataclass(frozen=True, slots=True)
class QueueSight:
    """A server, and how many connections of it each daemon wants at the most."""

    server: QueueServer
    worker: int
    gateway: int


async def see_queue(settings: Settings) -> QueueSight:
    """Look at it; nothing is changed.

    Args:
        settings: name it.

    Raises:
        SettingsError: they name none, or its library is not installed.
        StoreUnavailable: it does not answer, or refuses what is asked.
    """
    try:
        from sulla.memory.adapters import MEMORY_CONNECTIONS
        from sulla.store.postgres.pool import MAX_CONNECTIONS
        from sulla.work.dbos.connections import GATEWAY, WORKER
        from sulla.work.dbos.look import look_at
    except ModuleNotFoundError as error:
        raise SettingsError(f"work.engine is 'dbos', and the library {error.name!r} is not installed") from error
    url, store = work_database(settings), named_store(settings)
    # Of another PostgreSQL it is not known here how many it has, and who else asks it.
    shares = store.scheme in POSTGRES and store.url == url
    kept = MAX_CONNECTIONS + 1 + MEMORY_CONNECTIONS if shares else 0  # one listens
    return QueueSight(await look_at(url), WORKER + kept, GATEWAY + kept)
