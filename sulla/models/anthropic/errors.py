"""What Anthropic's failures mean to us. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import (
    ContextTooLong,
    ProviderError,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
)
from sulla.models.wire.advice import Advice, advice_on
from sulla.models.wire.json import shortened

ADVICE: Final = advice_on("ANTHROPIC_API_KEY")
"""What to do where nobody has said where the key and the model's name come from."""

_TOO_LONG = ("prompt is too long", "exceed context limit", "exceeds the maximum number of tokens")
_UNAUTHORIZED = ("authentication_error", "permission_error")
_TRANSIENT = ("rate_limit_error", "overloaded_error", "api_error", "timeout_error")
_TOO_LARGE = "request_too_large"


def status_error(
    model: str, status: int, kind: str, said: str, retry_after_s: float | None = None, advice: Advice = ADVICE
) -> ProviderError:
    """The error for an answer with a failing HTTP status.

    Args:
        model: who was asked.
        status: 400 to 599.
        kind: the service's own error type, e.g. ``overloaded_error``; empty if it gave none.
        said: the service's own words.
        retry_after_s: how long it asks to wait, in seconds.
        advice: what to do about the key and the name.
    """
    words = shortened(said or kind)
    where = f"Anthropic answered {status} for the model {model!r}: {words}"
    if status in (401, 403) or kind in _UNAUTHORIZED:
        return ProviderUnauthorized(f"{where}. {advice.key}")
    if status in (408, 429) or status >= 500:
        return ProviderTransient(f"{where}. The same request may succeed later", retry_after_s=retry_after_s)
    if status == 413 or (status == 400 and is_too_long(said)):
        return ContextTooLong(f"{where}. Send a shorter history")
    if status == 404:
        return ProviderRejected(f"{where}. Check the model's name in {advice.named_in}")
    return ProviderRejected(f"{where}. The request has to change before it can succeed")


def stream_error(model: str, kind: str, said: str) -> ProviderError:
    """The error for an ``error`` event inside a stream that began well."""
    where = f"Anthropic broke off the reply of the model {model!r}: {shortened(said or kind)}"
    if kind in _TRANSIENT:
        return ProviderTransient(f"{where}. The same request may succeed later")
    if kind in _UNAUTHORIZED:
        return ProviderUnauthorized(f"{where}. {ADVICE.key}")
    if kind == _TOO_LARGE or is_too_long(said):
        return ContextTooLong(f"{where}. Send a shorter history")
    if kind:
        return ProviderRejected(f"{where}. The request has to change before it can succeed")
    return ProviderProtocol(f"{where}. Nothing of it counts")


def is_too_long(said: str) -> bool:
    """Whether the service complains that the request is longer than the model's window."""
    lowered = said.lower()
    return any(phrase in lowered for phrase in _TOO_LONG)
