"""Requests to OpenAI's API, in both of its forms, as bytes. Pure.

``chat`` is chat completions, which vLLM, llama.cpp and LM Studio speak too; ``responses`` is the newer one, in which a
model's reasoning can be handed back to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final, Literal, assert_never

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.message import Message, Reasoning, Role, Text, ToolCall, ToolResult
from sulla.models.base import ChatRequest, ToolSpec, Tuning
from sulla.models.wire.json import dumps

Form = Literal["chat", "responses"]

NATIVE_CALLS: Final = (
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
)
"""The items of tools that the service runs itself, with what came of them; they go back as they came."""

CHAT_REASONING: Final = "chat_reasoning"
"""The type of our own note on reasoning from a chat completion: which field it came in, and whose it was."""


@dataclass(frozen=True, slots=True)
class OpenAiOptions:
    """What differs between the servers that speak this API."""

    form: Form = "chat"
    limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    """How a chat completion is told its token limit: OpenAI's newer models take only the first, other servers the
    second."""
    choice: Literal["named", "required"] = "required"
    """How a tool is made to be called: OpenAI's own service is told its name; other servers refuse a name or pass over
    it, so they are offered that one tool alone and told that one is required."""
    extra: FrozenJson = field(default_factory=dict)
    """Top-level fields for every request, e.g. ``{"reasoning_effort": "low"}``."""


def encode_request(request: ChatRequest, options: OpenAiOptions) -> bytes:
    """The body of a streaming request.

    Raises:
        InvalidInput: the history breaks the API's rules, or holds something that JSON cannot hold, or the tool to be
            called is not offered.
    """
    _check(request)
    forced = request.forced
    tools = request.tools if forced is None or options.choice == "named" else (forced,)
    body = _responses(request, tools) if options.form == "responses" else _chat(request, tools, options)
    choice = _choice(forced.name, options) if forced is not None else {}
    return dumps({**body, **_tuned(request.tuning, options), **options.extra, **choice})


def _tuned(tuning: Tuning, options: OpenAiOptions) -> JsonObject:
    """What says how to reply. OpenAI's own service is told how hard to think; other servers tell the model's template
    whether to, as vLLM, SGLang and llama.cpp do, and those that know nothing of it pass over it.
    """
    body: JsonObject = {} if tuning.temperature is None else {"temperature": tuning.temperature}
    if tuning.thinking is None:
        return body
    effort = "medium" if tuning.thinking else "none"
    if options.form == "responses":
        return {**body, "reasoning": {"effort": effort}}
    if options.choice == "named":
        return {**body, "reasoning_effort": effort}
    return {**body, "chat_template_kwargs": {"enable_thinking": tuning.thinking}}


def _choice(name: str, options: OpenAiOptions) -> JsonObject:
    """What makes the reply call a tool, once."""
    if options.choice == "required":
        return {"tool_choice": "required", "parallel_tool_calls": False}
    # A name means one call already; and the models that reason refuse to hear of parallel ones.
    function: JsonObject = {"name": name}
    nested = options.form == "chat"
    return {"tool_choice": {"type": "function", **({"function": function} if nested else function)}}


def _chat(request: ChatRequest, tools: tuple[ToolSpec, ...], options: OpenAiOptions) -> JsonObject:
    body: JsonObject = {
        "model": request.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        options.limit_field: request.max_tokens,
    }
    system = _system(request)
    messages: list[Json] = [{"role": "system", "content": system}] if system else []
    for message in request.messages:
        messages += _chat_messages(message, request.model)
    body["messages"] = messages
    if tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
            }
            for tool in tools
        ]
    return body


def _chat_messages(message: Message, model: str) -> Iterator[JsonObject]:
    for part in message.parts:
        if isinstance(part, ToolResult):
            yield {"role": "tool", "tool_call_id": part.call_id, "content": _result(part)}
    text = message.paragraphs
    if message.role != "assistant":
        if text:
            yield {"role": "user", "content": text}
        return
    calls: list[Json] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
        for call in message.calls
    ]
    if text or calls:
        said: JsonObject = {"role": "assistant", "content": text or None, **_thoughts(message, model)}
        if calls:
            said["tool_calls"] = calls
        yield said


def _thoughts(message: Message, model: str) -> JsonObject:
    """The reasoning, in the field that it came in, for the model that it came from: others may refuse the field."""
    found: dict[str, str] = {}
    for part in message.parts:
        if isinstance(part, Reasoning) and part.raw is not None and part.raw.get("type") == CHAT_REASONING:
            name = part.raw.get("field")
            if part.raw.get("model") == model and isinstance(name, str):
                found[name] = found.get(name, "") + part.text
    return dict(found)


def _responses(request: ChatRequest, tools: tuple[ToolSpec, ...]) -> JsonObject:
    body: JsonObject = {
        "model": request.model,
        "stream": True,
        "store": False,  # what is kept of a conversation is kept here
        "max_output_tokens": request.max_tokens,
    }
    system = _system(request)
    if system:
        body["instructions"] = system
    body["input"] = [item for message in request.messages for item in _items(message)]
    if tools:
        body["tools"] = [
            dict(tool.native)
            if tool.native is not None
            else {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.schema),
                "strict": False,  # strict ones must not have optional arguments
            }
            for tool in tools
        ]
    return body


def _items(message: Message) -> Iterator[JsonObject]:
    """A message's parts in the model's order, which reasoning and what follows from it must keep.

    Reasoning that nothing follows from, because the reply was cut there, is refused by the service and left out.
    """
    thoughts: list[JsonObject] = []
    for part in message.parts:
        if isinstance(part, Reasoning):
            if part.raw is not None and part.raw.get("type") in NATIVE_CALLS:
                yield from thoughts
                thoughts = []
                yield dict(part.raw)
            elif part.raw is not None and _replayable(part.raw):
                thoughts.append(dict(part.raw))
        elif (item := _item(part, message.role)) is not None:
            yield from thoughts
            thoughts = []
            yield item


def _item(part: Text | ToolCall | ToolResult, role: Role) -> JsonObject | None:
    match part:
        case ToolResult():
            return {"type": "function_call_output", "call_id": part.call_id, "output": _result(part)}
        case ToolCall():
            return {"type": "function_call", "call_id": part.id, "name": part.name, "arguments": _arguments(part)}
        case Text(text=text):
            return {"role": "assistant" if role == "assistant" else "user", "content": text} if text else None
        case _:
            assert_never(part)


def _replayable(raw: FrozenJson) -> bool:
    """Whether a block is a reasoning item that holds its reasoning: a bare name would be looked for and not found."""
    return raw.get("type") == "reasoning" and bool(raw.get("encrypted_content") or raw.get("content"))


def _system(request: ChatRequest) -> str:
    """The prompt, stable sections first: the service keeps what it knows of the beginning of earlier requests."""
    sections = sorted(request.system, key=lambda section: not section.stable)
    return "\n\n".join(section.text for section in sections if section.text)


def _result(part: ToolResult) -> str:
    return f"Error: {part.text}" if part.is_error else part.text  # there is no mark for a failure


def _arguments(call: ToolCall) -> str:
    return dumps(dict(call.args)).decode()


def _check(request: ChatRequest) -> None:
    """Hold a history against the rules on who speaks last and what answers which call."""
    wrong = f"the history for the model {request.model!r}"
    if not request.messages or request.messages[-1].role == "assistant":
        raise InvalidInput(f"{wrong} does not end with a message of the user's")
    awaited: set[CallId] = set()
    for message in request.messages:
        results = [part.call_id for part in message.parts if isinstance(part, ToolResult)]
        for call_id in results:
            if call_id not in awaited:
                raise InvalidInput(f"{wrong} has a result for {call_id!r} that does not follow its tool call")
            awaited.remove(call_id)
        if awaited and (message.role == "assistant" or message.text):
            raise InvalidInput(f"{wrong} has no result for the tool call {min(awaited)!r}")
        awaited.update(call.id for call in message.calls)
    if awaited:
        raise InvalidInput(f"{wrong} has no result for the tool call {min(awaited)!r}")
