"""That a conversation was handed to another agent, in words for people. Pure."""

from __future__ import annotations


def handed_words(agent: str) -> str:
    """What people are told where another agent speaks from here on.

    Args:
        agent: its id.
    """
    return f"{agent} has the conversation from here on"
