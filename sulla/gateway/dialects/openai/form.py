"""What a chat completion asks for, read as OpenAI's API reads it, and refused in its words. Pure."""

from __future__ import annotations

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.dialects.conversation import ChatMessage
from sulla.gateway.problems import Headers, Malformed, Problem
from sulla.gateway.rpc import show
from sulla.rpc.limits import ID_CHARS

MESSAGES = 10_000
"""Of one request; more are refused. The body's limit is felt long before."""
IGNORED = frozenset(
    """audio frequency_penalty logit_bias max_completion_tokens max_tokens metadata moderation parallel_tool_calls
    prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort
    safety_identifier seed service_tier store temperature tools functions top_logprobs top_p verbosity
    web_search_options
    cache_prompt chat_template_kwargs keep_alive min_p mirostat num_ctx options repeat_penalty repetition_penalty
    think top_k typical_p""".split()
)
"""What only tunes a model, or offers it something: an agent has its own. The last two lines are what other servers of
this form take.
"""
_KNOWN = IGNORED | frozenset(
    """model messages stream stream_options n stop logprobs response_format modalities tool_choice function_call user
    thread_id sulla_tools""".split()
)
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


@dataclass(frozen=True, slots=True)
class Completion:
    """What is asked for."""

    model: str
    messages: tuple[ChatMessage, ...]
    stream: bool
    usage: bool
    """Whether a stream is to end with the tokens."""
    user: str
    """Whom the client speaks for, if it says so."""
    thread: str
    """An extension: the conversation's thread, or the client's own name for it; empty for none."""
    tools: bool
    """An extension: whether the calls of tools are to be told."""


def error_body(problem: Problem) -> bytes:
    """An error in OpenAI's form."""
    usual = "server_error" if problem.status >= 500 else "invalid_request_error"
    error: JsonObject = {
        "message": problem.message,
        "type": _TYPES.get(problem.status, usual),
        "param": problem.param or None,
        "code": "invalid_api_key" if problem.status == 401 else problem.code,
    }
    return orjson.dumps({"error": error})


def error_headers(problem: Problem) -> Headers:
    """What OpenAI's libraries go by: they would make a request again that can only be refused again."""
    return [(b"x-should-retry", b"true" if problem.retryable else b"false")]


def read_completion(body: JsonObject) -> Completion:
    """What a request's body says.

    Raises:
        Malformed: it is not what OpenAI's API takes, or asks for an answer of a form that no agent gives.
    """
    if unknown := sorted(set(body) - _KNOWN):
        raise _wrong("unknown_parameter", f"Unrecognized request argument supplied: {unknown[0][:80]}", "")
    _check_form(body)
    stream = _bool(body, "stream")
    options = body.get("stream_options")
    if options is not None and not isinstance(options, dict):
        raise _wrong("invalid_type", f"stream_options: got {show(options)}, expected an object", "stream_options")
    if options is not None and not stream:
        message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise _wrong("invalid_request", message, "stream_options")
    return Completion(
        model=_text(body, "model", needed=True),
        messages=_messages(body.get("messages")),
        stream=stream,
        usage=_bool(options or {}, "include_usage"),
        user=_text(body, "user"),
        thread=_text(body, "thread_id"),
        tools=_bool(body, "sulla_tools"),
    )


def _check_form(body: JsonObject) -> None:
    """See whether an answer of another form is wanted than a text."""
    n = body.get("n")
    if n is not None and (isinstance(n, bool) or n != 1):
        raise _unsupported("n", "an agent gives one answer: leave it out, or say 1")
    if body.get("logprobs") not in (None, False):
        raise _unsupported("logprobs", "an agent's answer has none")
    if body.get("stop") not in (None, "", []):
        raise _unsupported("stop", "an agent says itself when it is done")
    form = body.get("response_format")
    if form is not None and not (isinstance(form, dict) and form.get("type") == "text"):
        raise _unsupported("response_format", "an agent answers in text")
    modalities = body.get("modalities")
    if modalities is not None and modalities != ["text"]:
        raise _unsupported("modalities", "an agent answers in text")
    for name in ("tool_choice", "function_call"):
        if body.get(name) not in (None, "auto", "none"):
            raise _unsupported(name, "an agent uses its own tools, and hands no calls to the client")


def _messages(value: Json) -> tuple[ChatMessage, ...]:
    if value is None:
        raise _wrong("missing_required_parameter", "Missing required parameter: 'messages'.", "messages")
    if not isinstance(value, list):
        raise _wrong("invalid_type", f"messages: got {show(value)}, expected a list", "messages")
    if not value:
        message = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array."
        raise _wrong("empty_array", message, "messages")
    if len(value) > MESSAGES:
        raise _wrong("array_above_max_length", f"messages: got {len(value)}, expected at most {MESSAGES}", "messages")
    newest = len(value) - 1
    found = [_message(place, item, newest=place == newest) for place, item in enumerate(value)]
    if found[-1].role != "user":
        place = f"messages.[{len(found) - 1}].role"
        said = "the last message has to be the user's: agents go on with nobody else's words, and use their own tools"
        raise _wrong("invalid_value", f"{place}: got {found[-1].role!r}; {said}", place)
    return tuple(found)


def _message(place: int, item: Json, *, newest: bool) -> ChatMessage:
    where = f"messages.[{place}]"
    if not isinstance(item, dict):
        raise _wrong("invalid_type", f"{where}: got {show(item)}, expected an object", where)
    role = item.get("role")
    if role == "developer":
        role = "system"
    if role == "function":
        role = "tool"
    if not isinstance(role, str) or role not in ("system", "user", "assistant", "tool"):
        expected = "'system', 'developer', 'user', 'assistant', 'tool' or 'function'"
        raise _wrong("invalid_value", f"{where}.role: got {show(role)}, expected {expected}", f"{where}.role")
    return ChatMessage(role, _content(item.get("content"), role, f"{where}.content", newest=newest))


def _content(value: Json, role: str, where: str, *, newest: bool) -> str:
    """What of a message can be read.

    The newest one is refused if that is not all. Of an older one it is said what was there: its client tells it again
    with every request, so the conversation could never go on.
    """
    if value is None and role in ("assistant", "tool"):
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise _wrong("invalid_type", f"{where}: got {show(value)}, expected a string or a list of parts", where)
    texts = list[str]()
    for place, part in enumerate(value):
        kind, said = (
            (part.get("type"), part.get("text", part.get("refusal"))) if isinstance(part, dict) else (None, None)
        )
        if kind in ("text", "refusal") and isinstance(said, str):
            texts.append(said)
        elif isinstance(kind, str) and kind not in ("text", "refusal") and not newest:
            texts.append(f"(Left out: {show(kind)}.)")
        else:
            got = show(kind) if isinstance(kind, str) else show(part)
            message = f"{where}.[{place}]: got {got}: agents read text, and no images, sounds or files"
            raise _wrong("invalid_value", message, f"{where}.[{place}]")
    return "\n".join(texts)


def _text(body: JsonObject, name: str, *, needed: bool = False) -> str:
    value = body.get(name)
    if value is None and needed:
        raise _wrong("missing_required_parameter", f"Missing required parameter: '{name}'.", name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 4 * ID_CHARS or (needed and not value):
        expected = f"a string of {'1 to' if needed else 'at most'} {4 * ID_CHARS} characters"
        raise _wrong("invalid_type", f"{name}: got {show(value)}, expected {expected}", name)
    return value


def _bool(body: JsonObject, name: str) -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise _wrong("invalid_type", f"{name}: got {show(value)}, expected true or false", name)
    return bool(value)


def _unsupported(name: str, why: str) -> Malformed:
    return _wrong("unsupported_value", f"Unsupported value: '{name}' is not supported with this model: {why}.", name)


def _wrong(code: str, message: str, param: str) -> Malformed:
    return Malformed(400, code, message, param)
