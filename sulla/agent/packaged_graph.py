"""The graph of a package's agent: what fails in it says whose it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from sulla.agent.packaged import PackagedAgent
from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError, SettingsError, SullaError, foremost
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import Decision, Target
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Edge, Node
from sulla.threads.log.state import ThreadState
from sulla.tools.attempt import is_cancelled

log = logging.getLogger(__name__)

_MEND: Final = "mend its package, or uninstall it"


@dataclass(frozen=True, slots=True)
class PackagedNode:
    """A node that a package has made or changed; as long as its graph."""

    node: Node[ThreadState]
    id: NodeId
    agent: PackagedAgent
    """Whose graph it is in."""

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        """Do what the node does.

        Raises:
            SettingsError: the node raised something; what it was is in the log, because it may quote others.
        """
        try:
            return await self.node(state, run)
        except SullaError:
            raise
        except BaseExceptionGroup as failures:
            if isinstance(error := foremost(failures), SullaError):
                raise error from failures
            raise _failed(f"the node {self.id!r}", self.agent, error) from failures
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            raise _failed(f"the node {self.id!r}", self.agent, error) from error
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            raise _failed(f"the node {self.id!r}", self.agent, error) from error


@dataclass(frozen=True, slots=True)
class _Choice:
    """An edge's function that a package has made or changed."""

    choose: Callable[[ThreadState], Target]
    source: NodeId
    agent: PackagedAgent

    def __call__(self, state: ThreadState) -> Target:
        try:
            return self.choose(state)
        except SullaError:
            raise
        except BaseException as error:
            raise _failed(f"the edge that leaves the node {self.source!r}", self.agent, error) from error


def patched_by(agent: PackagedAgent, draft: GraphDraft[ThreadState]) -> GraphDraft[ThreadState]:
    """A graph as a package's agent changes it.

    Args:
        agent: has a patcher.
        draft: the graph.

    Raises:
        GraphError: the graph cannot work.
        SettingsError: the patcher raised something.
    """
    if agent.patcher is None:
        return draft
    nodes, edges = dict(draft.nodes), dict(draft.edges)
    try:
        found = agent.patcher(draft)
    except GraphError:
        raise
    except BaseException as error:
        said = f"the patcher of {whose(agent)} fails: {type(error).__name__}: {error}"
        raise SettingsError(f"{said}; {_MEND}") from error
    if isinstance(found, GraphDraft):  # what is none, or no node, is refused when the graph is built
        for id_, node in found.nodes.items():
            if nodes.get(id_) is not node and callable(node):
                found.nodes[id_] = PackagedNode(node, id_, agent)
        for id_, edge in found.edges.items():
            if edges.get(id_) is not edge and isinstance(edge, Edge) and callable(edge.to):
                found.edges[id_] = Edge(_Choice(edge.to, id_, agent), edge.targets)
    return found


def whose(agent: PackagedAgent) -> str:
    """An agent with whoever brings it, for messages.

    Args:
        agent: the agent.
    """
    return f"the agent {agent.spec.id!r}" + (f" of {agent.of}" if agent.of else "")


def _failed(what: str, agent: PackagedAgent, error: BaseException) -> SettingsError:
    log.warning("a package's part of a graph failed", exc_info=error, extra={"agent": agent.spec.id})
    said = f"{what} of {whose(agent)} failed: {type(error).__name__}; the log has the details"
    return SettingsError(f"{said}: {_MEND}")
