"""What agents' tools work with: the shell, its jobs, the home's projects, the web, notes to people, playbooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sulla.agent import sub_agent_tools
from sulla.core.clock import Clock
from sulla.core.ids import ThreadId
from sulla.daemon.family import FamilyDesk
from sulla.daemon.settings.config import Settings
from sulla.daemon.web import make_web_tools
from sulla.heartbeat.tools import heartbeat_tools
from sulla.memory.build import Memories
from sulla.people.notifier import NoticeDesk
from sulla.playbooks.triggers.agents import PlayHands
from sulla.projects.projects import PROJECTS, Projects
from sulla.projects.tools import project_tools
from sulla.tools import Jobs, Shell, Tool, notify_tools, shell_tools, with_news


@dataclass(frozen=True, slots=True)
class Hands:
    """The shell, its jobs, the home's projects, the web, notes to people, and playbooks."""

    shell: Shell
    jobs: Jobs
    projects: Projects
    web: tuple[Tool, ...]
    notices: NoticeDesk
    playbooks: PlayHands = field(default_factory=PlayHands)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What agents can do with them."""
        return (
            *(with_news(tool, self.jobs) for tool in shell_tools(self.shell, self.jobs)),
            *project_tools(self.projects),
            *self.web,
            *notify_tools(self.notices),
            *heartbeat_tools(),
            *self.playbooks.tools,
        )

    def ended_jobs(self, thread_id: ThreadId) -> tuple[str, ...]:
        """How jobs of a thread have ended that it was not told of yet."""
        return tuple(job.end for job in self.jobs.news(thread_id))


def lasting_tools(hands: Hands, memories: Memories, family: FamilyDesk) -> tuple[Tool, ...]:
    """What agents of a home always have beside the built-in tools."""
    return (*hands.tools, *memories.tools, *sub_agent_tools(family))


def bring_projects(projects: Projects, samples: Path) -> None:
    """Give a home that has no projects yet those that Sulla brings along.

    Args:
        projects: the home's.
        samples: the folder that they are brought along in.
    """
    if projects.exists or not samples.is_dir():
        return
    for sample in Projects(samples).all():
        if sample.project is not None:
            projects.create(sample.slug, Projects(samples).read(sample.slug).text)


def make_hands(settings: Settings, clock: Clock) -> Hands:
    """Nothing is run or looked for yet.

    Args:
        settings: everything that can be set.
        clock: all time.
    """
    shell = Shell(settings.shell.path, wanted=settings.shell.sandbox, home=settings.home)
    return Hands(shell, Jobs(clock), Projects(settings.place(PROJECTS)), make_web_tools(settings), NoticeDesk())
