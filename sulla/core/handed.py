"""That a conversation was handed to another agent, in words for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_WHY: Final = {
    "handoff": "{before} hands over: ",
    "help": "{before} asks for help: ",
    "silence": "{before} said nothing: ",
    "gone": "{before} is not there any more: ",
    "mention": "named in the message: ",
    "intent": "a phrase of the message leads there: ",
}
"""How an agent comes to a conversation, by `AGENT_ROUTED.by`."""


def handed_words(routed: Mapping[str, object]) -> str:
    """What people are told where another agent speaks from here on: why, and who it is. Agents are called by their ids,
    as `@` and `/agent` take them.

    Args:
        routed: the data of an `AGENT_ROUTED`.
    """
    why = _WHY.get(str(routed.get("by", "")), "").format(before=routed.get("before") or "the agent before")
    return f"{why}{routed.get('agent', '')} has the conversation from here on"
