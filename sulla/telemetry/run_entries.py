"""What happened to runs, as lines of the log: why it did what it did can be read there."""

from __future__ import annotations

import logging

from sulla.telemetry.timeline import CallDone, Piece, RunBegan, RunOver, RunSetAside, SpanRun, Summarized, ToolDone

log = logging.getLogger(__name__)


def narrate(piece: Piece) -> None:
    """Write a piece down: turns at `info`, what went wrong at `warning`, calls at `debug`."""
    match piece:
        case RunBegan(whose, _, model, again, waited_s):
            extra = _of(whose) | {"model": model} if model else _of(whose)
            if waited_s is not None:
                extra["waited_s"] = waited_s
            log.info("a turn goes on: %s" if again else "a turn has begun%s", again, extra=extra)
        case RunSetAside(whose, _, why):
            log.info("a turn is put down: %s", why, extra=_of(whose))
        case RunOver():
            _ended(piece)
        case CallDone():
            _called(piece)
        case ToolDone(whose, call_id, name, began_ms, ended_ms, outcome):
            extra = _of(whose) | {"call_id": call_id, "took_s": (ended_ms - began_ms) / 1000}
            log.debug("a tool call is over: %s (%s)", outcome, name, extra=extra)
        case Summarized(thread_id, usage, worked):
            extra = {"thread_id": thread_id, "tokens": usage.total}
            log.debug("a summary %s", "was made" if worked else "came to nothing", extra=extra)
        case _:
            return  # the first word: a figure, no event


def _ended(ended: RunOver) -> None:
    extra = _of(ended.whose) | {"outcome": ended.outcome, "tokens": ended.usage.total}
    if ended.reason:
        extra["reason"] = ended.reason
    if ended.took_s is not None:
        extra["took_s"] = ended.took_s
    level = logging.WARNING if ended.outcome == "failed" else logging.INFO
    log.log(level, "a turn has ended: %s%s", ended.outcome, f" ({ended.reason})" if ended.reason else "", extra=extra)


def _called(call: CallDone) -> None:
    extra = _of(call.whose) | {"call_id": call.call_id, "attempt": call.attempt, "tokens": call.usage.total}
    if call.began_ms is not None:
        extra["took_s"] = (call.ended_ms - call.began_ms) / 1000
    level = logging.DEBUG if call.outcome in ("ok", "cut") else logging.WARNING
    log.log(level, "a model call is over: %s%s", call.outcome, f" ({call.reason})" if call.reason else "", extra=extra)


def _of(whose: SpanRun) -> dict[str, object]:
    return {"thread_id": whose.thread_id, "run_id": whose.run_id, "agent": whose.agent}
