"""Random flows, and a walker of another make to hold the walk against."""

from __future__ import annotations

from collections.abc import Generator

from hypothesis import strategies as st

from sulla.core.jsontypes import Json
from sulla.flows.schema import AgentNode, FlowNode, IfNode, LoopNode, ParallelNode, SequenceNode, SwitchNode

NAMES = ("a", "b", "c")

Asked = tuple[str, str]
"""What is asked for, and its name: the way in which a reference walk tells what it needs."""


def flows() -> st.SearchStrategy[FlowNode]:
    """Trees of every kind of node."""
    names = st.sampled_from(NAMES)

    def wider(inner: st.SearchStrategy[FlowNode]) -> st.SearchStrategy[FlowNode]:
        several = st.lists(inner, min_size=1, max_size=3)
        return st.one_of(
            st.builds(SequenceNode, several),
            st.builds(ParallelNode, several, st.integers(1, 5), st.sampled_from(("fail", "collect", "ignore"))),
            st.builds(LoopNode, names, inner, st.integers(1, 3)),
            st.builds(IfNode, names, inner, st.none() | inner),
            st.builds(SwitchNode, names, st.dictionaries(names, inner, min_size=1), st.none() | inner),
        )

    return st.recursive(st.builds(AgentNode, names), wider, max_leaves=12)


def reference(node: FlowNode) -> Generator[Asked, Json, None]:
    """Walks a flow by ordinary recursion: yields what it needs and is sent what that came to.

    Args:
        node: the flow.
    """
    match node:
        case AgentNode():
            yield ("agent", node.agent_key)
        case ParallelNode():
            yield ("branches", "")
        case SequenceNode():
            for step in node.steps:
                yield from reference(step)
        case LoopNode():
            passes = 0
            while (yield ("condition", node.condition)) and passes < node.max_loops:
                passes += 1
                yield from reference(node.body)
        case IfNode() | SwitchNode():
            asked = ("condition", node.condition) if isinstance(node, IfNode) else ("variable", node.variable)
            body = _chosen(node, (yield asked))
            if body is not None:
                yield from reference(body)


def _chosen(node: IfNode | SwitchNode, value: Json) -> FlowNode | None:
    if isinstance(node, IfNode):
        return node.true_body if value else node.false_body
    return node.cases.get(str(value), node.default)
