"""Requests to Ollama's chat API as bytes, and its streamed replies from bytes. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypedDict

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import (
    ContextTooLong,
    InvalidInput,
    ProviderError,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ToolsRefused,
)
from sulla.core.ids import CallId, MakeId, MessageId
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.message import Message, Part, Reasoning, Text, ToolCall, ToolResult
from sulla.models.base import ChatRequest, Completed, ReasoningDelta, Stop, TokenUsage
from sulla.models.wire.advice import Advice, advice_on
from sulla.models.wire.failures import refuses_tools
from sulla.models.wire.json import dumps, shortened, string, tokens
from sulla.models.wire.lines import LineReader
from sulla.models.wire.reply import StreamedReply

_STOPS: Final[dict[str, Stop]] = {"stop": "end", "length": "max_tokens"}
ADVICE: Final = advice_on("OLLAMA_API_KEY")
"""What to do where nobody has said where the model's name comes from."""

_TOO_LONG = ("exceed_context_size", "exceeds the available context size", "exceeds the context length")


@dataclass(frozen=True, slots=True)
class OllamaOptions:
    """What is sent with every request."""

    num_ctx: int = 16384
    """The window in tokens. The service's own default is smaller, and it would cut the history to it in silence."""
    keep_alive: str = "30m"
    """How long the model stays in memory; the default heartbeat comes every 30 minutes."""
    think: bool | None = None
    """Whether the model thinks first; None leaves it to the model."""


def encode_request(request: ChatRequest, options: OllamaOptions) -> bytes:
    """The body of a streaming request.

    The service cannot make a model call a tool. Where one has to be called it is the only one that is offered, and the
    model may still do without.

    Raises:
        InvalidInput: there is nothing to answer, or it cannot be written as JSON, or the tool to be called is not
            offered.
    """
    if not request.messages or request.messages[-1].role == "assistant":
        raise InvalidInput(f"the history for the model {request.model!r} does not end with a message of the user's")
    forced = request.forced
    tools = request.tools if forced is None else (forced,)
    heat: JsonObject = {} if request.tuning.temperature is None else {"temperature": request.tuning.temperature}
    body: JsonObject = {
        "model": request.model,
        "stream": True,
        # Without these two the service drops the oldest messages in silence, before and while it answers.
        "truncate": False,
        "shift": False,
        "keep_alive": options.keep_alive,
        "options": {"num_ctx": options.num_ctx, "num_predict": request.max_tokens, **heat},
        "messages": [*_system(request), *_messages(request)],
    }
    if (think := options.think if request.tuning.thinking is None else request.tuning.thinking) is not None:
        body["think"] = think
    if tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
            }
            for tool in tools
        ]
    return dumps(body)


def _system(request: ChatRequest) -> Iterator[JsonObject]:
    """One message, stable sections first: the service keeps what it knows of the beginning of the last request."""
    sections = sorted(request.system, key=lambda section: not section.stable)
    text = "\n\n".join(section.text for section in sections if section.text)
    if text:
        yield {"role": "system", "content": text}


def _messages(request: ChatRequest) -> Iterator[JsonObject]:
    names: dict[CallId, str] = {}
    for message in request.messages:
        names.update((call.id, call.name) for call in message.calls)
        for part in message.parts:
            if isinstance(part, ToolResult):
                yield {
                    "role": "tool",
                    "content": f"Error: {part.text}" if part.is_error else part.text,  # there is no mark for a failure
                    "tool_call_id": part.call_id,
                    "tool_name": names.get(part.call_id, ""),
                }
        said = _said(message)
        if said is not None:
            yield said


def _said(message: Message) -> JsonObject | None:
    """What a message says in words and calls; None for nothing."""
    text = message.paragraphs
    said: JsonObject = {"role": "assistant" if message.role == "assistant" else "user", "content": text}
    calls: list[Json] = [
        {"id": call.id, "function": {"name": call.name, "arguments": dict(call.args)}} for call in message.calls
    ]
    # Another service's reasoning carries its own block and is not for this one.
    thoughts = "".join(part.text for part in message.parts if isinstance(part, Reasoning) and part.raw is None)
    if thoughts:
        said["thinking"] = thoughts
    if calls:
        said["tool_calls"] = calls
    return said if text or calls else None


class _OllamaFunction(TypedDict, total=False):
    name: str
    arguments: FrozenJson


class _OllamaCall(TypedDict, total=False):
    id: str
    function: _OllamaFunction


class _OllamaMessage(TypedDict, total=False):
    content: str
    thinking: str
    tool_calls: list[_OllamaCall]


class _OllamaLine(TypedDict, total=False):
    error: str
    message: _OllamaMessage
    done: bool
    done_reason: str
    prompt_eval_count: int
    eval_count: int


class OllamaReply(StreamedReply):
    """One reply.

    Args:
        model: who was asked; for messages.
        make_id: names the reply and those of its tool calls that the service gives no name.
    """

    def __init__(self, model: str, make_id: MakeId) -> None:
        super().__init__(model, LineReader())
        self._make_id = make_id
        self._calls: list[ToolCall] = []

    def _take(self, data: bytes) -> Completed | None:
        line: _OllamaLine = orjson.loads(data)
        if "error" in line:
            raise service_error(self._model, None, string(line["error"]))
        said = line.get("message", {})
        if thought := said.get("thinking"):
            self._show(ReasoningDelta, thought)
        if text := said.get("content"):
            self._say(text)
        if calls := said.get("tool_calls"):
            self._calls += map(self._call, calls)
        return self._complete(line) if line.get("done") is True else None

    def _call(self, call: _OllamaCall) -> ToolCall:
        function = call["function"]
        args = function.get("arguments")
        name = string(function["name"])
        if not isinstance(args, dict) or not name:
            raise TypeError("a tool call without a name or arguments")
        return ToolCall(CallId(string(call.get("id") or "") or self._make_id("call")), name, args)

    def _complete(self, line: _OllamaLine) -> Completed:
        stop = _STOPS.get(line.get("done_reason", "stop"))
        if stop is None:
            raise self._broken(f"stops for the unknown reason {line.get('done_reason')!r}")
        thoughts, text = self._said(stop)
        parts: tuple[Part, ...] = (
            *((Reasoning(thoughts),) if thoughts else ()),
            *((Text(text, "agent"),) if text else ()),
            *self._calls,
        )
        usage = TokenUsage(tokens(line.get("prompt_eval_count")), tokens(line.get("eval_count")))
        return self._whole(MessageId(self._make_id("msg")), parts, usage, stop)


def service_error(
    model: str, status: int | None, said: str, retry_after_s: float | None = None, advice: Advice = ADVICE
) -> ProviderError:
    """The error for what the service says went wrong.

    Args:
        model: who was asked.
        status: the HTTP status; None if it came inside a stream.
        said: the service's own words.
        retry_after_s: how long it asks to wait, in seconds; a proxy before it may.
        advice: what to do about the key and the name.
    """
    where = f"Ollama failed for the model {model!r}{f' with {status}' if status else ''}: {shortened(said)}"
    if any(phrase in said for phrase in _TOO_LONG):
        return ContextTooLong(f"{where}. Send a shorter history, or set a larger num_ctx")
    if status == 400 and refuses_tools(said):
        return ToolsRefused(f"{where}. Without tools it may answer")
    if status in (401, 403):
        return ProviderUnauthorized(f"{where}. {advice.key}")
    if status == 404:
        return ProviderRejected(f"{where}. Run `ollama pull {model}`, or check the name in {advice.named_in}")
    if status is None or status in (408, 429) or status >= 500:
        return ProviderTransient(f"{where}. The same request may succeed later", retry_after_s=retry_after_s)
    return ProviderRejected(f"{where}. The request has to change before it can succeed")
