"""The routes of a home: its file `routes.yaml`, looked at again before turns.

A file that has become wrong takes nothing away: the routes that were read last go on to hold, because a gate for
incidents that vanished over a slip of the pen would be missed when it is needed. The shelf is `broken` as long as the
file is, with all that is wrong, and whoever shows the state of a daemon says so. A file that is not there is no fault:
its owner took it away, and the routes with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.routes.faults import KnownNames, RouteFault
from sulla.routes.plan import RouteTable
from sulla.routes.reading import read_routes
from sulla.routes.schema import MOST_BYTES

log = logging.getLogger(__name__)

ROUTES_FILE: Final = "routes.yaml"
"""In the folder of a home."""
LOOK_S: Final = 1.0
"""The file is looked at no more often than this, in seconds."""

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ShelvedRoutes:
    """The routes of a home as they are now."""

    table: RouteTable | None = None
    """Those that hold: of the file, or, while it is broken, those that were read last; None if there are none."""
    faults: tuple[RouteFault, ...] = ()
    """All errors of the file, or, if there are none, all warnings."""

    @property
    def broken(self) -> bool:
        """Whether the file has errors, so that the routes that hold are not those that it says."""
        return any(fault.severity == "error" for fault in self.faults)


class RouteShelf:
    """Knows the routes of a home. It lives as long as the daemon.

    Args:
        home: the home's folder.
        known: gives what routes may name.
        clock: all time.
    """

    def __init__(self, home: Path, known: Callable[[], KnownNames], clock: Clock) -> None:
        self.file = home / ROUTES_FILE
        self._known = known
        self._clock = clock
        self._looked_s: float | None = None
        self._seen: tuple[_Stamp | None, KnownNames] | None = None
        self._routes = ShelvedRoutes()

    @property
    def routes(self) -> ShelvedRoutes:
        """As they were read last."""
        return self._routes

    @property
    def told(self) -> tuple[str, ...]:
        """All that is wrong with the file, one line each."""
        return tuple(fault.told(str(self.file)) for fault in self._routes.faults)

    async def look(self) -> None:
        """Take up a changed file; beside the event loop, and not more often than every `LOOK_S`."""
        if self._looked_s is None or self._clock.elapsed() - self._looked_s >= LOOK_S:
            await self.look_now()

    async def look_now(self) -> None:
        """The same however short ago it was looked at."""
        self._looked_s = self._clock.elapsed()
        before = self._routes
        await asyncio.to_thread(self.read)
        after = self._routes
        if after.faults == before.faults:
            return
        if after.broken:
            held = "the ones read before hold" if after.table is not None else "there are no others, so none holds"
            log.error("the routes of %s cannot be used (%s): %s", self.file, held, "; ".join(self.told))
        else:
            for line in self.told:
                log.warning("%s", line)

    def read(self) -> None:
        """The same at once. It blocks."""
        known = self._known()
        try:
            stat = self.file.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except FileNotFoundError:
            self._seen, self._routes = (None, known), ShelvedRoutes()
            return
        except OSError as error:
            self._seen, self._routes = None, self._unreadable(error)
            return
        if self._seen == (stamp, known):
            return
        try:
            with self.file.open("rb") as opened:
                text = opened.read(MOST_BYTES + 1).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self._seen, self._routes = None, self._unreadable(error)
            return
        found = read_routes(text, known)
        table = found.table if found.table is not None else self._routes.table
        self._seen, self._routes = (stamp, known), ShelvedRoutes(table, found.faults)

    def _unreadable(self, error: OSError | UnicodeDecodeError) -> ShelvedRoutes:
        fault = RouteFault("the file", 1, 1, f"it cannot be read: {error}")
        return ShelvedRoutes(self._routes.table, (fault,))
