"""The door to the engine, which knows nothing of agents: nodes, edges, walks, limits (seed 004 §6; docs/graph.md)."""

from sulla.graph.decision import END, Continue, Decision, EndWalk, Goto, Next, Revise, Target
from sulla.graph.draft import GraphDraft, Patcher
from sulla.graph.draw import draw
from sulla.graph.engine import GraphHooks, run_graph
from sulla.graph.graph import MAX_REPEAT, Edge, Graph, Node
from sulla.graph.limits import GraphLimits, LimitReason, RunMeter
from sulla.graph.walk import GraphState, GraphWalk, WalkStop, Why

__all__ = [
    "END",
    "MAX_REPEAT",
    "Continue",
    "Decision",
    "Edge",
    "EndWalk",
    "Goto",
    "Graph",
    "GraphDraft",
    "GraphHooks",
    "GraphLimits",
    "GraphState",
    "GraphWalk",
    "LimitReason",
    "Next",
    "Node",
    "Patcher",
    "Revise",
    "RunMeter",
    "Target",
    "WalkStop",
    "Why",
    "draw",
    "run_graph",
]
