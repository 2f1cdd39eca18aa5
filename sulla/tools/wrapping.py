"""Tools made of tools: each function takes one and gives back one that does a little more, or a little less."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.core.ids import RunId
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import ours
from sulla.tools.base import AsksOf, Done, Result, Tool, ToolContext

MAX_NAME: Final = 64
"""The longest name that every model's service accepts."""
MAX_RUNS: Final = 1_000
"""Runs whose calls are counted; more do not go on at once."""

Refuses = Callable[[FrozenJson, ToolContext], str]
"""Why a call is not made, in words for the model; empty if it is."""


def filtered(tool: Tool, refuses: Refuses) -> Tool:
    """The tool without some of its calls.

    Args:
        tool: the tool.
        refuses: says which, by their arguments.
    """

    async def run(args: FrozenJson, context: ToolContext) -> Result:
        if reason := refuses(args, context):
            return Done(ours(f"{tool.name} was not run: {reason}"), is_error=True)
        return await tool.run(args, context)

    return replace(tool, run=run)


def prefixed(tool: Tool, prefix: str) -> Tool:
    """The tool under another name, so that tools from several places can stand side by side.

    Raises:
        InvalidInput: the name would be too long for models' services.
    """
    name = f"{prefix}{tool.name}"
    if len(name) > MAX_NAME:
        raise InvalidInput(
            f"a tool cannot be called {name!r}: that is {len(name)} characters, and {MAX_NAME} are allowed"
        )
    return replace(tool, name=name)


def approved(tool: Tool, asks: AsksOf) -> Tool:
    """The tool with a question that a person has to say yes to before a call.

    Args:
        tool: the tool; its own question is asked as well.
        asks: says what to ask; empty for nothing.
    """

    def both(args: FrozenJson, context: ToolContext) -> str:
        own = tool.asks(args, context) if tool.asks is not None else ""
        return "\n".join(filter(None, (own, asks(args, context))))

    return replace(tool, asks=both)


def budgeted(tool: Tool, most: int) -> Tool:
    """The tool with at most `most` calls in one run; what a daemon before this one has made is not counted."""
    made: OrderedDict[RunId, int] = OrderedDict()

    async def run(args: FrozenJson, context: ToolContext) -> Result:
        count = made.pop(context.run_id, 0) + 1
        made[context.run_id] = count
        if len(made) > MAX_RUNS:
            made.popitem(last=False)
        if count > most:
            said = f"{tool.name} was not run: a run may call it {most} time{'' if most == 1 else 's'}"
            return Done(ours(f"{said}. Go on with what you have."), is_error=True)
        return await tool.run(args, context)

    return replace(tool, run=run)
