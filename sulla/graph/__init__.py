"""The engine, which knows nothing of agents: nodes, edges, walks, limits (seed 004 §6; docs/inside/graph.md)."""
