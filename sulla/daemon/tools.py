"""The tools that every home has beside the built-in ones: the shell with its jobs, and the web."""

from __future__ import annotations

import asyncio
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Words, ours
from sulla.daemon.settings.config import Settings
from sulla.daemon.web import HomeWeb, make_web_tools
from sulla.tools.base import Tool
from sulla.tools.builtin.shell import Held, HeldBack, shell_tools
from sulla.tools.program_files import ProgramFiles
from sulla.tools.shell.jobs import ShellJobs, with_news
from sulla.tools.shell.layer import Layers
from sulla.tools.shell.sandbox import Shell

if TYPE_CHECKING:
    from sulla.tools.shell.held import HeldChanges

LAYERS = "layers"
"""Where in the home commands of mistrusted conversations write, before that is in the workspace."""


@dataclass(frozen=True, slots=True)
class HomeTools:
    """The shell with its jobs, and the web. They live as long as the daemon."""

    shell: Shell
    jobs: ShellJobs
    layers: Layers
    held: Held
    web: HomeWeb
    decided: dict[ThreadId, list[str]] = field(default_factory=dict)
    """What people have decided on changes of commands without being asked, until the conversation is told of it."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What agents can do with them."""
        shell = shell_tools(self.shell, self.jobs, self.held)
        return (*(with_news(tool, self.jobs) for tool in shell), *self.web.tools)

    @property
    def held_back(self) -> HeldBack:
        """What of its commands' changes waits for a person."""
        _, keeper = shell_tools(self.shell, self.jobs, self.held)
        return HeldBack(self.held, self._holds, keeper, self.decided)

    async def open(self, workspace: Path, clock: Clock) -> None:
        """Take up what an earlier daemon has held back, and find out what a command in the workspace can reach."""
        if await asyncio.to_thread(self._holds):
            await (await asyncio.to_thread(self.held)).open()
        await self.shell.open(workspace, clock)

    async def forget(self, thread_id: ThreadId) -> None:
        """A conversation was deleted: what was held back in it is given up."""
        self.decided.pop(thread_id, None)
        if await asyncio.to_thread(self._holds):
            await self.held().forget(thread_id)

    def _holds(self) -> bool:
        return any(self.layers.left())

    def ended_jobs(self, thread_id: ThreadId) -> tuple[Words, ...]:
        """How jobs of a thread have ended that it was not told of yet, and what people have done with what its commands
        have changed."""
        return *(job.news for job in self.jobs.news(thread_id)), *map(ours, self.decided.pop(thread_id, ()))

    def status(self) -> JsonObject:
        """How commands are run, for people."""
        shell, jobs = self.shell, self.jobs.counts()["running"]
        return {"shell": {"sandbox": shell.sealed, "tried": shell.tried, "why": shell.trouble, "jobs": jobs}}


def make_home_tools(settings: Settings, clock: Clock) -> HomeTools:
    """Nothing is run or looked for yet.

    Args:
        settings: everything that can be set.
        clock: all time.
    """
    asked = settings.shell
    layers = Layers(settings.home / LAYERS)
    shell = Shell(
        asked.path,
        wanted=asked.sandbox,
        home=settings.home,
        layers=layers,
        bounds=asked.bounds,
    )

    @cache
    def held() -> HeldChanges:
        # Few daemons ever hold anything back.
        from sulla.tools.shell.held import HeldChanges

        return HeldChanges(layers, ProgramFiles(asked.program_files))

    return HomeTools(shell, ShellJobs(clock), layers, held, make_web_tools(settings))
