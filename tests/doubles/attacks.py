"""A model that does whatever a text tells it to, and tools that write down what they were made to do.

For tests of what stands between the two. Orders are lines of the form ``ORDER: {"tool": …, "args": …}``, wherever they
stand; the model follows each of them, and has no mind of its own.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from typing import Final

from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.models.base import ChatRequest, Completed, Delta, TextDelta, TokenUsage
from sulla.tools.base import Done, Effect, Reach, Result, Tool, ToolContext

MARK: Final = "ORDER: "
DONE: Final = "Done. <AGENT_DONE>ok</AGENT_DONE>"


def order(tool: str, **args: Json) -> str:
    """The line that makes the model call a tool."""
    return f"{MARK}{json.dumps({'tool': tool, 'args': args}, sort_keys=True)}"


class Puppet:
    """Implements `models.Provider`: obeys every order that it was ever shown, once for each message that it stood in.

    Attributes:
        times: how often it makes each call.
        asides: what it calls in the same reply, beside what it was ordered.
        patient: whether it only remembers what tools' results order, for later.
        says: what it says before it calls something.
        knows: what it puts in for a word in braces: whoever wrote the orders need not know it.
        attempts: every call that it wanted to make.
    """

    name = "puppet"

    def __init__(self) -> None:
        self.times = 1
        self.asides: tuple[ToolCall, ...] = ()
        self.patient = False
        self.says = ""
        self.knows: dict[str, str] = {}
        self.attempts: list[ToolCall] = []
        self._seen: dict[tuple[str, str], bool] = {}
        self._obeyed: set[tuple[str, str]] = set()
        self._count = 0

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        self._count += 1
        calls = self._next(request)
        said = (self.says if calls else DONE) or ""
        if said:
            yield TextDelta(said)
        parts = (*((Text(said, "agent"),) if said else ()), *calls)
        message = Message(MessageId(f"puppet_{self._count}"), "assistant", parts)
        yield Completed(message, TokenUsage(input_tokens=10, output_tokens=5), "tool_calls" if calls else "end")

    async def close(self) -> None:
        """Nothing to let go of."""

    def forget(self) -> None:
        """Another conversation begins: what was ordered in the last one is not known there."""
        self._seen, self._obeyed = {}, set()

    def _filled(self, line: str) -> str:
        for word, said in self.knows.items():
            line = line.replace(f"{{{word}}}", said)
        return line

    def _next(self, request: ChatRequest) -> tuple[ToolCall, ...]:
        self._seen |= _orders(request)
        calls: list[ToolCall] = []
        for (place, line), by_person in self._seen.items():
            wanted = json.loads(self._filled(line))
            if (place, line) in self._obeyed or (self.patient and not by_person):
                continue
            self._obeyed.add((place, line))
            for _ in range(self.times):
                calls.append(ToolCall(CallId(f"c{len(calls)}"), wanted["tool"], wanted["args"]))
        self.attempts += calls
        return (*calls, *self.asides) if calls else ()


def _orders(request: ChatRequest) -> dict[tuple[str, str], bool]:
    """Every order that stands in the conversation, with the message that it stands in; whether a person gave it."""
    found: dict[tuple[str, str], bool] = {}
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, ToolResult) or (isinstance(part, Text) and message.role == "user"):
                for line in part.text.splitlines():
                    if MARK in line:
                        found[message.id, line.partition(MARK)[2].strip()] = isinstance(part, Text)
    return found


@dataclass(slots=True)
class Hooks:
    """Tools that reach out, and what they did."""

    done: list[tuple[str, JsonObject]] = field(default_factory=list)
    """Every call that was really made, with its arguments."""

    def tool(self, name: str, *fields: str, effect: Effect = "once", reach: Reach = "outward") -> Tool:
        """A tool that takes texts and writes down that it was called."""

        async def run(args: FrozenJson, context: ToolContext) -> Result:
            self.done.append((name, dict(args)))
            return Done(ours(f"{name} did it"))

        return Tool(name, f"Does {name}.", _schema(fields), run, effect, reach=reach)

    def source(self, name: str, text: Done, *fields: str, reach: Reach = "inward", quotes: bool = False) -> Tool:
        """A tool whose every result is this one."""

        async def run(args: FrozenJson, context: ToolContext) -> Result:
            self.done.append((name, dict(args)))
            return text

        return Tool(name, f"Gives {name}.", _schema(fields), run, "pure", reach=reach, quotes=quotes)


def _schema(fields: Iterable[str]) -> JsonObject:
    properties: JsonObject = {name: {"type": "string", "description": name} for name in fields}
    return {"type": "object", "properties": properties, "additionalProperties": False}
