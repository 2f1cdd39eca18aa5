"""Looks at what a home describes in files: its agents, its projects and its playbooks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sulla.daemon.agents import doubts
from sulla.daemon.core import offline_core
from sulla.daemon.doctor.probes import Patient
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.host.team import Team
from sulla.playbooks.catalog import PlaybookCatalog, listed
from sulla.projects.projects import PROJECTS, Listed, Projects
from sulla.skills.folders import looked_at

_READ = "docs/agents.md says what an agent's folder holds"


async def agents(patient: Patient) -> list[Finding]:
    """The agents: each readable, and what they name there."""
    host = (await asyncio.to_thread(offline_core, patient.settings, patient.clock)).host
    shelf = await asyncio.to_thread(looked_at, patient.settings, patient.clock)
    return judge_agents(host.agents.team, tuple(host.tools), tuple(shelf.known))


def judge_agents(team: Team, tools: tuple[str, ...], skills: tuple[str, ...]) -> list[Finding]:
    """What the agents' folders come to.

    Args:
        team: what was read.
        tools: the names of the tools that there are.
        skills: those of the skills.
    """
    found = [fault(said, f"mend it and start the daemon again; {_READ}") for said in team.faults]
    found += [warning(said, _READ) for said in team.warnings]
    found += [warning(said, "mend the name in its folder") for said in doubts(team, tools, skills)]
    return found or ok(f"{counted(len(team.specs), 'agent')}: {', '.join(spec.id for spec in team.specs)}")


async def projects(patient: Patient) -> list[Finding]:
    """The projects: each readable."""
    return judge_projects(await asyncio.to_thread(Projects(patient.settings.place(PROJECTS)).all))


def judge_projects(rows: Sequence[Listed]) -> list[Finding]:
    """What the files of projects come to.

    Args:
        rows: all of a home's.
    """
    remedy = "docs/projects.md says what a project's file holds"
    found: list[Finding] = []
    for one in rows:
        said = one.trouble if one.project is None else "; ".join(one.project.warnings)
        if said:
            found.append(warning(f"{one.slug}: {said}", remedy))
    return found or ok(f"{counted(len(rows), 'project')}: {', '.join(one.slug for one in rows) or 'none'}")


async def playbooks(patient: Patient) -> list[Finding]:
    """The playbooks: each can be run."""
    core = await asyncio.to_thread(offline_core, patient.settings, patient.clock)
    shelf = core.host.needed(PlaybookCatalog)
    await shelf.look()
    return judge_playbooks(shelf)


def judge_playbooks(shelf: PlaybookCatalog) -> list[Finding]:
    """What the files of playbooks come to.

    Args:
        shelf: the playbooks, looked at.
    """
    remedy = "`sulla flow check` says all that is wrong with playbooks"
    rows = [listed(one) for one in shelf.playbooks.values()]
    found = [warning(said, remedy) for said in (*shelf.troubles, *(row.trouble for row in rows)) if said]
    return found or ok(f"{counted(len(rows), 'playbook')}: {', '.join(row.playbook for row in rows) or 'none'}")
