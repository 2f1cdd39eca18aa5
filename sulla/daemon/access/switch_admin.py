"""The kill switch of a home that no daemon runs on: turned by whoever owns the home, and audited all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sulla.access.audit import AuditLog
from sulla.access.principal import OWNER
from sulla.core.clock import Clock
from sulla.core.jsontypes import JsonObject
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.daemon.home.archive import open_kept
from sulla.daemon.settings.config import Settings
from sulla.work.pauses import WorkPause
from sulla.work.switch import WorkSwitch


class SwitchAdmin:
    """Does what the owner asks at the machine itself, and writes it down.

    Args:
        switch: the switch.
        log: the audit log.
        clock: for its times.
    """

    def __init__(self, switch: WorkSwitch, log: AuditLog, clock: Clock) -> None:
        self._switch = switch
        self._log = log
        self._clock = clock

    async def pause(self, reason: str) -> WorkPause:
        """Have all work stand still."""
        pause = await self._switch.pause(OWNER, reason)
        self._note("system.pause", {"reason": reason})
        return pause

    async def resume(self) -> None:
        """Have work go on."""
        await self._switch.resume(OWNER)
        self._note("system.resume", {})

    def _note(self, method: str, about: JsonObject) -> None:
        at = stamp(round(self._clock.now() * 1000))
        self._log.write({"at": at, "token": OWNER, "way": "home", "method": method, "about": about, "code": "ok"})


@asynccontextmanager
async def open_switch(settings: Settings) -> AsyncIterator[SwitchAdmin]:
    """Claim a home and open its switch; its store is made if there is none: see `archive.open_kept`."""
    async with open_kept(settings, make=True) as kept:
        log = AuditLog(kept.home.path, Redactor())
        try:
            yield SwitchAdmin(WorkSwitch(kept.store, kept.place.clock), log, kept.place.clock)
        finally:
            log.close()
