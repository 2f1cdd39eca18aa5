"""What a daemon does for conversations that are handed between agents. Pure."""

from __future__ import annotations

from sulla.handoffs.routing import AgentRouter
from sulla.handoffs.tools import handoff_tools, is_granted
from sulla.host.host import Built, Host
from sulla.host.tools import AgentTools


def build(host: Host) -> Built:
    """Make it; see `host.Built`."""
    team = host.agents.team
    return Built(
        agent_tools=AgentTools(lambda spec: handoff_tools(spec, lambda: team.specs), is_granted),
        routing=AgentRouter(lambda: team.specs),
    )
