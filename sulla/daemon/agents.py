"""The agents of a home: who they are, what they can use, and what a model is told of both."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sulla.agent import SULLA, AgentSpec, Surroundings
from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SettingsError
from sulla.daemon.settings.config import Settings
from sulla.definitions import AGENTS, AgentFile, Agents, allows, read_agents, unknown
from sulla.models import Section, ToolSpec, parse_model
from sulla.playbooks.triggers.agents import PlayHands
from sulla.skills.folders import SKILLS, shelf_of
from sulla.skills.known import index
from sulla.skills.load_skill import skill_tools
from sulla.skills.shelf import SkillShelf
from sulla.tools import Tool, Toolbox, builtin_tools, listing_tools, told_schema

LOAD_SKILL: Final = "load_skill"
MCP: Final = "mcp__"
"""How the names of tools begin that MCP servers offer."""


def home_agent(settings: Settings) -> AgentSpec:
    """The home's own agent, as it is unless ``agents/sulla`` says otherwise."""
    return replace(SULLA, completion=settings.agent.completion)


@dataclass(frozen=True, slots=True)
class Team:
    """The agents of a home."""

    specs: tuple[AgentSpec, ...]
    """The home's own first."""
    faults: tuple[str, ...] = ()
    """Why others cannot work, each with its place."""
    warnings: tuple[str, ...] = ()

    def get(self, agent: str) -> AgentSpec:
        """The agent of that id; the home's own if it is empty.

        Raises:
            NotFound: there is none.
        """
        for spec in self.specs:
            if spec.id == (agent or self.specs[0].id):
                return spec
        raise NotFound(f"no agent {agent!r} (known: {', '.join(spec.id for spec in self.specs)})")


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


@dataclass(frozen=True, slots=True)
class Kit:
    """The agents of a home, and all that they have."""

    team: Team
    shelf: SkillShelf
    boxes: tuple[tuple[AgentSpec, Toolbox], ...]
    """Each agent with the tools that it may use, the home's own first."""
    tool_names: tuple[str, ...]
    """Of every tool that there is."""
    playbooks: PlayHands = field(default_factory=PlayHands)
    """What they do with playbooks."""


def equip(settings: Settings, clock: Clock, extra: Sequence[Tool]) -> Kit:
    """Read who there is, and give each what it may use.

    Args:
        settings: name the home.
        clock: all time.
        extra: tools beside the built-in ones.
    """
    team, shelf = read_team(settings), shelf_of(settings, clock)
    names = toolbox_of(SULLA, shelf, extra).names  # whose list has room for all
    said = (*team.warnings, *doubts(team, names))
    boxes = tuple((spec, toolbox_of(spec, shelf, extra)) for spec in team.specs)
    return Kit(replace(team, warnings=said), shelf, boxes, names)


def surroundings(settings: Settings) -> Surroundings:
    """Where agents work."""
    return Surroundings(platform.system(), str(settings.workspace))


def toolbox_of(spec: AgentSpec, shelf: SkillShelf, extra: Iterable[Tool] = ()) -> Toolbox:
    """The tools that an agent may use: of those that there are, the ones that its list has room for."""
    found: list[Tool] = []
    listing = listing_tools(lambda: found, lambda: ((name, "") for name in spec.spawns), tuple)
    tools = (*builtin_tools(), *listing, *extra, *skill_tools(shelf, spec.skills))
    found += (tool for tool in tools if allows(spec.tools, tool.name) or _for_its_skills(spec, tool))
    return Toolbox(found)


def skills_section(spec: AgentSpec, shelf: SkillShelf, toolbox: Toolbox) -> tuple[Section, ...]:
    """What a model is told of skills; nothing if there are none, or it could not read them."""
    if LOAD_SKILL not in toolbox:
        return ()
    text = index(known for name, known in shelf.known.items() if allows(spec.skills, name))
    return (Section(SKILLS, text),) if text else ()


def tool_specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """What a model is told of tools."""
    return tuple(ToolSpec(tool.name, tool.description, told_schema(tool.schema)) for tool in tools)


def _for_its_skills(spec: AgentSpec, tool: Tool) -> bool:
    """Whoever is given skills by name needs no other leave to read them."""
    return tool.name == LOAD_SKILL and bool(spec.skills)


def _wrong(file: AgentFile, found: Agents) -> str:
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
