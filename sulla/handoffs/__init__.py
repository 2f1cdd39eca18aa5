"""Conversations that are handed between agents, and stay with the one that has them (seed 000)."""
