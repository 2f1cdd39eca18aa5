"""The tools of a daemon's agents, put together from what each capability brings. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from sulla.agent.spec import SULLA, AgentSpec
from sulla.core.dataclass import dataclass
from sulla.definitions.agent_file import allows
from sulla.host.team import Team
from sulla.tools.base import Tool, ToolSource
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.builtin.listing import listing_tools
from sulla.tools.program_files import PROGRAMS, ProgramFiles
from sulla.tools.registry import Toolbox

MCP: Final = "mcp__"
"""How the names of tools begin that MCP servers offer: they come and go with the servers."""


EVERYBODYS: Final = frozenset(
    ("get_time_date", "list_tools_available", "list_subagents_available", "list_intents_available")
)
"""Tools that every agent has, whatever its list of tools says: they read nothing of anybody's (seed 000)."""


def not_granted(spec: AgentSpec, tool: Tool) -> bool:
    """Nothing is granted beside what an agent's list of tools has room for."""
    return False


@dataclass(frozen=True, slots=True)
class AgentTools:
    """Tools that differ from agent to agent."""

    make: Callable[[AgentSpec], Iterable[Tool]]
    granted: Callable[[AgentSpec, Tool], bool] = not_granted
    """Whether an agent has one of them although its list of tools does not name it."""


class ToolRegistry(Collection[str]):
    """The tools of a daemon's agents; as a collection, the names of those that are always there. It is made before the
    capabilities, each of which adds its own as it is built, and lives as long as the daemon.

    Args:
        team: the agents.
        tools: beside the built-in ones, for every agent whose list has room for them.
        programs: which files the built-in ones ask about before a tainted run writes them.
        zone: the time zone that the built-in ones tell the time of.
    """

    def __init__(
        self, team: Team, tools: Iterable[Tool] = (), programs: ProgramFiles = PROGRAMS, zone: str = "UTC"
    ) -> None:
        self._team = team
        self._programs = programs
        self._zone = zone
        self._tools = list(tools)
        self._for_agents: list[AgentTools] = []
        self._sources: list[ToolSource] = []
        self._unnamed = False
        self._lasting: dict[AgentSpec, Toolbox] = {}
        self._seen: tuple[tuple[Tool, ...], ...] = ()
        self._moving: tuple[Tool, ...] = ()
        self._now: dict[AgentSpec, Toolbox] = {}
        self._specs = team.specs

    def add(
        self, tools: Iterable[Tool] = (), for_agents: AgentTools | None = None, source: ToolSource | None = None
    ) -> None:
        """Add tools, before the first turn.

        Args:
            tools: for every agent whose list has room for them.
            for_agents: those that differ from agent to agent; None for none.
            source: gives those that come and go: the same tuple, as long as they are the same; None for none. Of one
                that `tools` has too, and that lacks something there (`Tool.missing`), it gives what takes its place.
        """
        tools = tuple(tools)
        self._tools += tools
        self._for_agents += [for_agents] if for_agents is not None else []
        self._sources += [source] if source is not None else []
        self._unnamed |= source is not None and not any(tool.missing for tool in tools)
        self._lasting.clear()
        self._now.clear()

    @property
    def has_moving(self) -> bool:
        """Whether there may be tools that come and go, and of which nothing is known while they are not there."""
        return self._unnamed

    def moving(self) -> tuple[Tool, ...]:
        """The tools that come and go, as they are now: the same tuple, as long as they are the same."""
        found = tuple(source() for source in self._sources)
        if len(found) != len(self._seen) or any(new is not old for new, old in zip(found, self._seen, strict=True)):
            self._seen, self._moving = found, tuple(tool for tools in found for tool in tools)
            self._now.clear()
        return self._moving

    def lasting(self, spec: AgentSpec) -> Toolbox:
        """What an agent may use that comes and goes with nothing."""
        if self._team.specs is not self._specs:  # tools that hand over to others say what those are for
            self._specs = self._team.specs
            self._lasting.clear()
            self._now.clear()
        if spec not in self._lasting:
            self._lasting[spec] = self._toolbox(spec, ())
        return self._lasting[spec]

    def now(self, spec: AgentSpec) -> Toolbox:
        """All that an agent may use now."""
        if not (moving := self.moving()):
            return self.lasting(spec)
        if spec not in self._now:
            self._now[spec] = self._toolbox(spec, moving)
        return self._now[spec]

    def all(self) -> dict[str, Tool]:
        """Every tool that is always there and that some agent may use, by name."""
        return {tool.name: tool for spec in self._team.specs for tool in self.lasting(spec)}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.lasting(SULLA)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lasting(SULLA).names)  # whose list has room for all

    def __len__(self) -> int:
        return len(self.lasting(SULLA).names)

    def _toolbox(self, spec: AgentSpec, moving: tuple[Tool, ...]) -> Toolbox:
        found: list[Tool] = []
        listing = listing_tools(
            lambda: found,
            lambda: self._team.helpers(spec),
            lambda: ((" / ".join(one.phrases), one.leads_to) for one in spec.intents),
        )
        come = {tool.name for tool in moving}
        standing = (tool for tool in self._tools if not (tool.missing and tool.name in come))
        common = (*builtin_tools(self._programs, self._zone), *listing, *standing, *moving)
        found += (tool for tool in common if tool.name in EVERYBODYS or _may_use(spec, tool))
        for own in self._for_agents:
            found += (tool for tool in own.make(spec) if allows(spec.tools, tool.name) or own.granted(spec, tool))
        return Toolbox(found)


def _may_use(spec: AgentSpec, tool: Tool) -> bool:
    """Whether an agent's list has room for a tool, and its memory is not off where the tool is one of memory."""
    return allows(spec.tools, tool.name) and (spec.memory or tool.category != "memory")
