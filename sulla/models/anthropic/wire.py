"""A request to Anthropic's Messages API as bytes, at the cost of what is new in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, assert_never

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.message import Message, Part, Reasoning, Text, ToolCall, ToolResult
from sulla.models.anthropic.blocks import goes_back
from sulla.models.anthropic.choice import fields, offered
from sulla.models.base import ChatRequest, PromptSection, ToolSpec
from sulla.models.tokens.segments import SegmentCache, TokenSegment, ends_segment
from sulla.models.wire.json import dumps

CACHE_BYTES = 16 * 1024 * 1024
"""How much encoded history is remembered: some thirty threads of 800 messages of 500 characters."""

_MARK = b',"cache_control":{"type":"ephemeral"}}'
"""Ends a block and asks the service to remember everything up to it."""

_COUNTED = ("thinking", "tool_choice")
"""The fields that change how many tokens a request has; a question for the number takes no others."""

_Role = Literal["user", "assistant"]
_OPEN: dict[_Role, bytes] = {
    "user": b'{"role":"user","content":[',
    "assistant": b'{"role":"assistant","content":[',
}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A message as content blocks."""

    role: _Role
    blocks: bytes
    """Joined by commas; empty if nothing of the message can be sent."""
    calls: tuple[CallId, ...]
    results: tuple[CallId, ...]
    speaks: bool
    """Whether there is anything but results in it."""
    leads: bool
    """Whether its results come before anything else in it."""


class RequestEncoder:
    """Turns requests into bodies, remembering the bytes of what it has seen.

    Args:
        extra: top-level fields for every request, e.g. ``{"thinking": {"type": "adaptive"}}``.
        cache_bytes: how much encoded history to remember.
    """

    def __init__(self, extra: FrozenJson | None = None, cache_bytes: int = CACHE_BYTES) -> None:
        self._extra = extra or {}
        self._counted = {name: value for name, value in self._extra.items() if name in _COUNTED}
        self._segments: SegmentCache[_Role] = SegmentCache(cache_bytes)
        self._offered: tuple[Sequence[ToolSpec], bytes] = ((), b"")
        """The tools that were sent last, which are nearly always the next request's too, and how they were written."""

    def encode(self, request: ChatRequest) -> bytes:
        """The body of a streaming request.

        Raises:
            InvalidInput: the history breaks the service's rules, or holds something that JSON cannot hold, or the tool
                to be called is not offered. The agent makes history valid; this is the last look before nonsense is
                sent.
        """
        heat: JsonObject = {} if request.tuning.temperature is None else {"temperature": request.tuning.temperature}
        head = dumps({"model": request.model, "max_tokens": request.max_tokens, "stream": True, **heat})[:-1]
        return self._body(head, request, self._extra)

    def encode_count(self, request: ChatRequest) -> bytes:
        """The body of a question for the number of tokens in a request.

        Raises:
            InvalidInput: as for `encode`.
        """
        return self._body(dumps({"model": request.model})[:-1], request, self._counted)

    def _body(self, head: bytes, request: ChatRequest, extra: FrozenJson) -> bytes:
        tools = self._written(offered(request))
        history = self._history(request)
        history[-1] = history[-1][:-1] + _MARK
        return b"".join(
            (
                head,
                _fields(fields(request, extra)),
                _list(b',"system":', _system(request.system)),
                tools,
                b',"messages":[',
                *history,
                b"]}]}",
            )
        )

    def _written(self, tools: Sequence[ToolSpec]) -> bytes:
        if tools != self._offered[0]:
            self._offered = tools, _list(b',"tools":', _tools(tools))
        return self._offered[1]

    def _history(self, request: ChatRequest) -> list[bytes]:
        """The messages in pieces, the last one still open."""
        walk = _MessageJoiner(request.model)
        messages = list(request.messages)
        start = place = 0
        while place < len(messages):
            if place == start and (known := self._segments.find(messages, start)) is not None:
                walk.splice(known)
                start = place = start + len(known.messages)
                continue
            walk.add(encode_message(messages[place]))
            place += 1
            if walk.settled and ends_segment(messages[place - 1]):
                segment = walk.cut(messages[start:place])
                if segment is not None:
                    self._segments.add(segment)
                start = place
        walk.end()
        return walk.pieces


class _MessageJoiner:
    """Joins messages, and checks the service's rules on whose turn it is and which result answers which call."""

    __slots__ = ("_awaited", "_calls", "_from", "_model", "_role", "_spoken", "pieces")

    def __init__(self, model: str) -> None:
        self.pieces: list[bytes] = []
        """What is joined so far; the last message in it is still open, so that its neighbour can be added to it."""
        self._model = model
        self._role: _Role | None = None
        self._awaited: set[CallId] = set()
        """Calls of the assistant's last message that have no result yet."""
        self._calls: set[CallId] = set()
        """Calls of the assistant's message that is still open."""
        self._spoken = False
        self._from: tuple[int, _Role] | None = None
        """Where in `pieces` the segment that is being made begins, and with whom."""

    @property
    def settled(self) -> bool:
        """Whether what comes next is free of what came before."""
        return not self._awaited and not self._calls

    def add(self, fragment: Fragment) -> None:
        """Take in one message."""
        if not fragment.blocks:
            return
        self._turn_to(fragment.role)
        if self._from is None:
            self._from = len(self.pieces), fragment.role
        if self._awaited or fragment.calls or fragment.results:
            self._pair(fragment)
        self.pieces.append(fragment.blocks)

    def splice(self, segment: TokenSegment[_Role]) -> None:
        """Take in a stretch that was held against the rules when it was made."""
        self._turn_to(segment.first)
        self.pieces.append(segment.raw)
        self._role = segment.last

    def cut(self, messages: list[Message]) -> TokenSegment[_Role] | None:
        """End a segment here; None if there is nothing in it."""
        begun, self._from = self._from, None
        if begun is None or self._role is None:
            return None
        start, first = begun
        raw = b"".join(self.pieces[start:])
        self.pieces[start:] = [raw]
        return TokenSegment(messages, raw, first, self._role)

    def end(self) -> None:
        """No message follows."""
        self._all_answered()
        if self._role is None:
            raise self._wrong("is empty")
        if self._role == "assistant":
            raise self._wrong("ends with the model's own text; a message of the user's has to follow it")

    def _turn_to(self, role: _Role) -> None:
        """Begin a message of this side's, or go on with the one that is open."""
        if role == self._role:
            self.pieces.append(b",")
            return
        if role == "user":
            self._awaited, self._calls = self._calls, set()
            self._spoken = False
        elif self._role is None:
            raise self._wrong("begins with the model's own text; a message of the user's has to come first")
        else:
            self._all_answered()
        self.pieces.append(_OPEN[role] if self._role is None else b"]}," + _OPEN[role])
        self._role = role

    def _pair(self, fragment: Fragment) -> None:
        for call_id in fragment.calls:
            if call_id in self._calls:
                raise self._wrong(f"uses the tool call id {call_id!r} twice in one reply")
            self._calls.add(call_id)
        for call_id in fragment.results:
            if call_id not in self._awaited:
                raise self._wrong(f"has a result for {call_id!r} that does not follow its tool call")
            if self._spoken or not fragment.leads:
                raise self._wrong(f"has text before the result for {call_id!r}; results come first")
            self._awaited.remove(call_id)
        self._spoken = self._spoken or fragment.speaks

    def _all_answered(self) -> None:
        if self._awaited:
            raise self._wrong(f"has no result for the tool call {min(self._awaited)!r}")

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"the history for the model {self._model!r} {what}")


def encode_message(message: Message) -> Fragment:
    """One message as content blocks.

    Raises:
        InvalidInput: a part cannot be written as JSON, or does not belong to its role.
    """
    blocks: list[JsonObject] = []
    calls: list[CallId] = []
    results: list[CallId] = []
    speaks, leads = False, True
    for part in message.parts:
        block = _block(part)
        if block is None:
            continue
        if isinstance(part, (ToolCall, Reasoning)) and message.role != "assistant":
            raise InvalidInput(f"message {message.id!r} of the role {message.role!r} holds what only a model says")
        if isinstance(part, ToolResult):
            if message.role == "assistant":
                raise InvalidInput(f"message {message.id!r} of the model holds a tool result")
            leads = leads and not speaks
            results.append(part.call_id)
        else:
            speaks = True
        if isinstance(part, ToolCall):
            calls.append(part.id)
        blocks.append(block)
    try:
        raw = b",".join(map(dumps, blocks))
    except InvalidInput as error:
        raise InvalidInput(f"message {message.id!r} cannot be sent: {error.message}") from error
    role: _Role = "assistant" if message.role == "assistant" else "user"
    return Fragment(role, raw, tuple(calls), tuple(results), speaks, leads)


def _block(part: Part) -> JsonObject | None:
    """A part as a content block; None for what the service would refuse or could not use."""
    match part:
        case Text(text=text):
            return {"type": "text", "text": text} if text and not text.isspace() else None
        case Reasoning(raw=raw):
            return dict(raw) if raw is not None and goes_back(raw.get("type")) else None
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": dict(part.args)}
        case ToolResult():
            block: JsonObject = {"type": "tool_result", "tool_use_id": part.call_id}
            if part.text:
                block["content"] = part.text
            if part.is_error:
                block["is_error"] = True
            return block
        case _:
            assert_never(part)


def _system(sections: Iterable[PromptSection]) -> list[bytes]:
    """The prompt's blocks, stable ones first; the last of those carries a cache mark."""
    kept = [section for section in sections if section.text and not section.text.isspace()]
    stable = [dumps({"type": "text", "text": section.text}) for section in kept if section.stable]
    if stable:
        stable[-1] = stable[-1][:-1] + _MARK
    return stable + [dumps({"type": "text", "text": section.text}) for section in kept if not section.stable]


def _tools(tools: Iterable[ToolSpec]) -> list[bytes]:
    """The tools; the last one carries a cache mark."""
    found = [
        dumps(
            dict(tool.native)
            if tool.native is not None
            else {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
        )
        for tool in tools
    ]
    if found:
        found[-1] = found[-1][:-1] + _MARK
    return found


def _list(name: bytes, items: list[bytes]) -> bytes:
    return name + b"[" + b",".join(items) + b"]" if items else b""


def _fields(values: FrozenJson) -> bytes:
    """Further fields of an object, each with a comma before it."""
    return b"".join(b"," + dumps({name: value})[1:-1] for name, value in values.items())
