"""What a daemon does for messages that lead somewhere by their words. Pure."""

from __future__ import annotations

from sulla.agent.model.choosing import chooser
from sulla.agent.model.decider import Decider
from sulla.handoffs.routing import AgentRouter
from sulla.host.host import Built, Host
from sulla.intents.opening import IntentOpening
from sulla.playbooks.triggers.agents import AgentPlaybooks


def build(host: Host) -> Built:
    """Make it; see `host.Built`."""
    agents = host.agents

    def decider(agent: str) -> Decider:
        return Decider(agents.model_of(agents.team.get(agent).model))

    chat = host.needed(AgentPlaybooks).chat
    opening = IntentOpening(
        lambda: agents.team.specs, host.tools.now, host.needed(AgentRouter), chat.start, chat.trouble, chooser(decider)
    )
    return Built(opening=opening)
