"""Why a turn waits before another attempt, in words for people. Pure."""

from __future__ import annotations

from typing import Final

LEFT_ALONE: Final = "left_alone"
"""The stable word for a service whose circuit breaker is open: no request was made."""
TOOL_FAILED: Final = "tool_failed"
"""The stable word for a tool's failure that may pass."""

WHY: Final = {
    "provider_unreachable": "the model's service does not answer",
    "provider_transient": "the model's service is overloaded or broke off",
    "provider_error": "the model's service sent what cannot be understood",
    "provider_protocol": "the model's service broke off its reply",
    "context_too_long": "the request was too long",
    "tools_refused": "the model takes no tools: it answers without them from now on",
    "unavailable": "something that is needed does not answer",
    "busy": "something that is needed is busy",
    "crashed": "the daemon was cut off",
    LEFT_ALONE: "the model's service failed too often and is left alone for now",
    TOOL_FAILED: "a tool failed",
}
"""What the words of failures that pass mean."""


def why(reason: str) -> str:
    """A stable word for people.

    Args:
        reason: of `RUN_WAITING` or `MODEL_ABANDONED`.
    """
    return WHY.get(reason, reason or "it came to nothing")


def lasting(seconds: float) -> str:
    """A time for people, e.g. ``90 s`` or ``3 min 20 s``."""
    whole = int(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60} s"


def waiting_words(reason: str, wait_s: float, said: str = "") -> str:
    """What a turn waits for, and until when.

    Args:
        reason: the stable word for it.
        wait_s: how long from now; nothing for at once.
        said: what failed, as `RUN_WAITING` says it; empty where it says no more than the reason.
    """
    return f"{said or why(reason)}; again in {lasting(wait_s)}" if wait_s else why(reason)
