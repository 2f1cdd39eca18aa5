"""Who and what there is to work with, as clients are told."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.agent import AgentSpec
from sulla.daemon.models import Choice
from sulla.gateway import AgentInfo, ToolInfo
from sulla.tools import Toolbox


@dataclass(frozen=True, slots=True)
class Roster:
    """Who and what there is to work with, for clients."""

    agents: tuple[AgentInfo, ...]
    """The home's own first."""
    tools: tuple[ToolInfo, ...]


def roster_of(spec: AgentSpec, choice: Choice, toolbox: Toolbox) -> Roster:
    """The home's own agent and its tools.

    Args:
        spec: who it is.
        choice: the daemon's model.
        toolbox: what it may use.
    """
    agent = AgentInfo(spec.id, spec.completion, spec.model or str(choice.model), toolbox.names)
    tools = (ToolInfo(tool.name, tool.description, tool.category, tool.effect, dict(tool.schema)) for tool in toolbox)
    return Roster((agent,), tuple(tools))
