"""What a heartbeat looks at: projects, skills, agents at work, and what was written in the workspace."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from sulla.agent.active import ActiveAgents
from sulla.core.dataclass import dataclass
from sulla.heartbeat.brief import SECTION_CHARS, PeopleContext
from sulla.heartbeat.plan import ProjectSummary, plain
from sulla.heartbeat.slice import BEATS
from sulla.projects.projects import ListedProject, Projects
from sulla.threads.log.state import ThreadState

MOST_FILES: Final = 20_000
"""Files of the workspace that are looked at to see what was written; in a larger one newer ones may be overlooked."""
MOST_AGENTS: Final = 20
MOST_WAITING: Final = 200
"""Threads that wait for an answer that are looked through for other agents' beats."""


@dataclass(frozen=True, slots=True)
class BeatView:
    """What a beat looks at before it decides what to do."""

    lots: tuple[ProjectSummary, ...]
    skills: str


async def all_trusted(file: Path, workspace: Path) -> bool:
    """Nobody has written what is not to be trusted."""
    return False


def no_playbooks() -> str:
    """There are none."""
    return ""


async def nobody_around(state: ThreadState) -> PeopleContext:
    """Nobody is known to be."""
    return PeopleContext()


@dataclass(frozen=True, slots=True)
class Agenda:
    """Finds out what an agent could do in a beat; it changes nothing. One per beat.

    Args:
        projects: the home's.
        skills: the index of skills, as models are told of it.
        active: who is at work.
        workspace: where agents write.
        around: who is about, and what they have not answered to a heartbeat.
        mistrusted: whether a file is as a run left it that had read what nobody trusts.
        playbooks: those that may be started at a beat, a line each.
    """

    projects: Projects
    skills: Callable[[], str]
    active: ActiveAgents
    workspace: Path
    around: Callable[[ThreadState], Awaitable[PeopleContext]] = nobody_around
    mistrusted: Callable[[Path, Path], Awaitable[bool]] = all_trusted
    playbooks: Callable[[], str] = no_playbooks

    async def look(self) -> BeatView:
        """Projects and skills as they are now."""
        lots = []
        for one in await asyncio.to_thread(self.projects.all):
            if (lot := _lot(one)) is not None:
                doubtful = await self.mistrusted(self.projects.place(lot.slug), self.workspace)
                lots.append(plain(lot) if doubtful else lot)
        return BeatView(tuple(lots), self.skills()[:SECTION_CHARS])

    async def agents(self, state: ThreadState) -> str:
        """Who else is at work, a line each; a project whose name nobody trusts is left out.

        Args:
            state: the heartbeat, which is left out.
        """
        found = await self.active.now((state.thread_id,))
        return "\n".join(
            f"- {agent.name.text}{f' on {agent.project.text}' if agent.project and not agent.project.tainted else ''}"
            for agent in found[:MOST_AGENTS]
        )

    async def taken(self, state: ThreadState) -> frozenset[str]:
        """The projects that others are at work on, also those whose beat waits for its cycle to get its turn.

        Args:
            state: the heartbeat, which is left out.
        """
        at_work = {agent.project.text for agent in await self.active.now((state.thread_id,))}
        for info, other in await self.active.threads.list(status="suspended", limit=MOST_WAITING):
            beat = BEATS.of(other) if other is not None and info.key != state.thread_id else None
            if beat is not None and beat.status == "running":
                at_work.add(beat.focus)
        return frozenset(at_work - {""})

    async def written(self, since_ms: int) -> int:
        """How many files of the workspace were written after a time.

        Args:
            since_ms: UTC milliseconds.
        """
        return await asyncio.to_thread(_written, self.workspace, since_ms / 1000)


def _lot(listed: ListedProject) -> ProjectSummary | None:
    project = listed.project
    if project is None:
        return None  # it cannot be read: `sulla project list` and `sulla doctor` say so
    done = sum(task.done for task in project.tasks)
    blocked = sum(bool(task.blocked) and not task.done for task in project.tasks)
    at = project.fields.get("last_activity_at", "")
    counts = (len(project.open_tasks), blocked, done)
    return ProjectSummary(listed.slug, project.title, project.status, project.priority, *counts, at, listed.digest)


def _written(root: Path, since_s: float) -> int:
    found = seen = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if not name.startswith(".")
        ]  # ours, and what programs keep for themselves
        for name in names:
            seen += 1
            if seen > MOST_FILES:
                return found
            try:
                status = os.stat(os.path.join(folder, name), follow_symlinks=False)  # noqa: PTH116, PTH118 - many
            except OSError:
                continue  # gone meanwhile
            found += status.st_mtime > since_s
    return found
