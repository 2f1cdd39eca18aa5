"""What follows a failure: wait and ask again, make the request smaller, or give up (seed 001, design §6). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import (
    Aborted,
    Busy,
    ContextTooLong,
    ProviderError,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ShuttingDown,
    StoreUnavailable,
    SullaError,
    Unavailable,
)

FailureClass = Literal["transient", "tool_error", "llm_error", "context_limit", "permanent", "human_rejected"]

WhyNot = Literal["permanent", "human_rejected", "text_shown", "not_repeatable", "exhausted", "deadline"]

BACKOFF_S: Final = (10.0, 30.0, 90.0)
"""How long to wait after the first, second and third failure (seed 001)."""

RETRIES: Final[Mapping[FailureClass, int]] = {
    "transient": 3,
    "tool_error": 2,
    "llm_error": 1,
    "context_limit": 1,
    "permanent": 0,
    "human_rejected": 0,
}
"""How often something is tried again after failures of one class (seed 001)."""

MAX_ATTEMPTS: Final = 4
"""How often something is tried in all, whatever the classes of its failures."""

JITTER: Final = 0.2
"""By what part a wait is lengthened at the most. Never shortened: a service that asked for a time gets it."""

MIN_WAIT_S: Final = 1.0
"""The shortest wait, also when a service says that it may be asked again at once."""

_TABLE: Final[Mapping[type[SullaError], FailureClass]] = {
    SullaError: "permanent",
    Busy: "transient",
    Unavailable: "transient",
    # The store waits and tries again by itself; a second loop around it would multiply the attempts.
    StoreUnavailable: "permanent",
    ShuttingDown: "permanent",
    ProviderError: "llm_error",
    ProviderTransient: "transient",
    ProviderRejected: "permanent",
    ContextTooLong: "context_limit",
    ProviderUnauthorized: "permanent",
}
"""The class of an error is that of the nearest of its bases that stands here."""

_BY_A_PERSON = frozenset({"stopped", "interrupted", "barged_in"})


@dataclass(frozen=True, slots=True)
class RetryWait:
    """Try the same again after this time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Compress:
    """Make the request smaller and try at once."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Try no more."""

    reason: WhyNot


NextTry = RetryWait | Compress | GiveUp


def classify(error: SullaError) -> FailureClass:
    """The failure class of an error.

    A failed tool says so in its result and raises nothing: who runs it names the class ``tool_error`` itself.

    Args:
        error: what was raised.
    """
    if isinstance(error, Aborted) and error.reason in _BY_A_PERSON:
        return "human_rejected"
    return next(_TABLE[base] for base in type(error).__mro__ if base in _TABLE)


def next_try(
    failures: Sequence[FailureClass],
    *,
    remaining_s: float,
    jitter: float,
    retry_after_s: float | None = None,
    shown_text: bool = False,
    safe_to_repeat: bool = False,
) -> NextTry:
    """What to do after the latest failure.

    Args:
        failures: the classes of all failures of this call, oldest first; the latest is the last. Not empty.
        remaining_s: seconds until the run's deadline.
        jitter: a random number from 0 to 1.
        retry_after_s: seconds that the service asked to wait; it takes the place of our own figure.
        shown_text: whether people saw text of an attempt that failed. Another attempt would show it twice.
        safe_to_repeat: whether the tool is pure or idempotent; looked at for ``tool_error`` only.

    Returns:
        A wait always ends before the deadline.
    """
    latest = failures[-1]
    refusal = _refusal(failures, shown_text=shown_text, safe_to_repeat=safe_to_repeat)
    if refusal is not None:
        return GiveUp(refusal)
    if latest == "context_limit":
        return Compress() if remaining_s > 0 else GiveUp("deadline")
    asked_s = BACKOFF_S[len(failures) - 1] if retry_after_s is None else max(retry_after_s, MIN_WAIT_S)
    wait_s = asked_s * (1.0 + JITTER * min(max(jitter, 0.0), 1.0))
    # Said this way round, a figure that is no number gives up too.
    return RetryWait(wait_s) if wait_s < remaining_s else GiveUp("deadline")


def _refusal(failures: Sequence[FailureClass], *, shown_text: bool, safe_to_repeat: bool) -> WhyNot | None:
    latest = failures[-1]
    if latest == "permanent" or latest == "human_rejected":
        return latest
    if shown_text:
        return "text_shown"
    if latest == "tool_error" and not safe_to_repeat:
        return "not_repeatable"
    if len(failures) >= MAX_ATTEMPTS or failures.count(latest) > RETRIES[latest]:
        return "exhausted"
    return None
