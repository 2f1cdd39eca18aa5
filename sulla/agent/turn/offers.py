"""What a model is told of an agent's tools: all of them, or of many the few that a conversation has use for. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.message import ToolCall
from sulla.models.base import ToolSpec
from sulla.models.tokens.estimate import count_head, estimate_text
from sulla.tools.base import Tool
from sulla.tools.web.browse import ToolCatalogue, told_schema

MAX_KNOWN: Final = 64
"""Sets of tools that are remembered."""


class Offers:
    """Tells a model of tools.

    The same set is always the same tuple, so that whoever measured it once need not do it again.

    Args:
        catalogue: the agent's tools.
    """

    def __init__(self, catalogue: ToolCatalogue) -> None:
        self.catalogue = catalogue
        self._known: dict[tuple[str, ...], tuple[ToolSpec, ...]] = {}

    def __call__(self, calls: Iterable[ToolCall]) -> tuple[ToolSpec, ...]:
        """What is told in a conversation with these calls, oldest first."""
        told = self.catalogue.offered(calls)
        names = tuple(tool.name for tool in told)
        found = self._known.get(names)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            found = self._known[names] = tool_specs(told)
        return found


def tool_tokens(tool: Tool) -> int:
    """What a tool takes in a request, by estimate."""
    return count_head((), tool_specs((tool,)), estimate_text)


def tool_specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """What a model is told of tools.

    Args:
        tools: the tools, in this order.
    """
    return tuple(ToolSpec(tool.name, tool.description, told_schema(tool.schema)) for tool in tools)
