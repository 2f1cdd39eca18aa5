"""The graph of a thread that walks a playbook; what walks it is loaded with the first run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import END, Decision
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Edge, Graph, Node
from sulla.host.loading import load
from sulla.threads.log.state import ThreadState

PLAY: Final = NodeId("playbook")


class LateNode:
    """Works on runs by a node that is made at the first one, beside the event loop: many homes never run a playbook, or
    have an agent beat.

    Args:
        make: makes it, and loads what it needs. Where two runs come first together it is called for both, and what
            it made first works on all.
    """

    def __init__(self, make: Callable[[], Node[ThreadState]]) -> None:
        self._make = make
        self._node: Node[ThreadState] | None = None

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """See `Node`."""
        if self._node is None:
            made = await load(self._make)
            self._node = self._node or made
        return await self._node(state, run)


def create_playbook_graph(node: Node[ThreadState]) -> Graph[ThreadState]:
    """The graph of a thread that walks a playbook.

    Args:
        node: its one node.

    Raises:
        GraphError: never, as it stands.
    """
    draft: GraphDraft[ThreadState] = GraphDraft(entry=PLAY, nodes={PLAY: node}, edges={PLAY: Edge(END)})
    return draft.build()
