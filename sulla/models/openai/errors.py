"""What the failures of OpenAI's API, and of the servers that speak it, mean to us. Pure."""

from __future__ import annotations

from typing import Final, TypedDict

from sulla.core.errors import (
    ContextTooLong,
    ProviderError,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ToolsRefused,
)
from sulla.models.wire.advice import Advice, advice_on
from sulla.models.wire.failures import refuses_tools
from sulla.models.wire.json import shortened

ADVICE: Final = advice_on("OPENAI_API_KEY")
"""What to do where nobody has said where the key and the model's name come from."""

_TOO_LONG = (
    "context_length_exceeded",
    "maximum context length",  # OpenAI, vLLM
    "maximum model length",  # vLLM
    "exceed_context_size",  # llama.cpp
    "exceeds the available context size",  # llama.cpp
    "greater than the context length",  # LM Studio
    "context window",
)
_REFUSALS = (400, 404, 422, 500, 501)
"""With these services refuse tools: OpenRouter with 404, llama.cpp with 500."""
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")
_TRANSIENT = ("server_error", "rate_limit", "internal", "overloaded", "timeout", "unavailable", "slow_down")
_REJECTED = ("invalid", "bad_request", "badrequest", "not_found", "notfound", "not_supported", "policy")


class WireError(TypedDict, total=False):
    """What a service says of a failure; servers differ in which of these they give, and as what."""

    message: str
    type: str
    code: str | int


def status_error(
    model: str, status: int, kind: str, said: str, retry_after_s: float | None = None, advice: Advice = ADVICE
) -> ProviderError:
    """The error for an answer with a failing HTTP status.

    Args:
        model: who was asked.
        status: 400 to 599.
        kind: the service's own code or type, e.g. ``rate_limit_exceeded``; empty if it gave none.
        said: the service's own words.
        retry_after_s: how long it asks to wait, in seconds.
        advice: what to do about the key and the name.
    """
    where = f"the OpenAI API answered {status} for the model"
    return _classified(where, model, status, kind, said, retry_after_s, advice)


def stream_error(model: str, error: WireError) -> ProviderError:
    """The error for a failure inside a stream that began well.

    Args:
        model: who was asked.
        error: as it came; a code that is a number is an HTTP status.
    """
    code, kind = error.get("code"), str(error.get("type") or "")
    said = str(error.get("message") or "")
    where = "the OpenAI API broke off the reply of the model"
    if type(code) is int and 400 <= code <= 599:
        return _classified(where, model, code, kind, said, None)
    words = f"{code or ''} {kind}".lower()
    if _is_too_long(words, said):
        return _classified(where, model, 400, words, said, None)
    if any(word in words for word in _NO_CREDIT):
        return _classified(where, model, 429, words, said, None)
    if any(word in words for word in _TRANSIENT):
        return _classified(where, model, 500, words, said, None)
    if any(word in words for word in _REJECTED):
        return _classified(where, model, 400, words, said, None)
    return ProviderProtocol(f"{where} {model!r}: {shortened(said or words)}. Nothing of it counts")


def said_of(body: object) -> str:
    """A service's words in the body of a failed answer; empty if there are none.

    Args:
        body: parsed, without the ``error`` around it that most servers send; text if it was no JSON.
    """
    if isinstance(body, dict):
        body = body.get("message")
    return body if isinstance(body, str) else ""


def _classified(
    where: str,
    model: str,
    status: int,
    kind: str,
    said: str,
    retry_after_s: float | None,
    advice: Advice = ADVICE,
) -> ProviderError:
    where = f"{where} {model!r}: {shortened(said or kind)}"
    if status in (401, 403):
        return ProviderUnauthorized(f"{where}. {advice.key}")
    if status == 413 or (status in (400, 422, 500) and _is_too_long(kind, said)):
        return ContextTooLong(f"{where}. Send a shorter history")
    if status in _REFUSALS and refuses_tools(said):
        return ToolsRefused(f"{where}. Without tools it may answer")
    if any(word in kind for word in _NO_CREDIT):
        return ProviderRejected(f"{where}. Waiting does not help: look at the account's credit")
    if status in (408, 429) or status >= 500:
        return ProviderTransient(f"{where}. The same request may succeed later", retry_after_s=retry_after_s)
    if status == 404:
        return ProviderRejected(f"{where}. Check the model's name in {advice.named_in}, and OPENAI_BASE_URL")
    return ProviderRejected(f"{where}. The request has to change before it can succeed")


def _is_too_long(kind: str, said: str) -> bool:
    words = f"{kind} {said}".lower()
    return any(phrase in words for phrase in _TOO_LONG)
