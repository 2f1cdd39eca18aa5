"""Agents at work: the graph of a turn, the model's call, tools under policy, limits, sub-agents."""
