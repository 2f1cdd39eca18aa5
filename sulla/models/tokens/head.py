"""How many tokens the part of a request takes that comes before its messages, each text of it counted once. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from sulla.core.message import Message
from sulla.models.base import PromptSection, ToolSpec
from sulla.models.tokens.estimate import CountText, count_head, count_message

MOST_KNOWN: Final = 512
"""Texts and tools that are remembered; beyond that the oldest is counted again."""


class HeadCounter:
    """Counts heads of requests, and remembers what their texts and tools took.

    Most of a head is the same at each call: the tools, the agent's own prompt. A section that says what has changed
    since is new at every turn, and counting all the rest with it costs more than anything else in a turn.

    Args:
        count_text: how texts are counted; always the same for one text.
    """

    def __init__(self, count_text: CountText) -> None:
        self._count = count_text
        self._known: dict[Hashable, tuple[object, int]] = {}

    def count(self, system: Sequence[PromptSection], tools: Sequence[ToolSpec], messages: Sequence[Message]) -> int:
        """Tokens of a head.

        Args:
            system: the system prompt.
            tools: what the model is told of tools.
            messages: those that come before the conversation's own.
        """
        told = self._tools(tools) + sum(count_message(message, self._text) for message in messages)
        return count_head(system, (), self._text) + told

    def _text(self, text: str) -> int:
        if (known := self._known.get(text)) is None:
            known = self._remember(text, (None, self._count(text)))
        return known[1]

    def _tools(self, tools: Sequence[ToolSpec]) -> int:
        # The same tuple comes again with each request; it is kept as a specification is.
        if (known := self._known.get(id(tools))) is None:
            kept = tuple(tools)  # `tools` itself, unless it might change
            known = (kept, sum(map(self._tool, kept)))
            known = self._remember(id(tools), known) if kept is tools else known
        return known[1]

    def _tool(self, tool: ToolSpec) -> int:
        # A specification is kept with what it took, so that its place in memory is nobody else's meanwhile.
        if (known := self._known.get(id(tool))) is None:
            known = self._remember(id(tool), (tool, count_head((), (tool,), self._count)))
        return known[1]

    def _remember(self, key: Hashable, known: tuple[object, int]) -> tuple[object, int]:
        if len(self._known) >= MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._known[key] = known
        return known
