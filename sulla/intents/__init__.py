"""Phrases of a person's message that lead to an agent, a tool, a playbook or a fixed text (seed 000)."""
