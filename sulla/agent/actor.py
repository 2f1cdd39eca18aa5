"""Who can be set to work on a thread. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.agent.spec import AgentSpec
from sulla.graph import Graph
from sulla.threads import ThreadState


@dataclass(frozen=True, slots=True)
class Actor:
    """An agent, ready to work."""

    spec: AgentSpec
    model: str
    graph: Graph[ThreadState]


def actor_key(agent: str, model: str = "", graph: str = "") -> str:
    """Under which key an agent is found.

    Args:
        agent: its id.
        model: what it is to answer with, where that is not its own.
        graph: what works on the thread, where that is not its conversation graph.
    """
    return " ".join(filter(None, (agent, model, graph)))
