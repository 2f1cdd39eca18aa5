"""The agent's graph: input_handler, then the agent until it is done (seed 004 §2)."""

from __future__ import annotations

from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.node import AgentNode
from sulla.agent.turn.route import AGENT, INPUT_HANDLER, after_agent
from sulla.agent.turn.speakers import SpeakerNode
from sulla.graph.decision import END
from sulla.graph.draft import GraphDraft, Patcher
from sulla.graph.graph import Edge, Graph
from sulla.threads.log.state import ThreadState


def create_agent_graph(
    input_handler: InputHandler, agent: AgentNode | SpeakerNode, *, patcher: Patcher[ThreadState] | None = None
) -> Graph[ThreadState]:
    """The graph of a conversation, and of every child run.

    Args:
        input_handler: its first node.
        agent: its second, which loops.
        patcher: may add nodes and edges before the graph is built (seed 000).

    Raises:
        GraphError: the patched graph cannot work.
    """
    draft = GraphDraft(
        entry=INPUT_HANDLER,
        nodes={INPUT_HANDLER: input_handler, AGENT: agent},
        edges={INPUT_HANDLER: Edge(AGENT), AGENT: Edge(after_agent, targets=(AGENT, END))},
        input_node=INPUT_HANDLER,
    )
    return draft.build(patcher)


create_general_graph = create_agent_graph
"""Its name for older callers (seed 004 §7)."""
