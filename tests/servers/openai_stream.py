"""What a server of OpenAI's API sends, byte by byte, in both of its forms, and what it refuses. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from sulla.core.jsontypes import Json, JsonObject
from tests.servers.playing import Event, cut
from tests.servers.script import Asked, Failure, Reply

DONE = b"data: [DONE]\n\n"


def asked_of(body: JsonObject) -> Asked:
    """What a request's script rules look at, in either form."""
    results = 0
    for item in reversed(_objects(body.get("messages") or body.get("input"))):
        if item.get("role") == "user":
            return Asked(str(item.get("content")), results)
        results += item.get("role") == "tool" or item.get("type") == "function_call_output"
    return Asked("", results)


def fault_of(body: JsonObject) -> str | None:
    """Why the service would refuse a request with status 400; None if it would not."""
    if not isinstance(body.get("model"), str):
        return "you must provide a model parameter"
    items = _objects(body.get("messages") or body.get("input"))
    if not items:
        return "Invalid 'messages': empty array"
    awaited: list[Json] = []
    for place, item in enumerate(items):
        call = item.get("call_id") or item.get("tool_call_id")
        if item.get("role") == "tool" or item.get("type") == "function_call_output":
            if call not in awaited:
                return f"messages.{place}: no tool call found for the output with the id {call!r}"
            awaited.remove(call)
        elif item.get("type") == "function_call":
            awaited.append(call)
        elif awaited and item.get("role"):
            return f"messages.{place}: an assistant message with 'tool_calls' must be followed by tool messages"
        awaited += [one.get("id") for one in _objects(item.get("tool_calls"))]
    return f"no tool output found for the call {awaited[0]!r}" if awaited else _choice_fault(body)


def _choice_fault(body: JsonObject) -> str | None:
    choice = body.get("tool_choice", "auto")
    functions = [tool.get("function", tool) for tool in _objects(body.get("tools"))]
    names = [function.get("name") for function in functions if isinstance(function, dict)]
    if choice in ("auto", "none"):
        return None
    if not names:
        return "'tool_choice' is only allowed when 'tools' are specified"
    if choice == "required":
        return None
    if not isinstance(choice, dict) or choice.get("type") != "function":
        return f"Invalid value for 'tool_choice': {choice!r}"
    named = choice.get("function") if "messages" in body else choice
    name = named.get("name") if isinstance(named, dict) else None
    return None if name in names else f"Tool choice {name!r} not found in 'tools'"


def chat_events(reply: Reply, body: JsonObject, identity: str) -> Iterator[Event]:
    """A chat completion, chunk by chunk.

    Args:
        reply: what to say.
        body: the request.
        identity: goes into every id, so that the same request gets the same ones.
    """
    head: JsonObject = {"id": f"chatcmpl-{identity}", "object": "chat.completion.chunk", "created": 1}
    head["model"] = body.get("model")

    def chunk(delta: JsonObject, reason: str | None = None) -> bytes:
        choices: list[Json] = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return _data({**head, "choices": choices})

    yield Event(chunk({"role": "assistant", "content": ""}))
    for piece in cut(reply.thinking, reply.pieces):
        yield Event(chunk({"reasoning_content": piece}))
    for piece in cut(reply.text, reply.pieces):
        yield Event(chunk({"content": piece}), shows_text=True)
    for index, tool in enumerate(reply.tools):
        first: JsonObject = {"index": index, "id": f"call_{identity}_{index}", "type": "function"}
        yield Event(chunk({"tool_calls": [{**first, "function": {"name": tool.name, "arguments": ""}}]}))
        for piece in cut(tool.raw or orjson.dumps(tool.args).decode(), 3):
            yield Event(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    if reply.broken:
        yield Event(reply.broken.encode())
        return
    yield Event(chunk({}, reply.stop or ("tool_calls" if reply.tools else "stop")))
    read, written = _counts(reply, body)
    usage: JsonObject = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    yield Event(_data({**head, "choices": [], "usage": usage}))
    yield Event(DONE)


def responses_events(reply: Reply, body: JsonObject, identity: str) -> Iterator[Event]:
    """A reply of the Responses API, event by event; arguments as for `chat_events`."""
    response: JsonObject = {"id": f"resp_{identity}", "object": "response", "status": "in_progress", "output": []}
    yield Event(_event("response.created", {"response": response}))
    output: list[Json] = []
    for index, (item, kind, pieces) in enumerate(_items(reply, identity)):
        yield Event(_event("response.output_item.added", {"output_index": index, "item": _empty(item)}))
        for piece in pieces:
            place: JsonObject = {"output_index": index, "item_id": item["id"], "delta": piece}
            yield Event(_event(kind, place), shows_text=kind == "response.output_text.delta")
        yield Event(_event("response.output_item.done", {"output_index": index, "item": item}))
        output.append(item)
    if reply.broken:
        yield Event(reply.broken.encode())
        return
    read, written = _counts(reply, body)
    response["output"] = output
    response["usage"] = {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
    if reply.stop:
        response |= {"status": "incomplete", "incomplete_details": {"reason": reply.stop}}
        yield Event(_event("response.incomplete", {"response": response}))
    else:
        response["status"] = "completed"
        yield Event(_event("response.completed", {"response": response}))


def error_body(failure: Failure) -> bytes:
    """A failure as the service words it."""
    kind = failure.kind or ("server_error" if failure.status >= 500 else "invalid_request_error")
    error: JsonObject = {"message": failure.message, "type": kind, "param": None, "code": None}
    return orjson.dumps({"error": error})


def error_event(failure: Failure) -> bytes:
    """A failure inside a stream."""
    return b"data: " + error_body(failure) + b"\n\n"


def _items(reply: Reply, identity: str) -> Iterator[tuple[JsonObject, str, list[str]]]:
    """Each item as it is in the end, the kind of the events that bring it, and what they bring."""
    if reply.thinking:
        summary: list[Json] = [{"type": "summary_text", "text": reply.thinking}]
        secret = f"enc_{identity}"
        item: JsonObject = {
            "id": f"rs_{identity}",
            "type": "reasoning",
            "summary": summary,
            "encrypted_content": secret,
        }
        yield item, "response.reasoning_summary_text.delta", cut(reply.thinking, reply.pieces)
    for found in reply.native:
        yield found, "", []
    if reply.text:
        content: list[Json] = [{"type": "output_text", "text": reply.text, "annotations": []}]
        item = {"id": f"msg_{identity}", "type": "message", "role": "assistant", "status": "completed"}
        yield {**item, "content": content}, "response.output_text.delta", cut(reply.text, reply.pieces)
    for index, tool in enumerate(reply.tools):
        arguments = tool.raw or orjson.dumps(tool.args).decode()
        item = {"id": f"fc_{identity}_{index}", "type": "function_call", "status": "completed", "name": tool.name}
        item |= {"call_id": f"call_{identity}_{index}", "arguments": arguments}
        yield item, "response.function_call_arguments.delta", cut(arguments, 3)


def _empty(item: JsonObject) -> JsonObject:
    """An item as it begins."""
    blank: JsonObject = {"content": [], "summary": [], "arguments": "", "encrypted_content": None}
    begun: JsonObject = {name: blank.get(name, value) for name, value in item.items()}
    return {**begun, "status": "in_progress"}


def _counts(reply: Reply, body: JsonObject) -> tuple[int, int]:
    """Tokens read and written: four bytes make one."""
    return len(orjson.dumps(body)) // 4, (len(reply.text) + len(reply.thinking)) // 4 + 10 * len(reply.tools) + 1


def _data(value: JsonObject) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _event(kind: str, rest: JsonObject) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **rest})


def _objects(value: Json) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
