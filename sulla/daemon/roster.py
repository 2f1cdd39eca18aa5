"""Who and what there is to work with, as clients are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sulla.agent import AgentSpec, Permissions
from sulla.daemon.memories import Remembering
from sulla.daemon.models import Choice
from sulla.gateway import AgentInfo, ToolInfo
from sulla.registry import Projects
from sulla.tools import Tool, Toolbox, ToolSource


@dataclass(frozen=True, slots=True)
class Roster:
    """Who and what there is to work with, for clients."""

    agents: tuple[AgentInfo, ...]
    """The home's own first."""
    tools: tuple[ToolInfo, ...]
    """Those that are always there."""
    projects: Projects
    rules: Permissions
    """What people have allowed."""
    remembering: Remembering
    """Hears of threads that are deleted."""
    source: ToolSource
    """Tools that come and go."""

    def tools_now(self) -> tuple[ToolInfo, ...]:
        """Everything that can be used at this moment."""
        return (*self.tools, *map(_info, self.source()))


def roster_of(
    boxes: Sequence[tuple[AgentSpec, Toolbox]],
    choice: Choice,
    projects: Projects,
    rules: Permissions,
    remembering: Remembering,
    source: ToolSource,
) -> Roster:
    """Who there is, and what there is to use.

    Args:
        boxes: the agents, the home's own first, each with what it may use.
        choice: the daemon's model.
        projects: the home's.
        rules: what people have allowed.
        remembering: hears of threads that are deleted.
        source: the tools that come and go.
    """
    agents = [AgentInfo(spec.id, spec.completion, spec.model or str(choice.model), box.names) for spec, box in boxes]
    tools = {tool.name: tool for _, box in boxes for tool in box}
    infos = (_info(tool) for _, tool in sorted(tools.items()))
    return Roster(tuple(agents), tuple(infos), projects, rules, remembering, source)


def _info(tool: Tool) -> ToolInfo:
    return ToolInfo(tool.name, tool.description, tool.category, tool.effect, dict(tool.schema))
