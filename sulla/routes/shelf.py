"""The routes of a home: its file `routes.yaml`, looked at again before turns.

A file that has become wrong takes nothing away: the routes that were read last go on to hold, because a gate for
incidents that vanished over a slip of the pen would be missed when it is needed. So a copy of the last file that could
be read lies beside it, and holds after a restart too. The shelf is `broken` as long as the file is, with all that is
wrong, and whoever shows the state of a daemon says so. A file that is not there is no fault: its owner took it away,
and the routes with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.definitions.file_fault import FileFault
from sulla.routes.faults import KnownNames, RoutesRead
from sulla.routes.last_good import LastGood
from sulla.routes.plan import RouteTable
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
    faults: tuple[FileFault, ...] = ()
    """All errors of the file, or, if there are none, all warnings."""
    copied: bool = False
    """Whether the routes are those of the copy that lies beside a file that is broken since before the start."""

    @property
    def held(self) -> str:
        """Which routes hold while the file is broken, for people."""
        if self.table is None:
            return "there are no others, so none holds"
        return "those of the last file that could be read hold" if self.copied else "the ones read before hold"

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
        self._last = LastGood(home)
        self._text: str | None = ""
        """What the file says; empty where it is not there, None where it is broken."""
        self._kept = True
        """Whether the copy could be written."""

    @property
    def routes(self) -> ShelvedRoutes:
        """As they were read last."""
        return self._routes

    @property
    def told(self) -> tuple[str, ...]:
        """All that is wrong with the file, one line each."""
        return tuple(fault.told(str(self.file)) for fault in self._routes.faults)

    def trouble(self) -> str:
        """What is wrong, for whoever shows the state of a daemon; empty where the file can be used."""
        if not self._routes.broken:
            return ""
        return f"the routes cannot be used as they are written ({self._routes.held}): {'; '.join(self.told)}"

    async def look(self) -> None:
        """Take up a changed file; beside the event loop, and not more often than every `LOOK_S`."""
        if self._looked_s is None or self._clock.elapsed() - self._looked_s >= LOOK_S:
            await self.look_now()

    async def look_now(self) -> None:
        """The same however short ago it was looked at."""
        self._looked_s = self._clock.elapsed()
        before = self._routes
        await asyncio.to_thread(self._read_and_keep)
        after = self._routes
        if after.faults == before.faults:
            return
        if after.broken:
            log.error("the routes of %s cannot be used (%s): %s", self.file, after.held, "; ".join(self.told))
        else:
            for line in self.told:
                log.warning("%s", line)

    def _read_and_keep(self) -> None:
        self.read()
        try:
            if self._text:
                self._last.keep(self._text)
            elif self._text is not None:
                self._last.forget()
        except OSError as error:
            if self._kept:
                said = "a restart while the file is broken would find no routes"
                log.warning("the copy %s cannot be written (%s): %s", self._last.file, said, error)
            self._kept = False
        else:
            self._kept = True

    def read(self) -> None:
        """The same at once, and no copy is written. It blocks."""
        known = self._known()
        try:
            stat = self.file.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except FileNotFoundError:
            self._seen, self._routes, self._text = (None, known), ShelvedRoutes(), ""
            return
        except OSError as error:
            self._seen, self._routes = None, self._unreadable(error)
            return
        if self._seen == (stamp, known):
            return
        try:
            text = text_of(self.file)
        except OSError as error:
            self._seen, self._routes = None, self._unreadable(error)
            return
        if isinstance(text, FileFault):
            self._seen, self._routes = (stamp, known), self._broken((text,))
            return
        found = _read(text, known)
        if found.table is None:
            self._seen, self._routes = (stamp, known), self._broken(found.faults)
        else:
            self._seen, self._routes = (stamp, known), ShelvedRoutes(found.table, found.faults)
            self._text = text

    def _unreadable(self, error: OSError) -> ShelvedRoutes:
        return self._broken((FileFault("the file", 1, 1, f"it cannot be read: {error}"),))

    def _broken(self, faults: tuple[FileFault, ...]) -> ShelvedRoutes:
        """What holds now: the routes that were read before, in this process or in one before it."""
        self._text = None
        if self._routes.table is not None:
            return ShelvedRoutes(self._routes.table, faults, self._routes.copied)
        try:
            found = _read(self._last.read(), KnownNames())
        except (OSError, UnicodeDecodeError) as error:
            lost = FileFault("the file", 1, 1, f"nor can its copy {self._last.file.name} be read: {error}")
            return ShelvedRoutes(None, (*faults, lost))
        return ShelvedRoutes(found.table, faults, found.table is not None)


def text_of(file: Path) -> str | FileFault:
    """What a file of routes says; why it is none where it is too long, or no UTF-8.

    Args:
        file: the file.

    Raises:
        OSError: it cannot be read.
    """
    size_bytes = file.stat().st_size
    if size_bytes > MOST_BYTES:
        return FileFault("the file", 1, 1, f"it is {size_bytes} bytes long; {MOST_BYTES} are allowed")
    with file.open("rb") as opened:
        raw = opened.read(MOST_BYTES)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
        said = f"the byte 0x{raw[error.start]:02x} is no UTF-8: expected a text, saved as UTF-8"
        return FileFault("the file", line, column, said)


def _read(text: str, known: KnownNames) -> RoutesRead:
    from sulla.routes.reading import read_routes  # noqa: PLC0415  # with the first file

    return read_routes(text, known)
