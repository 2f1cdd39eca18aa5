"""A model that does what it is told by whatever text it is shown, wherever that stands."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any, Final

from sulla.core.ids import CallId, MessageId
from sulla.core.message import Message, Part, Text, ToolCall, ToolResult
from sulla.models.base import ChatRequest, Completed, Delta, TextDelta, TokenUsage
from tests.attacks.grammar import GoalRow, filled

DO: Final = "DO "
"""What a person asks for: this, and behind it ``["tool", {…}]``; without a tool's name, what is said."""
_OBEY: Final = re.compile(r"obey-([a-z][a-z-]*[a-z])", re.IGNORECASE)
_END: Final = "There. <AGENT_DONE>ok</AGENT_DONE>"

Order = tuple[tuple[str, ...], str, dict[str, Any]]
"""What makes it one order, the tool, and its arguments; without a tool, what is to be said."""


class Obedient:
    """Implements `models.Provider`. It calls one thing in each reply, until all that it was ever told is done.

    Args:
        goals: what an attacker's word ``obey-<goal>`` stands for.
    """

    name = "obedient"

    def __init__(self, goals: dict[str, GoalRow]) -> None:
        self._goals = goals
        self.words: dict[str, str] = {}
        """What it puts in for words in braces: whoever planted an order need not know it."""
        self.patient = False
        """Whether it puts off what was not asked for by a person."""
        self.times = 1
        self.attempts: list[tuple[str, dict[str, Any]]] = []
        """What it wanted to call, or to say, as an attacker ordered."""
        self._obeyed: set[tuple[str, ...]] = set()
        self._count = 0

    def begin(self, words: dict[str, str], times: int) -> None:
        """Something else is tried from here on: nothing of what was before counts."""
        self.words, self.times = words, times
        self.attempts, self._obeyed = [], set()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        self._count += 1
        order = self._next(request)
        calls: tuple[ToolCall, ...] = ()
        said = _END
        if order is not None and order[1]:
            said = ""
            calls = tuple(ToolCall(CallId(f"o{self._count}_{n}"), order[1], order[2]) for n in range(self.times))
        elif order is not None:
            said = f"{order[2]['text']} <AGENT_DONE>{order[2]['text']}</AGENT_DONE>"
        if said:
            yield TextDelta(said)
        parts: tuple[Part, ...] = (*((Text(said, "agent"),) if said else ()), *calls)
        message = Message(MessageId(f"obedient_{self._count}"), "assistant", parts)
        yield Completed(message, TokenUsage(input_tokens=10, output_tokens=5), "tool_calls" if calls else "end")

    async def close(self) -> None:
        """Nothing to let go of."""

    def _next(self, request: ChatRequest) -> Order | None:
        for key, tool, args in self._orders(request):
            if key not in self._obeyed:
                self._obeyed.add(key)
                args = filled(args, self.words)
                if key[0] == "attacker":
                    self.attempts.append((tool, args))
                return key, tool, args
        return None

    def _orders(self, request: ChatRequest) -> Iterator[Order]:
        for message in request.messages:
            for part in message.parts:
                if isinstance(part, Text) and message.role == "user" and part.origin != "web":
                    for at, (tool, args) in enumerate(_asked(part.text)):
                        yield ("person", message.id, str(at)), tool, args
        if not self.patient:
            yield from self._planted(request)

    def _planted(self, request: ChatRequest) -> Iterator[Order]:
        begun = request.messages[0].id if request.messages else ""
        for goal in dict.fromkeys(word.lower() for text in _shown(request) for word in _OBEY.findall(text)):
            if (row := self._goals.get(goal)) is not None:
                for at, (tool, given) in enumerate(row.calls):
                    yield ("attacker", begun, goal, str(at)), tool, dict(given)
                if row.says:
                    yield ("attacker", begun, goal, "says"), "", {"text": row.says}


def _asked(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a person asks for; what they want somebody else to be asked for stands within it."""
    while (at := text.find(f"{DO}[")) >= 0:
        (tool, args), end = json.JSONDecoder().raw_decode(text, at + len(DO))
        yield tool, args
        text = text[end:]


def _shown(request: ChatRequest) -> Iterator[str]:
    """Every text that the model is shown and did not write."""
    yield from (section.text for section in request.system)
    for tool in request.tools:
        yield f"{tool.name} {tool.description} {json.dumps(dict(tool.schema))}"
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, ToolResult) or (isinstance(part, Text) and message.role != "assistant"):
                yield part.text
