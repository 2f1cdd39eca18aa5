"""The agents' folders, looked at while the daemon runs: what has changed in them holds from the next turn on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.daemon.agents import doubts, read_team
from sulla.daemon.settings.config import Settings
from sulla.definitions.agents import AGENTS, FolderState, state_of
from sulla.host.team import Team
from sulla.host.tools import ToolRegistry

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""The folders are looked at no more often than this, in seconds."""


@dataclass(frozen=True, slots=True)
class ReadAgents:
    """The agents as they were read at one moment."""

    team: Team
    settings: Settings
    state: FolderState
    """What their folders were like just before."""


class AgentFolders:
    """Keeps a home's team as its folders are, read again when `look` is called; nothing watches them.

    It lives as long as the daemon.

    Args:
        settings: name the home.
        team: the agents as they were read at the start; others are put in their place.
        tools: those that there are.
        clock: all time.
    """

    def __init__(self, settings: Settings, team: Team, tools: ToolRegistry, clock: Clock) -> None:
        self.reading = asyncio.Lock()
        """Held from reading to taking, so that nothing older is put in the place of what is newer."""
        self._settings = settings
        self._team = team
        self._tools = tools
        self._clock = clock
        self._looked_s: float | None = None
        self._state: FolderState | None = None

    async def look(self) -> None:
        """Take up what has changed in the folders; beside the event loop, and not more often than every `LOOK_S`.

        Whoever comes while somebody else looks waits for what is found.
        """
        async with self.reading:
            if self._looked_s is None or self._clock.elapsed() - self._looked_s >= LOOK_S:
                await self._look()

    async def look_now(self) -> None:
        """The same however short ago they were looked at, for who asks about the agents."""
        async with self.reading:
            await self._look()

    async def _look(self) -> None:
        self._looked_s = self._clock.elapsed()
        if (read := await asyncio.to_thread(self._changed)) is not None:
            self.take(read)

    async def change(self, write: Callable[[], None]) -> None:
        """Write to the folders, and take up what that comes to.

        Args:
            write: does it; called beside the event loop.
        """
        async with self.reading:
            await asyncio.to_thread(write)
            self.take(await asyncio.to_thread(self.read, self._settings))

    def said_of(self, agent: str) -> tuple[str, ...]:
        """What is wrong with an agent, or may be a slip of the pen in its folder.

        Args:
            agent: its id.
        """
        beginnings = f"the agent {agent!r}: ", f"{self._settings.home / AGENTS / agent}: "
        return tuple(one for one in (*self._team.faults, *self._doubts(self._team)) if one.startswith(beginnings))

    def read(self, settings: Settings) -> ReadAgents:
        """Read them all. It blocks, and changes nothing; whoever calls it holds `reading`.

        Args:
            settings: as they are to be from now on.
        """
        state = state_of(settings.home / AGENTS)
        return ReadAgents(read_team(settings, self._team), settings, state)

    def take(self, read: ReadAgents) -> tuple[bool, tuple[str, ...]]:
        """Have what was read in force from the next turn on, and log what is wrong that was not wrong before.

        Args:
            read: what was read.

        Returns:
            Whether any agent is another one now, and what may be a slip of the pen in their folders.
        """
        before, told = self._team.specs, {*self._team.faults, *self._doubts(self._team)}
        self._team.take(read.team)
        self._settings, self._state = read.settings, read.state
        if changed := self._team.specs is not before:
            log.info("the agents have changed: %s", ", ".join(self._team.ids))
        for said in self._team.faults:
            if said not in told:
                log.warning("an agent's folder cannot be used: %s", said)
        doubtful = self._doubts(self._team)
        for said in doubtful:
            if said not in told:
                log.warning("an agent is not quite as it should be: %s", said)
        return changed, doubtful

    def _changed(self) -> ReadAgents | None:
        return self.read(self._settings) if state_of(self._settings.home / AGENTS) != self._state else None

    def _doubts(self, team: Team) -> tuple[str, ...]:
        return (*team.warnings, *doubts(team, self._tools))
