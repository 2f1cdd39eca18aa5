"""The heartbeat's graph: input_handler, then the heartbeat until its beat is over (seed 004 §2)."""

from __future__ import annotations

from sulla.agent.turn.input import InputHandler
from sulla.agent.turn.route import INPUT_HANDLER
from sulla.core.ids import NodeId
from sulla.graph.decision import END
from sulla.graph.draft import GraphDraft, Patcher
from sulla.graph.graph import Edge, Graph, Node
from sulla.threads.log.state import ThreadState

HEARTBEAT = NodeId("heartbeat")


def create_heartbeat_graph(
    input_handler: InputHandler, heartbeat: Node[ThreadState], *, patcher: Patcher[ThreadState] | None = None
) -> Graph[ThreadState]:
    """The graph of an agent that wakes up by itself.

    A walk ends with each cycle that is set to work, since the run is suspended meanwhile, and with the beat. Its report
    resumes the run at the heartbeat: that is the loop of seed 004 §2.

    Args:
        input_handler: its first node.
        heartbeat: its second, where every walk ends.
        patcher: may add nodes and edges before the graph is built (seed 000).

    Raises:
        GraphError: the patched graph cannot work.
    """
    draft = GraphDraft[ThreadState](
        entry=INPUT_HANDLER,
        nodes={INPUT_HANDLER: input_handler, HEARTBEAT: heartbeat},
        edges={INPUT_HANDLER: Edge(HEARTBEAT), HEARTBEAT: Edge(END)},
        input_node=INPUT_HANDLER,
    )
    return draft.build(patcher)


create_overlord_graph = create_heartbeat_graph
"""Its name for older callers (seed 004 §7)."""
