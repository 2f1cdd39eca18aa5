"""Flows: which agents work on a turn, in which order and under which conditions (seed 002)."""
