"""Under which conditions an agent speaks for now, where a turn has several parts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.models.base import ToolSpec
from sulla.threads.log.state import ThreadState


@dataclass(frozen=True, slots=True)
class TurnPart:
    """A part of a turn, or the whole of it."""

    shown: bool = True
    """Whether people see what is said."""
    plain: bool = False
    """Whether a reply without tool calls ends it, whatever the agent does otherwise."""
    tools: Collection[str] | None = None
    """The tools that may be used; None for all that the agent has."""
    prompt: str = ""
    """Who speaks and how, in the place of what the agent is told of that; empty for the agent's own."""
    tells: tuple[ToolSpec, ...] = ()
    """Tools that the model is told of beside those."""


WHOLE_TURN: Final = TurnPart()

PartOf = Callable[[ThreadState], TurnPart]
"""Gives the part that is under way in a thread."""


def whole_turn(state: ThreadState) -> TurnPart:
    """The turn has no parts."""
    return WHOLE_TURN
