"""The door to the engine, which knows nothing of agents: nodes, edges, walks, limits (seed 004 §6; docs/graph.md)."""

from sulla.graph.decision import END, Continue, Decision, End, Goto, Next, Revise, Target
from sulla.graph.draft import GraphDraft, Patcher
from sulla.graph.draw import draw
from sulla.graph.engine import Hooks, run_graph
from sulla.graph.graph import MAX_REPEAT, Edge, Graph, Node
from sulla.graph.limits import Limits, Meter, Over
from sulla.graph.walk import GraphState, Stop, Walk, Why

__all__ = [
    "END",
    "MAX_REPEAT",
    "Continue",
    "Decision",
    "Edge",
    "End",
    "Goto",
    "Graph",
    "GraphDraft",
    "GraphState",
    "Hooks",
    "Limits",
    "Meter",
    "Next",
    "Node",
    "Over",
    "Patcher",
    "Revise",
    "Stop",
    "Target",
    "Walk",
    "Why",
    "draw",
    "run_graph",
]
