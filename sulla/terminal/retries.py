"""What people are told of a model call that came to nothing and is made again. Pure."""

from __future__ import annotations

from typing import Any, Final

WHY: Final = {
    "provider_unreachable": "the model's service does not answer",
    "provider_transient": "the model's service is overloaded or broke off",
    "provider_error": "the model's service sent what cannot be understood",
    "provider_protocol": "the model's service broke off its reply",
    "context_too_long": "the request was too long",
    "unavailable": "something that is needed does not answer",
    "busy": "something that is needed is busy",
    "crashed": "the daemon was cut off",
}
"""What the codes of failures that pass mean."""


def why(data: dict[str, Any]) -> str:
    """Why a call came to nothing.

    Args:
        data: a MODEL_ABANDONED event's.
    """
    reason = str(data.get("reason", ""))
    return WHY.get(reason, reason or "it came to nothing")


def retry_line(data: dict[str, Any]) -> str:
    """The line that tells of the next attempt; empty if there is none, or if it is made at once
    and nothing is different then.

    Args:
        data: a MODEL_ABANDONED event's.
    """
    if data.get("reason") == "tools_refused" and data.get("retry_in_s") is not None:
        return "[the model takes no tools: it answers without them from now on]"
    wait_s = float(data.get("retry_in_s") or 0.0)
    return f"[{why(data)}; again in {lasting(wait_s)}; Ctrl-C stops]" if wait_s else ""


def lasting(seconds: float) -> str:
    """A time for people."""
    whole = int(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60} s"
