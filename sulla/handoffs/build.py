"""What a daemon does for conversations that are handed between agents."""

from __future__ import annotations

from sulla.core.ids import ThreadId
from sulla.handoffs.routing import AgentRouter
from sulla.handoffs.tools import handoff_tools, is_granted
from sulla.host.host import Built, Host
from sulla.host.tools import AgentTools
from sulla.threads.log.state import ThreadState


def build(host: Host) -> Built:
    """Make it; see `host.Built`."""
    team = host.agents.team

    async def read(thread_id: ThreadId) -> ThreadState | None:
        return (await host.threads.get(thread_id))[1]

    router = AgentRouter(lambda: team.specs)
    return Built(
        provides=(router,),
        agent_tools=AgentTools(lambda spec: handoff_tools(spec, lambda: team.specs, read), is_granted),
        routing=router,
    )
