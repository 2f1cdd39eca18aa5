"""What there is: tools, agents, intents. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Final

from sulla.core.words import ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.schema import Bounds
from sulla.tools.web.browse import summary_of, usable

MAX_LISTED: Final = 200
"""How many entries of a list are shown."""

Named = tuple[str, str]
"""A name and what it stands for."""


def listing_tools(
    tools: Callable[[], Iterable[Tool]],
    subagents: Callable[[], Iterable[Named]],
    intents: Callable[[], Iterable[Named]],
) -> tuple[Tool, ...]:
    """`list_tools_available`, `list_subagents_available` and `list_intents_available`.

    Args:
        tools: those of the agent that asks; called when it does.
        subagents: the agents that it may set to work.
        intents: what a message can be about, where messages are routed by it.
    """

    async def list_tools_available(context: ToolContext, *, category: Annotated[str, Bounds(None, 100)] = "") -> Result:
        """List the tools that you have, a line for each.

        Args:
            category: Only those of this category; empty for all.
        """
        wanted = category.strip().casefold()
        found = [tool for tool in usable(tools()) if not wanted or tool.category.casefold() == wanted]
        if not found and wanted:
            known = ", ".join(sorted({tool.category for tool in usable(tools())}))
            return Done(ours(f"No tool is of the category {category!r}; there are: {known}."))
        return Done(ours(_lines([summary_of(tool) for tool in found], "no tools")))

    async def list_subagents_available(context: ToolContext) -> Result:
        """List the agents that you may set to work, a line for each."""
        return Done(
            ours(_lines([f"{name}: {about}" for name, about in subagents()], "no agents that you may set to work"))
        )

    async def list_intents_available(context: ToolContext) -> Result:
        """List the intents that messages are routed by, a line for each."""
        return Done(
            ours(_lines([f"{name}: {about}" for name, about in intents()], "no intents: messages are not routed"))
        )

    return tuple(
        define(one, effect="pure", reach="inward", category="tools", timeout_s=5.0)
        for one in (list_tools_available, list_subagents_available, list_intents_available)
    )


def _lines(found: list[str], none: str) -> str:
    if not found:
        return f"There are {none}."
    more = [f"[… and {len(found) - MAX_LISTED} more]"] if len(found) > MAX_LISTED else []
    return "\n".join((*(line.rstrip(": ") for line in found[:MAX_LISTED]), *more))
