"""How a run ends: what its walk came to, as the one fact that closes it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sulla.core.errors import LimitReached, SullaError
from sulla.graph import Stop
from sulla.threads import (
    ModelAbandoned,
    OpenRun,
    Outcome,
    RunError,
    RunFinished,
    TextMessageEnd,
    ThreadState,
    ToolCallResult,
)


@dataclass(frozen=True, slots=True)
class Walked:
    """The walk came to a stop by itself."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class Cut:
    """Somebody ended it: ``stopped``, ``interrupted``."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """It raised."""

    code: str
    message: str
    reason: str = ""
    retryable: bool = False


Ending = Walked | Cut | Failed


def failed(error: SullaError) -> Failed:
    """An error of ours as an ending."""
    reason = error.reason if isinstance(error, LimitReached) else error.code
    return Failed(error.code, error.message, reason, error.retryable)


def close_run(state: ThreadState, run: OpenRun, ending: Walked | Failed, now_ms: int) -> RunFinished | RunError:
    """The fact that ends a run which was not cut off.

    Args:
        state: the thread, with everything the run noted.
        run: the run.
        ending: how its walk ended.
        now_ms: UTC milliseconds.
    """
    match ending:
        case Failed(code, message, reason, retryable):
            return _error(run, code, message, reason or code, now_ms, retryable=retryable)
        case Walked(stop) if stop.why in ("ended", "cycle_complete"):
            if state.outcome.status == "in_progress":
                message = "the reply came without a completion wrapper, also when asked for one; its text is kept"
                return _error(run, "no_outcome", message, "no_outcome", now_ms)
            return RunFinished(run.id, replace(state.outcome, updated_at_ms=now_ms), run.usage)
        case Walked(stop):
            limit = stop.over.limit if stop.over is not None else stop.why
            return _error(run, "limit_reached", f"the run stopped: {stop}", f"limit_{limit}", now_ms)


def cut_facts(
    state: ThreadState, run: OpenRun, reason: str, shown: str, now_ms: int
) -> list[TextMessageEnd | ModelAbandoned | ToolCallResult | RunFinished]:
    """The facts that end a run from outside, leaving a conversation that can go on.

    What was shown of a reply is kept as `cut`; calls without a result get one that says so.

    Args:
        state: the thread.
        run: the run.
        reason: ``stopped`` or ``interrupted``.
        shown: what people saw of the reply in flight.
        now_ms: UTC milliseconds.
    """
    facts: list[TextMessageEnd | ModelAbandoned | ToolCallResult | RunFinished] = []
    if run.open_call is not None:
        call = run.open_call
        if shown:
            facts.append(TextMessageEnd(call.call_id, call.message_id, shown, stop="cut", cut=True))
        else:
            facts.append(ModelAbandoned(call.call_id, call.message_id, reason))
    for call_id in state.transcript.unanswered:
        unknown = run.intents.get(call_id) == "once"
        text = f"The turn was {reason} before this call had a result."
        if unknown:
            text += " Nobody knows whether it took effect."
        facts.append(ToolCallResult(call_id, text, is_error=True))
    outcome = Outcome("cancelled", reason=reason, updated_at_ms=now_ms)
    facts.append(RunFinished(run.id, outcome, run.usage))
    return facts


def _error(run: OpenRun, code: str, message: str, reason: str, now_ms: int, *, retryable: bool = False) -> RunError:
    outcome = Outcome("failed", reason=reason, updated_at_ms=now_ms)
    return RunError(run.id, code, message, retryable, outcome, run.usage)
