"""What draws entities, in a daemon whose settings want it."""

from __future__ import annotations

from sulla.agent.model.decider import Decider, ForcedReply
from sulla.core.control import Control
from sulla.host.host import Host
from sulla.memory.entities.asking import tool
from sulla.memory.entities.base import StatementStore
from sulla.memory.entities.drawing import Drawing, Scopes
from sulla.memory.entities.graphs import Graphs
from sulla.models.catalog import OFFLINE


def make_drawing(host: Host, store: StatementStore, scopes: Scopes, every: int) -> Drawing:
    """Make it. Nothing is asked yet.

    Args:
        host: gives the agents' models.
        store: keeps what is drawn.
        scopes: gives every memory that has notes.
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

    return Drawing(Graphs(store), scopes, ask, every, clock, host.tally)
