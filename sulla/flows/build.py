"""What a daemon does so that turns can be walked by flows. Pure."""

from __future__ import annotations

from functools import cache, partial

from sulla.agent.turn.node import Opening
from sulla.agent.turn.offers import tool_specs
from sulla.flows.begin import FlowBeginnings
from sulla.flows.conditions import ConditionRegistry
from sulla.flows.node import FlowWalk, with_flow
from sulla.flows.parts import DELEGATING, FlowCast, calls_over, turn_part
from sulla.flows.roles import read_roles
from sulla.flows.shelf import FlowShelf
from sulla.flows.tools import DELEGATE, FlowTools
from sulla.graph.draft import Patcher
from sulla.host.host import AgentParts, Built, Host
from sulla.host.tools import AgentTools
from sulla.threads.log.state import ThreadState


def build(host: Host) -> Built:
    """Make it; see `host.Built`."""
    team, agents = host.agents.team, host.agents
    roles = cache(read_roles)
    registry = ConditionRegistry(host.conditions.values(), host.conditions)
    tools = FlowTools(agents.children, host.threads, lambda: team.specs, roles).made()
    delegate = tool_specs(tool for tool in tools if tool.name == DELEGATE)
    shelf = FlowShelf(
        host.settings.home, lambda: (*(spec.id for spec in team.specs), *roles()), registry, host.place.clock
    )
    beginnings = FlowBeginnings(
        shelf, lambda: team.specs, roles, lambda: {*host.tools.all(), *(tool.name for tool in host.tools.moving())}
    )

    def graph(parts: AgentParts, opening: Opening) -> Patcher[ThreadState]:
        cast = FlowCast(parts.spec, parts.tools, lambda: team.specs, roles, registry)
        return partial(with_flow, FlowWalk(cast, opening))

    return Built(
        provides=(shelf, beginnings),
        agent_tools=AgentTools(lambda spec: tools, lambda spec, tool: True),
        begins=beginnings.begin,
        graph=graph,
        part=partial(turn_part, tells=dict.fromkeys(DELEGATING, delegate)),
        part_over=calls_over,
        before_work=shelf.look,
    )
