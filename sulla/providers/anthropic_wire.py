"""A request to Anthropic's Messages API as bytes, at the cost of what is new in it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, assert_never

from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, JsonObject
from sulla.core.message import Message, Part, Reasoning, Text, ToolCall, ToolResult
from sulla.providers.base import ChatRequest, Section, ToolSpec
from sulla.providers.fragments import FragmentCache
from sulla.providers.wire_json import dumps

CACHE_BYTES = 16 * 1024 * 1024
"""How much encoded history is remembered: some forty threads of 800 messages of 500 characters."""

_MARK = b',"cache_control":{"type":"ephemeral"}}'
"""Ends a block and asks the service to remember everything up to it."""

_SIGNED = ("thinking", "redacted_thinking")
"""The reasoning blocks that this service signs and wants back as they were; another service's are not for it."""

_Role = Literal["user", "assistant"]
_OPEN: dict[_Role, bytes] = {
    "user": b'{"role":"user","content":[',
    "assistant": b'{"role":"assistant","content":[',
}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A message as the service wants it, ready to be joined with its neighbours."""

    role: _Role
    blocks: bytes
    """Its content blocks, joined by commas; empty if nothing of it can be sent."""
    calls: tuple[CallId, ...]
    results: tuple[CallId, ...]
    speaks: bool
    """Whether there is anything but results in it."""
    leads: bool
    """Whether its results come before anything else in it."""

    @property
    def size_bytes(self) -> int:
        """What it takes up, with the room for its bookkeeping."""
        return len(self.blocks) + 200


class RequestEncoder:
    """Turns requests into bodies, remembering the bytes of each message.

    Args:
        extra: top-level fields for every request, e.g. ``{"thinking": {"type": "adaptive"}}``.
        cache_bytes: how much encoded history to remember.
    """

    def __init__(self, extra: FrozenJson | None = None, cache_bytes: int = CACHE_BYTES) -> None:
        self._extra = [b"," + dumps({name: value})[1:-1] for name, value in (extra or {}).items()]
        self._fragments = FragmentCache(encode_message, cache_bytes)

    def encode(self, request: ChatRequest) -> bytes:
        """The body of a streaming request.

        Raises:
            InvalidInput: the history breaks the service's rules, or holds something that JSON cannot hold. The agent
                makes history valid; this is the last look before nonsense is sent.
        """
        pieces = [
            dumps({"model": request.model, "max_tokens": request.max_tokens, "stream": True})[:-1],
            *self._extra,
            _list(b',"system":', _system(request.system)),
            _list(b',"tools":', _tools(request.tools)),
            b',"messages":',
        ]
        self._history(request, pieces)
        pieces.append(b"}")
        return b"".join(pieces)

    def _history(self, request: ChatRequest, pieces: list[bytes]) -> None:
        """Append the messages: neighbours of one role become one, the last block carries a cache mark."""
        get = self._fragments.get
        check = _Pairs(request.model)
        role: _Role | None = None
        last = b""
        for message in request.messages:
            fragment = get(message)
            if not fragment.blocks:
                continue
            if fragment.role != role:
                check.turn(fragment.role, first=role is None)
                pieces.append(b"[" if role is None else b"]},")
                role = fragment.role
                pieces.append(_OPEN[role])
            else:
                pieces.append(b",")
            if check.awaited or fragment.calls or fragment.results:
                check.look(fragment)
            last = fragment.blocks
            pieces.append(last)
        check.end(role)
        pieces[-1] = last[:-1] + _MARK
        pieces.append(b"]}]")


class _Pairs:
    """Holds a history against the service's rules about who speaks when and which result belongs to which call."""

    __slots__ = ("_calls", "_model", "_spoken", "awaited")

    def __init__(self, model: str) -> None:
        self._model = model
        self._calls: set[CallId] = set()
        self._spoken = False
        self.awaited: set[CallId] = set()
        """Calls of the assistant's last message that have no result yet."""

    def turn(self, role: _Role, first: bool) -> None:
        """The other side's message begins."""
        if first and role == "assistant":
            raise self._wrong("begins with the model's own text; a message of the user's has to come first")
        if role == "user":
            self.awaited, self._calls = self._calls, set()
            self._spoken = False
        else:
            self._all_answered()

    def look(self, fragment: Fragment) -> None:
        """Take in what a fragment asks and answers."""
        for call_id in fragment.calls:
            if call_id in self._calls:
                raise self._wrong(f"uses the tool call id {call_id!r} twice in one reply")
            self._calls.add(call_id)
        for call_id in fragment.results:
            if call_id not in self.awaited:
                raise self._wrong(f"has a result for {call_id!r} that does not follow its tool call")
            if self._spoken or not fragment.leads:
                raise self._wrong(f"has text before the result for {call_id!r}; results come first")
            self.awaited.remove(call_id)
        self._spoken = self._spoken or fragment.speaks

    def end(self, role: _Role | None) -> None:
        """No message follows."""
        self._all_answered()
        if role is None:
            raise self._wrong("is empty")
        if role == "assistant":
            raise self._wrong("ends with the model's own text; a message of the user's has to follow it")

    def _all_answered(self) -> None:
        if self.awaited:
            raise self._wrong(f"has no result for the tool call {min(self.awaited)!r}")

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
            return dict(raw) if raw is not None and raw.get("type") in _SIGNED else None
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


def _system(sections: Iterable[Section]) -> list[bytes]:
    """The prompt's blocks, stable ones first; the last of those carries a cache mark."""
    kept = [section for section in sections if section.text and not section.text.isspace()]
    stable = [dumps({"type": "text", "text": section.text}) for section in kept if section.stable]
    if stable:
        stable[-1] = stable[-1][:-1] + _MARK
    return stable + [dumps({"type": "text", "text": section.text}) for section in kept if not section.stable]


def _tools(tools: Iterable[ToolSpec]) -> list[bytes]:
    """The tools; the last one carries a cache mark."""
    found = [
        dumps({"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}) for tool in tools
    ]
    if found:
        found[-1] = found[-1][:-1] + _MARK
    return found


def _list(name: bytes, items: list[bytes]) -> bytes:
    return name + b"[" + b",".join(items) + b"]" if items else b""
