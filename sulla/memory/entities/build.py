"""What draws entities, in a daemon whose settings want it."""

from __future__ import annotations

from sulla.agent.model.decider import Decider, ForcedReply
from sulla.core.control import Control
from sulla.host.host import Host
from sulla.memory.base import MemoryIndex
from sulla.memory.entities.asking import tool
from sulla.memory.entities.drawing import Drawing
from sulla.memory.entities.graphs import Graphs
from sulla.models.catalog import OFFLINE


def make_drawing(host: Host, index: MemoryIndex, every: int) -> Drawing:
    """Make it. Nothing is asked yet.

    Args:
        host: gives the agents' models.
        index: keeps the notes and what is drawn from them.
        every: notes of one call.
    """
    agents, clock, asked = host.agents, host.place.clock, tool()

    async def ask(agent: str, question: str, again: str, name: str) -> ForcedReply | None:
        spec = agents.team.find(agent)
        if spec is None:
            return None
        model = agents.model_of(spec.model)
        if model.estimator.info.name.provider == OFFLINE:
            return None
        return await Decider(model).ask(
            question, asked, again=again, call_id=name, agent=agent, clock=clock, control=Control()
        )

    return Drawing(index, Graphs(index.statements), ask, every, clock, host.tally)
