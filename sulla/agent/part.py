"""Under which conditions an agent speaks for now, where a turn has several parts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.models.base import PromptSection, ToolSpec
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
    force: str = ""
    """The tool that the next reply has to call: the model is told of it alone, and what it says beside the call is not
    shown. Empty for the model's own choice."""
    wordless: Collection[str] = ()
    """Tools beside whose call nothing that the model says is kept; what was shown of it as it came is taken back."""
    without: Collection[str] = ()
    """Tools that may not be used, of those."""
    sections: tuple[PromptSection, ...] = ()
    """What the agent is told for this part alone, behind all else."""
    model: str = ""
    """The model that is asked; empty for the agent's own."""
    opens: bool = False
    """Whether what the message says may still lead elsewhere (`Opening`), as where a turn has no parts."""
    certain: bool = False
    """Whether it has to be that very model, asked once: none stands in for it, no failure is waited out, and it is not
    waited for longer than half a minute."""


WHOLE_TURN: Final = TurnPart(opens=True)

PartOf = Callable[[ThreadState], TurnPart]
"""Gives the part that is under way in a thread."""


def first_part(parts: Sequence[PartOf]) -> PartOf:
    """What gives the part that is under way: the first of several that knows of one.

    Args:
        parts: those.
    """

    def part(state: ThreadState) -> TurnPart:
        return next((found for one in parts if (found := one(state)) is not WHOLE_TURN), WHOLE_TURN)

    return part if parts else whole_turn


def whole_turn(state: ThreadState) -> TurnPart:
    """The turn has no parts."""
    return WHOLE_TURN
