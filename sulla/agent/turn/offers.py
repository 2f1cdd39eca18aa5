"""What a model is told of an agent's tools: all of them, or of many the few that a conversation has use for. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

from sulla.core.message import ToolCall
from sulla.models.base import ToolSpec
from sulla.models.tokens.estimate import count_head, estimate_text
from sulla.tools.base import Tool
from sulla.tools.web.browse import ToolCatalogue, told_schema

MAX_KNOWN: Final = 64
"""Sets of tools that are remembered."""

MAX_CHOSEN: Final = 64
"""Choices of such sets that are remembered."""


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


def chosen(
    tools: tuple[ToolSpec, ...], allowed: Sequence[Collection[str]], withheld: Collection[str]
) -> tuple[ToolSpec, ...]:
    """What is left of tools: the same tuple for the same ones, so that what is known of it need not be found again.

    Args:
        tools: what there is.
        allowed: names, in each of which a tool has to be.
        withheld: names that go in any case.
    """
    if not allowed and not withheld:
        return tools
    return _chosen(_Same(tools), tuple(map(frozenset, allowed)), frozenset(withheld))


class _Same:
    """Tools that are known by being the same object: what describes them takes long to compare."""

    __slots__ = ("tools",)

    def __init__(self, tools: tuple[ToolSpec, ...]) -> None:
        self.tools = tools

    def __hash__(self) -> int:
        return id(self.tools)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.tools is self.tools


@lru_cache(maxsize=MAX_CHOSEN)
def _chosen(same: _Same, allowed: tuple[frozenset[str], ...], withheld: frozenset[str]) -> tuple[ToolSpec, ...]:
    return tuple(
        tool for tool in same.tools if tool.name not in withheld and all(tool.name in some for some in allowed)
    )
