"""A streamed reply of OpenAI's Responses API, from bytes to deltas. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypedDict

import orjson

from sulla.core.ids import MakeId, MessageId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import Part, Reasoning, Text
from sulla.models.base import Completed, ReasoningDelta, Stop, TextDelta, TokenUsage
from sulla.models.openai.chat import counted, whole_call
from sulla.models.openai.errors import WireError, stream_error
from sulla.models.openai.wire import NATIVE_CALLS
from sulla.models.wire.json import string
from sulla.models.wire.reply import Shown, StreamedReply
from sulla.models.wire.sse import SseReader

_CUTS: Final[dict[str, Stop]] = {"max_output_tokens": "max_tokens", "content_filter": "refused"}
_KINDS = ("message", "function_call", "reasoning", *NATIVE_CALLS)
"""The items that a reply may hold."""


class _IncompleteReason(TypedDict, total=False):
    reason: str


class _ResponseDetails(TypedDict, total=False):
    cached_tokens: int
    cache_write_tokens: int


class _ResponseCounts(TypedDict, total=False):
    input_tokens: int
    output_tokens: int
    input_tokens_details: _ResponseDetails | None


class _Response(TypedDict, total=False):
    error: WireError | None
    incomplete_details: _IncompleteReason | None
    usage: _ResponseCounts | None


class _ResponseEvent(TypedDict, total=False):
    type: str
    output_index: int
    item: JsonObject
    delta: str
    response: _Response
    error: WireError
    message: str
    code: str | int


class _Item:
    """A piece of the output, growing as it streams."""

    __slots__ = ("done", "kind", "shown")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.shown: list[str] = []
        """What was passed on of it."""
        self.done: JsonObject | None = None
        """The whole of it, once the service has said that it is whole."""


class ResponsesReply(StreamedReply):
    """One reply of the Responses API.

    Args:
        model: who was asked; for messages.
        make_id: names the reply.
    """

    def __init__(self, model: str, make_id: MakeId) -> None:
        super().__init__(model, SseReader())
        self._make_id = make_id
        self._items: dict[int, _Item] = {}
        self._declined = False

    def _take(self, data: bytes) -> Completed | None:
        event: _ResponseEvent = orjson.loads(data)
        kind = event["type"]
        if kind == "response.output_text.delta":  # nearly all events are
            self._add(event, TextDelta)
            return None
        handler = _EVENTS.get(kind)
        # There are many more kinds, which repeat what these say in another form.
        return handler(self, event) if handler is not None else None

    def _add(self, event: _ResponseEvent, kind: Shown) -> None:
        self._show(kind, event["delta"])
        self._items[event["output_index"]].shown.append(event["delta"])

    def _refusal(self, event: _ResponseEvent) -> None:
        self._declined = True
        self._add(event, TextDelta)

    def _thought(self, event: _ResponseEvent) -> None:
        self._add(event, ReasoningDelta)

    def _next_thought(self, event: _ResponseEvent) -> None:
        item = self._items[event["output_index"]]
        if item.shown:
            item.shown.append("\n\n")
            self._show(ReasoningDelta, "\n\n")

    def _item_added(self, event: _ResponseEvent) -> None:
        index, kind = event["output_index"], event["item"]["type"]
        if index != len(self._items):
            raise self._broken(f"begins item {index!r} out of turn")
        if kind not in _KINDS:
            raise self._broken(f"holds an item of the unknown type {kind!r}")
        self._items[index] = _Item(string(kind))

    def _item_done(self, event: _ResponseEvent) -> None:
        item, whole = self._items[event["output_index"]], event["item"]
        if whole["type"] != item.kind or item.done is not None:
            raise self._broken(f"ends an item of the type {item.kind!r} in another way than it began")
        item.done = whole
        if item.kind == "message":
            text, shown = self._text_of(whole), "".join(item.shown)
            if not text.startswith(shown):
                raise self._broken("says another text at its end than on its way")
            if len(text) > len(shown):
                item.shown.append(text[len(shown) :])
                self._show(TextDelta, text[len(shown) :])

    def _text_of(self, item: JsonObject) -> str:
        content = item["content"]
        if not isinstance(content, list):
            raise TypeError("a message without a list of content")
        pieces = []
        for part in content:
            if not isinstance(part, dict):
                raise TypeError("a part of a message that is no object")
            if part["type"] == "output_text":
                pieces.append(string(part["text"]))
            elif part["type"] == "refusal":
                self._declined = True
                pieces.append(string(part["refusal"]))
            else:
                raise TypeError(f"a message cannot hold a {part['type']!r}")
        return "".join(pieces)

    def _finished(self, event: _ResponseEvent) -> Completed:
        return self._complete("end", event["response"])

    def _cut(self, event: _ResponseEvent) -> Completed:
        reason = (event["response"].get("incomplete_details") or {}).get("reason", "")
        stop = _CUTS.get(reason)
        if stop is None:
            raise self._broken(f"stops for the unknown reason {reason!r}")
        return self._complete(stop, event["response"])

    def _failed(self, event: _ResponseEvent) -> None:
        raise stream_error(self._model, event["response"].get("error") or {})

    def _error(self, event: _ResponseEvent) -> None:
        nested = event.get("error")
        said: WireError = {"message": str(event.get("message") or ""), "code": event.get("code") or ""}
        raise stream_error(self._model, nested if nested is not None else said)

    def _complete(self, stop: Stop, response: _Response) -> Completed:
        if self._declined:
            stop = "refused"
        parts = tuple(part for item in self._items.values() for part in self._parts(item, stop))
        return self._whole(MessageId(self._make_id("msg")), parts, _usage(response), stop)

    def _parts(self, item: _Item, stop: Stop) -> tuple[Part, ...]:
        """What an item comes to. Where the reply was cut, its last one may be unfinished: then only its text counts."""
        if item.done is None and stop not in ("max_tokens", "refused"):
            raise self._broken(f"is complete without the end of its {item.kind!r}")
        shown = "".join(item.shown)
        if item.kind == "message":
            return (Text(shown, "agent"),) if shown else ()
        if item.done is None or stop == "refused":
            return ()
        if item.kind == "reasoning" or item.kind in NATIVE_CALLS:
            return (Reasoning(shown, item.done, item.kind in NATIVE_CALLS),)
        name, arguments = string(item.done["name"]), string(item.done["arguments"])
        cut = stop == "max_tokens" and item.done.get("status") != "completed"
        call = whole_call(string(item.done["call_id"]), name, arguments, cut=cut)
        if call is None and stop != "max_tokens":
            raise self._broken(f"calls the tool {name!r} with arguments that are no JSON object")
        return (call,) if call is not None else ()


def _usage(response: _Response) -> TokenUsage:
    usage = response.get("usage") or {}
    return counted(usage.get("input_tokens"), usage.get("output_tokens"), usage.get("input_tokens_details"))


_EVENTS: Final[dict[str, Callable[[ResponsesReply, _ResponseEvent], Completed | None]]] = {
    "response.refusal.delta": ResponsesReply._refusal,
    "response.reasoning_text.delta": ResponsesReply._thought,
    "response.reasoning_summary_text.delta": ResponsesReply._thought,
    "response.reasoning_summary_part.added": ResponsesReply._next_thought,
    "response.output_item.added": ResponsesReply._item_added,
    "response.output_item.done": ResponsesReply._item_done,
    "response.completed": ResponsesReply._finished,
    "response.incomplete": ResponsesReply._cut,
    "response.failed": ResponsesReply._failed,
    "error": ResponsesReply._error,
}
