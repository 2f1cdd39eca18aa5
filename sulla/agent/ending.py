"""How a run ends: what its walk came to, as the one fact that closes it. Pure."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final

from sulla.agent.limits.limits import limit_reached
from sulla.core.dataclass import dataclass
from sulla.core.errors import LimitReached, SullaError
from sulla.core.limit import LimitHit, LimitUnit
from sulla.core.message import ToolResult
from sulla.graph.limits import LimitReason
from sulla.graph.walk import WalkStop
from sulla.threads.log.charging import written_off
from sulla.threads.log.family import Report
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import (
    Answer,
    InputIgnored,
    ModelAbandoned,
    Outcome,
    RunError,
    RunFinished,
    Stopped,
    TextMessageEnd,
    ToolCallResult,
)
from sulla.threads.log.state import ThreadState
from sulla.threads.log.usage import Usage
from sulla.threads.next_task import TAKEN, StopRun


@dataclass(frozen=True, slots=True)
class WalkEnded:
    """The walk came to a stop by itself."""

    stop: WalkStop


@dataclass(frozen=True, slots=True)
class WalkCut:
    """Somebody ended it: ``stopped``, ``interrupted``, ``barged_in``."""

    reason: str


@dataclass(frozen=True, slots=True)
class WalkFailed:
    """It raised."""

    code: str
    message: str
    reason: str = ""
    retryable: bool = False
    hit: LimitHit | None = None


Ending = WalkEnded | WalkCut | WalkFailed


def failed(error: SullaError) -> WalkFailed:
    """An error of ours as an ending."""
    if isinstance(error, LimitReached):
        return WalkFailed(error.code, error.message, error.reason, error.retryable, error.hit)
    return WalkFailed(error.code, error.message, error.code, error.retryable)


NO_WRAPPER: Final = "no_wrapper"
"""The reason of a run that is done because its reply says so by having no tool call, and not by a wrapper, also when
asked for one (decision 039)."""

NO_WORDS: Final = "no_words"
"""The reason of a run that is done because a tool has done the work, and whose last reply says nothing: people are told
that it is done."""

CALLED_INSTEAD: Final = "called_instead"
"""The reason of a run that is not done, where the reply calls a tool that was to say how far it is."""
_CALLED: Final = (
    "the model said nothing, and called a tool again when it was asked how far it is; that call was not made: send "
    "`go on`, or choose a model that follows a tool's result with words"
)
_HANDED_LOOKED: Final = 8
"""Replies with calls in which those are looked for that handed a turn on: a ring of so many agents is told whole."""

DROPPED: Final = "dropped"
WITHDRAWN: Final = "withdrawn"
"""The reason of a run that never began, because somebody took its message back."""

Closing = InputIgnored | TextMessageEnd | ModelAbandoned | ToolCallResult | RunFinished | RunError


def taken_of(run: OpenRun, ending: Ending, came_tokens: int | None) -> Usage | None:
    """What the open call took that somebody cut off: all that was sent, and of the reply what had come.

    Args:
        run: the run.
        ending: how its walk ended.
        came_tokens: of the reply, by estimate; None where nobody knows.

    Returns:
        With money in proportion to what was set aside, rounded up; None where all that was set aside has to count.
    """
    call = run.model.open_call
    if call is None or came_tokens is None or not isinstance(ending, WalkCut):
        return None
    if not 0 < call.reply_tokens <= call.reserved_tokens:
        return None
    sent, came = call.reserved_tokens - call.reply_tokens, min(came_tokens, call.reply_tokens)
    micro = call.reserved_micro
    if micro is not None:
        micro = -(-micro * (sent + came) // call.reserved_tokens)
    return Usage(sent, came, cost_micro=micro)


def close_run(
    state: ThreadState, run: OpenRun, ending: Ending, shown: str, now_ms: int, came_tokens: int | None = None
) -> list[Closing]:
    """The facts that end a run and leave a conversation that can go on.

    Args:
        state: the thread, with everything the run noted.
        run: the run.
        ending: how its walk ended.
        shown: what people saw of a reply in flight.
        now_ms: UTC milliseconds.
        came_tokens: see `taken_of`.
    """
    why, end = _end(state, run, ending, now_ms)
    call, taken = run.model.open_call, taken_of(run, ending, came_tokens)
    if taken is None and call is not None:
        taken = written_off(call)
    counted = run.spent.tokens + (taken.total if taken is not None else 0)
    late, usage = _uncharged(state, run), end.usage + (taken or Usage())
    for _, report in late:
        counted, usage = counted + report.tokens, usage + (report.usage or Usage())
    charged = [InputIgnored(seq, TAKEN) for seq, _ in late]
    return [*charged, *_loose_ends(state, run, why, shown, taken), replace(end, counted=counted, usage=usage)]


def _uncharged(state: ThreadState, run: OpenRun) -> list[tuple[int, Report]]:
    """What children have reported to a run that it was not charged for: it was woken by another one's report, and would
    be over before these are put away. Such a run charges them as it puts them away itself (`waits_while_working`)."""
    found = [
        (control.seq, control.fact.report)
        for control in run.reports.values()
        if control.seq in state.inbox.controls and isinstance(control.fact, Answer)
    ]
    return sorted(((seq, report) for seq, report in found if report is not None), key=lambda one: one[0])


def _end(state: ThreadState, run: OpenRun, ending: Ending, now_ms: int) -> tuple[str, RunFinished | RunError]:
    """How the turn was ended, in a word for its loose ends, and the fact that says so."""
    match ending:
        case WalkEnded(stop) if (
            stop.why in ("ended", "cycle_complete") and state.newest.outcome.status != "in_progress"
        ):
            return "ended", RunFinished(run.id, replace(state.newest.outcome, updated_at_ms=now_ms), run.spent.usage)
        case WalkEnded(stop) if stop.why in ("ended", "cycle_complete") and has_answered(state):
            done = Outcome("done", reason=NO_WRAPPER, updated_at_ms=now_ms)
            return "ended", RunFinished(run.id, done, run.spent.usage)
        case WalkEnded(stop):
            return "ended", _error(run, _stopped(stop, state), now_ms)
        case WalkCut(reason):
            return reason, RunFinished(
                run.id, Outcome("cancelled", reason=reason, updated_at_ms=now_ms), run.spent.usage
            )
        case WalkFailed():
            return "ended by a failure", _error(run, ending, now_ms)


def has_answered(state: ThreadState) -> bool:
    """Whether the agent has told people something since its last tool had a result."""
    for message in reversed(state.context.transcript):
        if message.role == "assistant" and not message.hidden:
            return not message.calls and bool(message.text.strip())
        if message.role == "tool" or not message.hidden:
            return False
    return False


def said_nothing(state: ThreadState) -> bool:
    """Whether the newest reply, which has no tool call, has no words either."""
    last = next(reversed(state.context.transcript), None)
    return last is None or last.role != "assistant" or not last.text.strip()


def has_worked(state: ThreadState) -> bool:
    """Whether a tool has had a result, and no error, since the agent was last told something."""
    for message in reversed(state.context.transcript):
        if message.role == "user" and not message.hidden:
            return False
        if any(isinstance(part, ToolResult) and not part.is_error for part in message.parts):
            return True
    return False


def _loose_ends(state: ThreadState, run: OpenRun, why: str, shown: str, taken: Usage | None) -> list[Closing]:
    """Nothing may stay open: a reply in flight is kept as far as it was shown, a call gets a result that says so."""
    facts: list[Closing] = []
    if (call := run.model.open_call) is not None:
        if shown:
            cut = TextMessageEnd(call.call_id, call.message_id, shown, stop="cut", cut=True, tainted=call.native)
            facts.append(replace(cut, usage=taken or Usage()))
        else:
            facts.append(ModelAbandoned(call.call_id, call.message_id, why, usage=taken))
    return [*facts, *unmade_calls(state, run, why)]


def unmade_calls(state: ThreadState, run: OpenRun, why: str) -> list[ToolCallResult]:
    """Results for the calls that will get no other.

    Args:
        state: the thread.
        run: its open run.
        why: what happened to the turn: "The turn was …".
    """
    facts: list[ToolCallResult] = []
    # A call that waits for a yes, or has one and has not begun, was not made.
    asked = {wait.call_id for wait in run.waits.values() if wait.digest} | run.calls.permits.keys()
    for call_id in state.context.transcript.unanswered:
        if call_id in asked:
            facts.append(ToolCallResult(call_id, f"The turn was {why} before this call was made.", is_error=True))
            continue
        text = f"The turn was {why} before this call had a result."
        if run.calls.intents.get(call_id) == "once":
            text += " Nobody knows whether it took effect."
        facts.append(ToolCallResult(call_id, text, is_error=True))
    return facts


def _stopped(stop: WalkStop, state: ThreadState) -> WalkFailed:
    if stop.why in ("ended", "cycle_complete"):
        if state.newest.outcome.reason == CALLED_INSTEAD:
            return WalkFailed("no_outcome", _CALLED, "no_outcome")
        message = (
            "the model's reply was empty, also when it was asked once more; a model that thinks may have used up its "
            "reply: raise model.reply_tokens, or choose another model"
        )
        return WalkFailed("no_outcome", message, "no_outcome")
    if stop.over is None:
        return WalkFailed("limit_reached", f"the run stopped: {stop}", f"limit_{stop.why}")
    reached = failed(_over(stop.over))
    # Rounds that no agent asked for by going on itself are those in which agents handed the turn on.
    if stop.over.limit == "max_repeat" and state.walk.lead and 2 * state.newest.agent_loops < stop.over.used:
        return replace(reached, message=f"{_handed_round(state)} ({reached.message})")
    return reached


def _handed_round(state: ThreadState) -> str:
    """What is said where agents hand a turn to each other without an end."""
    newest = islice((message for message in reversed(state.context.transcript) if message.calls), _HANDED_LOOKED)
    calls = ", ".join(sorted({call.name for message in newest for call in message.calls}))
    return (
        f"agents handed this conversation to each other until the turn was over (newest calls: {calls}): say in their "
        "prompts who answers what, or take one out of `hands_to`; `@` and a name chooses who answers the next message"
    )


def _over(over: LimitReason) -> LimitReached:
    units: dict[str, LimitUnit] = {"max_repeat": "repeats", "max_steps": "steps", "wall_s": "seconds"}
    unit = units.get(over.limit, "tokens")
    return limit_reached(LimitHit(over.limit, "run", unit, round(over.allowed), round(over.used)))


def _error(run: OpenRun, failure: WalkFailed, now_ms: int) -> RunError:
    reason = failure.reason or failure.code
    outcome = Outcome("failed", reason=reason, hit=failure.hit, updated_at_ms=now_ms)
    return RunError(run.id, failure.code, failure.message, failure.retryable, outcome, run.spent.usage)


def stop_records(state: ThreadState, stop: StopRun) -> list[InputIgnored | RunFinished | Stopped]:
    """What a stop comes to, behind the end of the open run.

    Args:
        state: the thread.
        stop: says whether messages that wait are dropped. What playbooks ask and tell is not: they would wait for ever.
    """
    records: list[InputIgnored | RunFinished | Stopped] = []
    if stop.only:
        item = state.inbox.waiting[stop.only]
        gone = RunFinished(item.run_id, Outcome("cancelled", reason=WITHDRAWN))
        return [InputIgnored(item.seq, WITHDRAWN), gone, InputIgnored(stop.seq, WITHDRAWN)]
    for seq, item in sorted(state.inbox.waiting.items()):
        if stop.drop and seq < stop.seq and not state.is_told(item):
            records += [InputIgnored(seq, DROPPED), RunFinished(item.run_id, Outcome("cancelled", reason=DROPPED))]
    return [*records, Stopped(stop.seq)]
