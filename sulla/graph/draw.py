"""A graph as Mermaid text, for docs and the console. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from sulla.core.ids import NodeId
from sulla.graph.decision import EndWalk, Target
from sulla.graph.graph import Graph

S = TypeVar("S")

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")


def draw(graph: Graph[S]) -> str:
    """Draw a graph as a Mermaid flowchart.

    Boxes are nodes, in the order of their declaration; the rounded one is the input node, the hexagon the reviser. A
    full line is a static edge, a dotted one a possible choice of a conditional edge, which leads to ``?`` where it
    declares no targets. What nodes decide by `Goto` is not in the graph, so it is not in the drawing.

    Returns:
        Lines that end in a newline; the same for the same graph, always.
    """
    # Ids of our own: Mermaid gives words like "end" a meaning, and a node's id may be any text.
    names = {id_: f"n{number}" for number, id_ in enumerate(graph.nodes)}
    return "\n".join(("flowchart TD", *(f"    {line}" for line in _lines(graph, names)))) + "\n"


def _lines(graph: Graph[S], names: dict[NodeId, str]) -> Iterator[str]:
    for id_, name in names.items():
        yield f"{name}{_shape(graph, id_)}"
    yield 'start(["start"])'
    if any(isinstance(target, EndWalk) for edge in graph.edges.values() for target in edge.declared):
        yield 'finish(["END"])'
    if any(not edge.declared for edge in graph.edges.values()):
        yield 'unknown["?"]'
    yield f"start --> {names[graph.entry]}"
    for source, name in names.items():
        edge = graph.edges[source]
        arrow = "-.->" if edge.conditional else "-->"
        # A target that was declared twice is still one line.
        for target in dict.fromkeys(edge.declared):
            yield f"{name} {arrow} {_name(target, names)}"
        if not edge.declared:
            yield f"{name} {arrow} unknown"


def _name(target: Target, names: dict[NodeId, str]) -> str:
    return "finish" if isinstance(target, EndWalk) else names[target]


def _shape(graph: Graph[S], id_: NodeId) -> str:
    label = f'"{_escape(id_)}"'
    if id_ == graph.input_node:
        return f"({label})"
    if id_ == graph.reviser:
        return f"{{{{{label}}}}}"
    return f"[{label}]"


def _escape(text: str) -> str:
    """Quotes, brackets, markdown, line ends: all that is not plain becomes Mermaid's ``#<code point>;``."""
    return "".join(char if char in _PLAIN else f"#{ord(char)};" for char in text)
