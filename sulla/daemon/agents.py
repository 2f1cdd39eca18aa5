"""The agents of a home: who they are, what they can use, and what a model is told of both."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sulla.agent.prompt import Surroundings
from sulla.agent.spec import SULLA, AgentSpec
from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import Settings
from sulla.definitions.agent_file import AgentFile, unknown
from sulla.definitions.agents import AGENTS, FoundAgents, read_agents
from sulla.host.team import Team
from sulla.host.tools import MCP
from sulla.models.catalog import parse_model


def home_agent(settings: Settings) -> AgentSpec:
    """The home's own agent, as it is unless ``agents/sulla`` says otherwise."""
    return replace(SULLA, completion=settings.agent.completion)


def read_team(settings: Settings) -> Team:
    """The home's own agent and those that its folder describes; one that is wrong does not keep the others away."""
    found = read_agents(settings.home / AGENTS)
    specs = {SULLA.id: home_agent(settings)}
    faults = list(found.faults)
    for file in found.good:
        if wrong := _wrong(file, found):
            faults.append(f"{settings.home / AGENTS / file.id}: {wrong}")
        else:
            specs[file.id] = _spec(file, settings)
    return Team(tuple(specs.values()), tuple(faults), found.warnings)


def doubts(team: Team, tools: Sequence[str], skills: Sequence[str] | None = None) -> Iterator[str]:
    """What allow-lists name that there is not: a slip of the pen takes something away, and nobody would see it.

    Args:
        team: the agents.
        tools: the names of the tools that there are.
        skills: those of the skills; None while nobody has looked.
    """
    for spec in team.specs:
        missing = unknown("skills", spec.skills, skills) if skills is not None else ()
        # The tools of MCP servers come and go with the servers.
        lasting = [name for name in spec.tools or () if not name.startswith(MCP)]
        for said in (*unknown("tools", lasting, tools), *missing):
            yield f"the agent {spec.id!r}: {said}"


def surroundings(settings: Settings) -> Surroundings:
    """Where agents work."""
    return Surroundings(platform.system(), str(settings.workspace))


def _wrong(file: AgentFile, found: FoundAgents) -> str:
    """Why an agent that could be read cannot work; empty if it can."""
    if file.model:
        try:
            parse_model(file.model)
        except SettingsError as error:
            return error.message
    known = (SULLA.id, *(other.id for other in found.good))
    return "; ".join(unknown("spawns", file.spawns, known))


def _spec(file: AgentFile, settings: Settings) -> AgentSpec:
    return AgentSpec(
        file.id,
        file.name,
        file.prompt or (SULLA.prompt if file.id == SULLA.id else f"You are {file.name}. {file.description}".strip()),
        file.completion or settings.agent.completion,
        file.tools,
        file.model,
        file.directives,
        file.environment,
        file.max_turns,
        file.spawns,
        file.description,
        file.skills,
    )
