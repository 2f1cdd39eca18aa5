"""What Anthropic's service sends, byte by byte, and the rules by which it refuses a request. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import orjson

from sulla.core.jsontypes import Json, JsonObject
from tests.servers.playing import Event, cut
from tests.servers.script import Asked, Failure, Reply

_ALWAYS_THINK = ("claude-fable-", "claude-mythos-", "claude-opus-5-5")


def body_hash(body: bytes) -> str:
    """What tells one request from another."""
    return blake2b(body, digest_size=8).hexdigest()


def asked_of(body: JsonObject) -> Asked:
    """What a request's script rules look at."""
    results = 0
    for message in reversed(_objects(body.get("messages"))):
        blocks = _blocks(message)
        texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
        if message.get("role") == "user" and texts:
            return Asked("\n".join(texts), results)
        results += sum(block.get("type") == "tool_result" for block in blocks)
    return Asked("", results)


def count_tokens(body: JsonObject) -> int:
    """The fake's rule: four bytes make a token."""
    return len(orjson.dumps([body.get("system"), body.get("tools"), body.get("messages")])) // 4


def events(reply: Reply, body: JsonObject, identity: str) -> Iterator[Event]:
    """A streamed reply, event by event.

    Args:
        reply: what to say.
        body: the request.
        identity: goes into every id, so that the same request gets the same ones.
    """
    usage: JsonObject = {
        "input_tokens": count_tokens(body),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 1,
    }
    message: JsonObject = {
        "id": f"msg_{identity}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield _event("message_start", {"message": message})
    yield _event("ping", {})
    yield from _content(reply, identity)
    if reply.broken:
        yield Event(reply.broken.encode())
        return
    stop = reply.stop or ("tool_use" if reply.tools else "end_turn")
    output = (len(reply.text) + len(reply.thinking)) // 4 + 10 * len(reply.tools) + 1
    delta: JsonObject = {"stop_reason": stop, "stop_sequence": None}
    yield _event("message_delta", {"delta": delta, "usage": {"output_tokens": output}})
    yield _event("message_stop", {})


def error_body(failure: Failure) -> bytes:
    """A failure as the service words it."""
    error: JsonObject = {"type": failure.kind or _kind(failure.status), "message": failure.message}
    return orjson.dumps({"type": "error", "error": error})


def error_event(failure: Failure) -> bytes:
    """A failure inside a stream."""
    return b"event: error\ndata: " + error_body(failure) + b"\n\n"


def _content(reply: Reply, identity: str) -> Iterator[Event]:
    index = 0
    if reply.thinking:
        yield _start(index, {"type": "thinking", "thinking": "", "signature": ""})
        for piece in cut(reply.thinking, reply.pieces):
            yield _delta(index, {"type": "thinking_delta", "thinking": piece})
        yield _delta(index, {"type": "signature_delta", "signature": f"sig_{identity}"})
        yield _event("content_block_stop", {"index": index})
        index += 1
    for block in reply.native:
        called = block["type"] == "server_tool_use"
        yield _start(index, {**block, "input": {}} if called else block)
        if called:
            yield _delta(index, {"type": "input_json_delta", "partial_json": orjson.dumps(block["input"]).decode()})
        yield _event("content_block_stop", {"index": index})
        index += 1
    if reply.text:
        yield _start(index, {"type": "text", "text": ""})
        for piece in cut(reply.text, reply.pieces):
            yield Event(_delta(index, {"type": "text_delta", "text": piece}).data, shows_text=True)
        yield _event("content_block_stop", {"index": index})
        index += 1
    for place, tool in enumerate(reply.tools):
        content: JsonObject = {"type": "tool_use", "id": f"toolu_{identity}_{place}", "name": tool.name, "input": {}}
        yield _start(index, content)
        yield _delta(index, {"type": "input_json_delta", "partial_json": ""})
        if tool.args or tool.raw:
            for piece in cut(tool.raw or orjson.dumps(tool.args).decode(), 3):
                yield _delta(index, {"type": "input_json_delta", "partial_json": piece})
        yield _event("content_block_stop", {"index": index})
        index += 1


def _start(index: int, content: JsonObject) -> Event:
    return _event("content_block_start", {"index": index, "content_block": content})


def _delta(index: int, delta: JsonObject) -> Event:
    return _event("content_block_delta", {"index": index, "delta": delta})


def _event(kind: str, rest: JsonObject) -> Event:
    return Event(f"event: {kind}\ndata: ".encode() + orjson.dumps({"type": kind, **rest}) + b"\n\n")


def _kind(status: int) -> str:
    kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large",
             429: "rate_limit_error", 529: "overloaded_error"}  # fmt: skip
    return kinds.get(status, "invalid_request_error" if status < 500 else "api_error")


def _objects(value: Json) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _blocks(message: JsonObject) -> list[JsonObject]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else _objects(content)


def fault_of(body: JsonObject) -> str | None:
    """Why the service would refuse a request with status 400, in words like its own; None if it would not."""
    for name, kind in (("model", str), ("max_tokens", int), ("messages", list)):
        if not isinstance(body.get(name), kind):
            return f"{name}: Field required"
    messages = _objects(body["messages"])
    if not messages:
        return "messages: at least one message is required"
    if messages[0].get("role") != "user":
        return "messages: first message must use the user role"
    if messages[-1].get("role") != "user":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    if _marks(body) > 4:
        return "A maximum of 4 blocks with cache_control may be provided."
    return _choice_fault(body) or _pairs_fault(messages) or _text_fault(body, messages)


def _choice_fault(body: JsonObject) -> str | None:
    choice, thinking = body.get("tool_choice"), body.get("thinking")
    if not isinstance(choice, dict) or choice.get("type") not in ("any", "tool"):
        return None
    model = str(body.get("model"))
    if any(name in model for name in _ALWAYS_THINK):
        return "tool_choice: forced tool use is not supported on this model."
    if not isinstance(thinking, dict) or thinking.get("type") != "disabled":  # the newer models think unless told
        return "Thinking may not be enabled when tool_choice forces tool use."
    output = body.get("output_config")
    if isinstance(output, dict) and output.get("effort") in ("xhigh", "max"):
        return "output_config.effort is not supported when thinking is disabled on this model."
    names = [tool.get("name") for tool in _objects(body.get("tools"))]
    if choice.get("type") == "tool" and choice.get("name") not in names:
        return f"Tool '{choice.get('name')}' not found in provided tools"
    return None


def _pairs_fault(messages: list[JsonObject]) -> str | None:
    awaited: list[Json] = []
    for place, message in enumerate(messages):
        blocks = _blocks(message)
        results = [block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"]
        if missing := [call for call in awaited if call not in results]:
            return (
                f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {missing}"
            )
        if unknown := [call for call in results if call not in awaited]:
            return f"messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {unknown}"
        if any(block.get("type") == "tool_result" for block in blocks[len(results) :]):
            return f"messages.{place}: `tool_result` blocks must come first"
        awaited = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
        if len(set(map(str, awaited))) < len(awaited):
            return f"messages.{place}: `tool_use` ids must be unique"
    return None


def _text_fault(body: JsonObject, messages: list[JsonObject]) -> str | None:
    for message in messages:
        blocks = _blocks(message)
        if not blocks:
            return "messages: all messages must have non-empty content"
        if any(block.get("type") == "text" and not str(block.get("text")).strip() for block in blocks):
            return "messages: text content blocks must contain non-whitespace text"
        if message.get("role") not in ("user", "assistant"):
            return f"messages: unexpected role {message.get('role')!r}"
    if any(not str(block.get("text")).strip() for block in _objects(body.get("system"))):
        return "system: text content blocks must be non-empty"
    return None


def _marks(body: JsonObject) -> int:
    groups = [_objects(body.get("system")), _objects(body.get("tools")), *map(_blocks, _objects(body["messages"]))]
    return sum("cache_control" in block for group in groups for block in group)
