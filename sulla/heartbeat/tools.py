"""What an agent can do in its own time beside what it always can. Pure."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from sulla.core.words import Words
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds


def heartbeat_tools() -> tuple[Tool, ...]:
    """Tools for beats. They hold nothing: what a cycle chose is read off its calls when it reports."""
    make = partial(define, reach="inward", category="heartbeat", timeout_s=5.0)
    return (make(set_focus, effect="pure"),)


async def set_focus(
    context: ToolContext, *, focus: Annotated[str, Bounds(1, 200)], reason: Annotated[str, Bounds(1, 500)]
) -> Result:
    """In your own time: say what you chose to work on, before you begin. The next cycle is told.

    Args:
        focus: The project's name, or a few words.
        reason: Why this, and not something else.
    """
    return Done(Words(f"Noted: {focus}.", context.by))
