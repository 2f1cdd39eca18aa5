"""A streamed chat completion, from bytes to deltas. Pure.

It takes what OpenAI, vLLM, llama.cpp and LM Studio send; they differ in the field for reasoning, in whether a call's
name comes once or with each piece, and in how they tell of a failure inside a stream.
"""

from __future__ import annotations

from typing import Final, TypedDict

import orjson

from sulla.core.ids import CallId, MakeId, MessageId
from sulla.core.message import Part, Reasoning, Text, ToolCall
from sulla.models.base import Completed, ReasoningDelta, Stop, TextDelta, TokenUsage
from sulla.models.openai.errors import WireError, stream_error
from sulla.models.openai.wire import CHAT_REASONING
from sulla.models.wire.json import string, tokens
from sulla.models.wire.reply import StreamedReply
from sulla.models.wire.sse import SseReader

_STOPS: Final[dict[str, Stop]] = {
    "stop": "end",
    "length": "max_tokens",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refused",
}
_THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put reasoning: llama.cpp, LM Studio and older vLLM in the first, newer vLLM in the second."""


class _ChatFunction(TypedDict, total=False):
    name: str | None
    arguments: str | None


class _CallDelta(TypedDict, total=False):
    index: int
    id: str | None
    function: _ChatFunction | None


class _ChatDelta(TypedDict, total=False):
    content: str | None
    refusal: str | None
    reasoning_content: str | None
    reasoning: str | None
    tool_calls: list[_CallDelta] | None


class _Choice(TypedDict, total=False):
    index: int
    delta: _ChatDelta
    finish_reason: str | None


class _ChatDetails(TypedDict, total=False):
    cached_tokens: int
    cache_write_tokens: int


class _ChatCounts(TypedDict, total=False):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _ChatDetails | None


class _Chunk(TypedDict, total=False):
    choices: list[_Choice]
    usage: _ChatCounts | None
    error: WireError | str


class _ChatCall:
    """A tool call, growing as it streams."""

    __slots__ = ("id", "name", "pieces")

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.name = ""
        self.pieces: list[str] = []

    def add(self, piece: _CallDelta) -> None:
        """Take a piece of it."""
        if (piece.get("id") or self.id) != self.id:
            raise TypeError("two tool calls under one index")
        function = piece.get("function") or {}
        name = string(function.get("name") or "")
        if name and name != self.name:
            if self.name:
                raise TypeError(f"the tool call {self.name!r} changes its name to {name!r}")
            self.name = name
        self.pieces.append(string(function.get("arguments") or ""))


class ChatReply(StreamedReply):
    """One chat completion.

    Args:
        model: who was asked; for messages and for the note on reasoning.
        make_id: names the reply, and tool calls that come without an id.
    """

    def __init__(self, model: str, make_id: MakeId) -> None:
        super().__init__(model, SseReader())
        self._make_id = make_id
        self._thought_field = ""
        self._calls: dict[int, _ChatCall] = {}
        self._usage = TokenUsage()
        self._reason = ""
        self._declined = False

    def _take(self, data: bytes) -> Completed | None:
        if data == b"[DONE]":
            return self._complete()
        chunk: _Chunk = orjson.loads(data)
        if (error := chunk.get("error")) is not None:
            raise stream_error(self._model, {"message": error} if isinstance(error, str) else error)
        for choice in chunk["choices"]:
            if choice.get("index", 0) != 0:
                raise TypeError("a second choice, which nobody asked for")
            self._add(choice["delta"])
            if reason := choice.get("finish_reason"):
                self._reason = string(reason)
        if (usage := chunk.get("usage")) is not None:
            self._usage = counted(
                usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("prompt_tokens_details")
            )
        return None

    def _add(self, said: _ChatDelta) -> None:
        if text := said.get("content"):
            self._say(text)
        for name in _THOUGHTS:
            if thought := said.get(name):
                if self._thought_field not in ("", name):
                    continue  # some servers send the same thought under both names
                self._thought_field = name
                self._show(ReasoningDelta, string(thought))
        if calls := said.get("tool_calls"):
            for piece in calls:
                self._call(piece)
        if refusal := said.get("refusal"):
            self._declined = True
            self._show(TextDelta, refusal)

    def _call(self, piece: _CallDelta) -> None:
        index = piece["index"]
        if type(index) is not int:
            raise TypeError("a tool call without an index")
        call = self._calls.get(index)
        if call is None:
            call = self._calls[index] = _ChatCall(string(piece.get("id") or "") or self._make_id("call"))
        call.add(piece)

    def _complete(self) -> Completed:
        stop: Stop | None = "refused" if self._declined else _STOPS.get(self._reason)
        if stop is None:
            raise self._broken(f"stops for the unknown reason {self._reason!r}")
        calls = [] if stop == "refused" else self._whole_calls(stop)
        thoughts, text = self._said(stop)
        note = {"type": CHAT_REASONING, "field": self._thought_field, "model": self._model}
        parts: tuple[Part, ...] = (
            *((Reasoning(thoughts, note if self._thought_field else None),) if thoughts else ()),
            *((Text(text, "agent"),) if text else ()),
            *calls,
        )
        return self._whole(MessageId(self._make_id("msg")), parts, self._usage, stop)

    def _whole_calls(self, stop: Stop) -> list[ToolCall]:
        """The calls in the model's order.

        Where the token limit cut the reply, a call whose arguments are not whole was never made and is left out.
        """
        found = []
        for _, call in sorted(self._calls.items()):
            whole = whole_call(call.id, call.name, "".join(call.pieces), cut=stop == "max_tokens")
            if whole is not None:
                found.append(whole)
            elif stop != "max_tokens":
                raise self._broken(f"calls the tool {call.name!r} with arguments that are no JSON object")
        return found


def whole_call(call_id: str, name: str, arguments: str, *, cut: bool) -> ToolCall | None:
    """A tool call; None if it is not whole.

    Args:
        call_id: what its result will refer to.
        name: of the tool.
        arguments: JSON. Nothing at all stands for no arguments, unless the reply was cut.
        cut: whether the token limit ended the reply.
    """
    if not arguments and not cut:
        arguments = "{}"
    try:
        args = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(args, dict) or not name:
        return None
    return ToolCall(CallId(call_id), name, args)


def counted(read: object, written: object, details: _ChatDetails | None) -> TokenUsage:
    """Usage as the API reports it: what came from its cache, or went there, is part of what was read."""
    cached = tokens((details or {}).get("cached_tokens"))
    kept = tokens((details or {}).get("cache_write_tokens"))
    return TokenUsage(max(0, tokens(read) - cached - kept), tokens(written), cached, kept)
