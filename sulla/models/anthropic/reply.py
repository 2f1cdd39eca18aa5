"""A streamed reply of Anthropic's Messages API, from bytes to deltas. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypedDict

import orjson

from sulla.core.errors import ContextTooLong, ProviderProtocol
from sulla.core.ids import MessageId
from sulla.core.message import Part, Text, ToolCall
from sulla.models.anthropic.blocks import Block, BlockDelta, BlockStart, CallBlock, block_of, paired
from sulla.models.anthropic.errors import stream_error
from sulla.models.base import Completed, Stop, TokenUsage
from sulla.models.wire.json import string
from sulla.models.wire.reply import StreamedReply
from sulla.models.wire.sse import SseReader

_STOPS: Final[dict[str, Stop]] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "pause_turn": "max_tokens",  # at its limit for tools that it runs itself: like any cut reply, it goes on once
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refused",
}

_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
"""In the order of `TokenUsage`."""


class _AnthropicCounts(TypedDict, total=False):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int
    cache_creation_input_tokens: int


class _MessageStart(TypedDict, total=False):
    id: str
    usage: _AnthropicCounts


class _ContentDelta(BlockDelta, total=False):
    stop_reason: str


class _Error(TypedDict, total=False):
    type: str
    message: str


class _AnthropicEvent(TypedDict, total=False):
    type: str
    index: int
    message: _MessageStart
    content_block: BlockStart
    delta: _ContentDelta
    usage: _AnthropicCounts
    error: _Error


class AnthropicReply(StreamedReply):
    """One reply of the Messages API.

    Args:
        model: who was asked; for messages.
    """

    def __init__(self, model: str) -> None:
        super().__init__(model, SseReader())
        self._id: MessageId | None = None
        self._open: dict[int, Block] = {}
        self._done: list[Block] = []
        self._usage: dict[str, int] = {}
        self._reason = ""

    def _take(self, data: bytes) -> Completed | None:
        event: _AnthropicEvent = orjson.loads(data)
        if event["type"] == "content_block_delta":  # nearly all events are
            block = self._open[event["index"]]
            self._show(block.shown_as, block.add(event["delta"]))
            return None
        handler = _EVENTS.get(event["type"])
        # The service may add kinds of events: those that are not known are passed over, as its documentation asks.
        return handler(self, event) if handler is not None else None

    def _message_start(self, event: _AnthropicEvent) -> None:
        if self._id is not None:
            raise self._broken("begins twice")
        message = event["message"]
        self._id = MessageId(string(message["id"]))
        self._count(message.get("usage"))

    def _block_start(self, event: _AnthropicEvent) -> None:
        index, content = event["index"], event["content_block"]
        if self._id is None or index != len(self._open) + len(self._done):
            raise self._broken(f"begins block {index!r} out of turn")
        make = block_of(content["type"])
        if make is None:
            raise self._broken(f"holds a block of the unknown type {content['type']!r}")
        block = self._open[index] = make(content)
        self._show(block.shown_as, block.begin())

    def _block_stop(self, event: _AnthropicEvent) -> None:
        self._done.append(self._open.pop(event["index"]))

    def _message_delta(self, event: _AnthropicEvent) -> None:
        reason = event["delta"].get("stop_reason")
        if reason is not None:
            self._reason = string(reason)
        self._count(event.get("usage"))

    def _message_stop(self, event: _AnthropicEvent) -> Completed:
        if self._id is None or self._open:
            raise self._broken("stops in the middle")
        stop = _STOPS.get(self._reason)
        if stop is None:
            raise self._broken(f"stops for the unknown reason {self._reason!r}")
        parts = self._parts(stop)
        if self._reason == "model_context_window_exceeded" and not _says(parts):
            raise ContextTooLong(f"the window of the model {self._model!r} is full: send a shorter history")
        return self._whole(self._id, parts, TokenUsage(*(self._usage.get(name, 0) for name in _COUNTS)), stop)

    def _error(self, event: _AnthropicEvent) -> None:
        error = event["error"]
        raise stream_error(self._model, str(error.get("type") or ""), str(error.get("message") or ""))

    def _parts(self, stop: Stop) -> tuple[Part, ...]:
        """The reply's parts, in the model's order.

        A call whose arguments are not whole where the reply was cut off was never made, and nothing is done for a reply
        that the service takes back: such calls are left out.
        """
        parts: list[Part] = []
        for block in self._done:
            if isinstance(block, CallBlock):
                if stop == "refused":
                    continue
                if not block.whole(cut=stop == "max_tokens"):
                    if stop == "max_tokens":
                        continue
                    raise self._broken(f"calls the tool {block.name!r} with arguments that are no JSON object")
            part = block.part()
            if part is not None:
                parts.append(part)
        return paired(parts)

    def _count(self, usage: _AnthropicCounts | None) -> None:
        """Take a usage report in; a later one holds the sums so far."""
        for name, value in (usage or {}).items():
            if type(value) is int and value >= 0:
                self._usage[name] = value


def count_of(model: str, body: bytes) -> int:
    """The answer to a question for the number of tokens.

    Args:
        model: who was asked; for messages.
        body: the whole answer.

    Raises:
        ProviderProtocol: it is no such answer.
    """
    try:
        count = orjson.loads(body)["input_tokens"]
    except (KeyError, TypeError, orjson.JSONDecodeError):
        count = None
    if type(count) is not int or count < 0:
        raise ProviderProtocol(f"the token count for the model {model!r} makes no sense: {body[:200]!r}")
    return count


def _says(parts: tuple[Part, ...]) -> bool:
    return any(isinstance(part, (Text, ToolCall)) for part in parts)


_EVENTS: Final[dict[str, Callable[[AnthropicReply, _AnthropicEvent], Completed | None]]] = {
    "message_start": AnthropicReply._message_start,
    "content_block_start": AnthropicReply._block_start,
    "content_block_stop": AnthropicReply._block_stop,
    "message_delta": AnthropicReply._message_delta,
    "message_stop": AnthropicReply._message_stop,
    "error": AnthropicReply._error,
}
