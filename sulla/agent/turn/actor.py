"""Who can be set to work on a thread. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.agent.spec import AgentSpec
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound
from sulla.graph.graph import Graph
from sulla.threads.log.state import ThreadState


@dataclass(frozen=True, slots=True)
class Actor:
    """An agent, ready to work."""

    spec: AgentSpec
    model: str
    graph: Graph[ThreadState]


def actor_key(agent: str, model: str = "", graph: str = "") -> str:
    """The key of an `Actor` among all that there are.

    Args:
        agent: its id.
        model: what it is to answer with, where that is not its own.
        graph: what works on the thread, where that is not its conversation graph.
    """
    return " ".join(filter(None, (agent, model, graph)))


def actor_key_for(agent: str, state: ThreadState) -> str:
    """The key of the `Actor` for a thread: the agent, with the thread's model and graph where those are not its own.

    Args:
        agent: the id of the agent that answers.
        state: the thread.
    """
    return actor_key(
        agent, state.identity.birth.model if state.identity.birth is not None else "", state.identity.graph
    )


def actor_of(actors: Mapping[str, Actor], agent: str, state: ThreadState) -> Actor:
    """The `Actor` that works on a thread. Where the agent is gone, that of the thread's own agent, which finds out whom
    the turn goes to (`SpeakerNode`).

    Args:
        actors: all there are, by their keys.
        agent: the id of the agent that answers.
        state: the thread.

    Raises:
        NotFound: there is no such agent.
    """
    for name in (agent, state.identity.agent):
        try:
            return actors[actor_key_for(name, state)]
        except KeyError:
            continue
    known = sorted({key.partition(" ")[0] for key in actors})
    raise NotFound(
        f"no agent {agent!r} (known: {', '.join(known)}): this conversation goes on once its folder in `agents/`, or "
        "the package that brings it, is there again; or begin another one with an agent that is there"
    )
