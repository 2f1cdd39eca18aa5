"""What `sulla doctor` looks at, looked at by the daemon itself, for clients that have no terminal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.daemon.checkup import Ask
from sulla.daemon.doctor.doctor import results
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.settings.config import Examined
from sulla.host.checks import Check
from sulla.host.findings import Finding
from sulla.host.home import Home

CHECK_S: Final = 15.0
"""How long one of these checks may take: a client waits for 30 s for all of them and the store."""

BEHIND_STORE: Final = ("store", "clock", "model")
"""Checks that go by what was found when the store was looked at."""


@dataclass(frozen=True, slots=True)
class DoctorWithin:
    """The checks of `sulla doctor`, made in the daemon that they are about."""

    home: Home
    examine: Callable[[], Examined]
    """Reads the settings as they are written now."""
    clock: Clock
    table: Callable[[], tuple[Check[Patient], ...]]

    async def look(self, ask: Ask, store: Awaitable[JsonObject]) -> JsonObject:
        """Make every check, all at once, and say what was found.

        Args:
            ask: does a method without parameters, as a client would have it.
            store: looks at the store; its answer is part of this one.
        """
        examined = await asyncio.to_thread(self.examine)
        where = await asyncio.to_thread(self.home.whereabouts)

        async def asked(method: str) -> JsonObject:
            return await looked if method == "system.check" else await ask(method)

        patient = Patient(self.home, examined, self.clock, os.geteuid(), where, asked)
        table = self.table()
        async with asyncio.TaskGroup() as group:
            looked = group.create_task(_of(store))
            first = [group.create_task(self._made(one, patient)) for one in table if one.name not in BEHIND_STORE]
        made = dict(task.result() for task in first)
        for check in table:
            if check.name in BEHIND_STORE:
                made |= dict([await self._made(check, patient)])
        shown = [(check.name, finding) for check in table for finding in made[check.name]]
        return looked.result() | {"checks": [check_row(name, finding) for name, finding in shown]}

    async def _made(self, check: Check[Patient], patient: Patient) -> tuple[str, list[Finding]]:
        return check.name, await results(Check(check.name, check.run, min(check.deadline_s, CHECK_S)), patient)


async def _of(store: Awaitable[JsonObject]) -> JsonObject:
    return await store


def check_row(name: str, finding: Finding) -> JsonObject:
    """A finding as it is shown in JSON.

    Args:
        name: the check's.
        finding: what it found.
    """
    return {"check": name, "result": finding.result, "found": finding.found, "remedy": finding.remedy}
