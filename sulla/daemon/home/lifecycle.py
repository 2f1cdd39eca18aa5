"""A daemon that is told to stop, or to read its settings and agents again."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from sulla.core.errors import Refused, SettingsError
from sulla.daemon.home.agent_folders import AgentFolders, ReadAgents
from sulla.daemon.home.workspace import workspace_trouble
from sulla.daemon.settings.changes import Changes, changes, taken_up
from sulla.daemon.settings.config import Examined, Settings
from sulla.daemon.settings.redaction import hide_known
from sulla.gateway.methods.lifecycle import Reloaded, Stopping
from sulla.host.host import Built, Host
from sulla.telemetry.logs import set_level
from sulla.work.base import Work

log = logging.getLogger(__name__)


class Lifecycle:
    """Implements `gateway.methods.lifecycle.LifecycleService`. It lives as long as the daemon.

    Args:
        settings: what the daemon runs with.
        examine: reads the settings again, as they were read at the start.
        host: has the redactor.
        built: what the capabilities bring.
        work: knows what is running.
        folders: reads the agents.
    """

    def __init__(
        self,
        settings: Settings,
        examine: Callable[[], Examined],
        host: Host,
        built: Sequence[Built],
        work: Work,
        folders: AgentFolders,
    ) -> None:
        self._running = settings
        self._examine = examine
        self._host = host
        self._built = built
        self._work = work
        self._waiting: tuple[str, ...] = ()
        self._folders = folders
        self._ask: Callable[[bool], None] = lambda now: None

    def connect(self, ask: Callable[[bool], None]) -> None:
        """Have the daemon heed whoever tells it to stop.

        Args:
            ask: takes it, and whether it is to be at once.
        """
        self._ask = ask

    async def stop(self, *, now: bool) -> Stopping:
        """See `LifecycleService`."""
        log.info("told to stop by a client%s", ", at once" if now else "")
        self._ask(now)
        running = len(self._work.inspect().running)
        return Stopping(os.getpid(), running, 0.0 if now else self._running.daemon.drain_s)

    async def reload(self) -> Reloaded:
        """See `LifecycleService`."""
        async with self._folders.reading:
            examined, agents = await asyncio.to_thread(self._read)
            found = changes(self._running, examined.settings)
            faults = [*examined.faults, *await asyncio.to_thread(_workspace_faults, examined)]
            takes: list[Callable[[], None]] = []
            for one in self._built:
                try:
                    takes += [one.take_up(examined.settings)] if one.take_up is not None else []
                except SettingsError as error:
                    faults.append(error.message)
            if faults:
                many = f"{len(faults)} faults" if len(faults) > 1 else "a fault"
                raise Refused(f"nothing was changed, because of {many}: {'; '.join(faults)}")
            taken = self._take(examined.settings, agents, takes, found)
        return replace(taken, faults=(*taken.faults, *await asyncio.to_thread(self._files_that_are_wrong)))

    def waiting(self) -> str:
        """The settings that hold from the next start on, in one line; empty if all that is written down holds."""
        names = ", ".join(self._waiting)
        return f"settings that have changed wait for a restart: {names}" if names else ""

    def _files_that_are_wrong(self) -> tuple[str, ...]:
        """What capabilities say of files that they look at before turns, such as routes, looked at now."""
        lookers = [one for one in self._built if one.look_now is not None]
        for one in lookers:
            if one.look_now is not None:
                one.look_now()
        return tuple(said for one in lookers for look in one.troubles.values() if (said := look()))

    def _read(self) -> tuple[Examined, ReadAgents]:
        examined = self._examine()
        return examined, self._folders.read(examined.settings)

    def _take(
        self, wanted: Settings, agents: ReadAgents, takes: Sequence[Callable[[], None]], found: Changes
    ) -> Reloaded:
        hide_known(wanted, self._host.place.redactor)
        others, doubtful = self._folders.take(agents)
        for take in takes:
            take()
        set_level(wanted.daemon.log_level)
        self._running = taken_up(self._running, wanted)
        self._waiting = found.waiting
        taken = (*found.live, *(("agents",) if others else ()))
        log.info("read again: taken up %s; waits for a restart: %s", taken or "nothing", found.waiting or "nothing")
        return Reloaded(taken, found.waiting, doubtful, self._host.agents.team.faults)


def _workspace_faults(examined: Examined) -> list[str]:
    """What would stop the next start of the folder that agents work in."""
    trouble = workspace_trouble(examined.settings.workspace, examined.settings.home)
    place = examined.places.get(("agent", "workspace"), "")
    return [f"{place}: {trouble}" if place else trouble] if trouble else []
