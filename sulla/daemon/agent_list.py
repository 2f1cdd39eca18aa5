"""The agents and their tools, as clients are told."""

from __future__ import annotations

from sulla.agent.active import ActiveAgents
from sulla.agent.rpc import AgentRow, Agents, Models, ToolRow, Tools, WorkRow
from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.daemon.models.offered import OfferedModels
from sulla.host.host import Agents as HomeAgents
from sulla.host.tools import ToolRegistry
from sulla.tools.base import Tool
from sulla.tools.web.browse import usable


@dataclass(frozen=True, slots=True)
class AgentList:
    """Answers `agent.list`, `model.list` and `tool.list`. It lives as long as the daemon.

    Args:
        home: has the agents.
        tools: what they may use.
        model: the name of the daemon's own model.
        active: knows who is at work.
        offered: asks the models' services what they have.
    """

    home: HomeAgents
    tools: ToolRegistry
    model: str
    active: ActiveAgents
    offered: OfferedModels

    async def list_models(self) -> Models:
        """The models that agents have, and what else their services offer, which are asked now."""
        return await self.offered.list((spec.id, spec.model or self.model) for spec in self.home.team.specs)

    async def list_tools(self) -> Tools:
        """Everything that can be used at this moment."""
        moving = self.tools.moving()
        come = {tool.name for tool in moving}
        lasting = (tool for name, tool in sorted(self.tools.all().items()) if tool.told and name not in come)
        return Tools(tuple(map(_tool, (*lasting, *moving))))

    async def list_agents(self) -> Agents:
        """The agents, with what each is doing at this moment.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self.home.look()
        active = await self.active.now()

        def row(spec: AgentSpec) -> AgentRow:
            work = tuple(
                WorkRow(one.thread_id, one.project.text, one.since_ms) for one in active if one.name.text == spec.id
            )
            return AgentRow(
                spec.id,
                spec.completion,
                spec.model or self.model,
                tuple(tool.name for tool in usable(self.tools.lasting(spec))),
                work,
                spec.name,
                spec.description,
                spec.spawns,
                spec.hands_to,
            )

        return Agents(tuple(map(row, self.home.team.specs)))


def _tool(tool: Tool) -> ToolRow:
    return ToolRow(tool.name, tool.description, tool.category, tool.effect, dict(tool.schema), tool.missing)
