"""Looks at what a home describes in files: its agents."""

from __future__ import annotations

import asyncio

from sulla.daemon.agents import doubts
from sulla.daemon.doctor.probes import Patient
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.host.team import Team
from sulla.host.tools import ToolRegistry
from sulla.skills.catalog import SkillCatalog

_READ = "docs/agents.md says what an agent's folder holds"


async def agents(patient: Patient) -> list[Finding]:
    """The agents: each readable, and what they name there."""
    host = await asyncio.to_thread(patient.host)
    catalog = host.needed(SkillCatalog)
    await catalog.look()
    return judge_agents(host.agents.team, host.tools, tuple(catalog.known))


def judge_agents(team: Team, tools: ToolRegistry, skills: tuple[str, ...]) -> list[Finding]:
    """What the agents' folders come to.

    Args:
        team: what was read.
        tools: those that there are.
        skills: the names of the skills.
    """
    found = [fault(said, f"mend it, then `sulla reload`; {_READ}") for said in team.faults]
    found += [warning(said, _READ) for said in team.warnings]
    found += [warning(said, "mend the name in its folder") for said in doubts(team, tools, skills)]
    return found or ok(f"{counted(len(team.specs), 'agent')}: {', '.join(spec.id for spec in team.specs)}")
