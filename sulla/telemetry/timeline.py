"""What happens to threads, as pieces of time: facts in, what has begun and ended out. Pure.

A fact says what is so from now on; a metric or a span wants to know how long something took and what it came to. What
has begun somewhere else, or too long ago, is told without its beginning.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import field
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.threads.log.records import (
    Input,
    ModelAbandoned,
    ModelStarted,
    Resumed,
    RunError,
    RunFinished,
    RunPaused,
    RunStarted,
    Summary,
    Suspended,
    TextMessageEnd,
    ToolCallResult,
    ToolCallStart,
)
from sulla.threads.log.usage import Usage
from sulla.threads.watching import CommittedFact

MOST_OPEN: Final = 1024
"""Runs, and messages that wait, that are remembered; the oldest is forgotten first."""

CallOutcome = Literal["ok", "cut", "abandoned", "failed"]
"""Of a model call: `cut` was ended from outside, `abandoned` is tried again, `failed` is not."""

ToolOutcome = Literal["ok", "error", "waiting"]

_CUT = frozenset({"stopped", "interrupted", "barged_in"})
_TRIED_AGAIN = frozenset({"crashed", "drained", "paused"})


@dataclass(frozen=True, slots=True)
class SpanRun:
    """The run that a span belongs to."""

    thread_id: ThreadId
    run_id: RunId
    agent: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class RunBegan:
    """This process works on a run from now on."""

    whose: SpanRun
    at_ms: int
    model: str = ""
    again: str = ""
    """Why it goes on: ``answered``, ``crashed``, ``drained``, ``paused``, ``woken``, …; empty for a run that
    begins."""
    waited_s: float | None = None
    """How long its message has waited; None if that is not known here."""


@dataclass(frozen=True, slots=True)
class RunSetAside:
    """This process works on a run no more, and the run is not over."""

    whose: SpanRun
    at_ms: int
    why: Literal["suspended", "paused", "stopped", "elsewhere"]


@dataclass(frozen=True, slots=True)
class RunOver:
    """A run is over."""

    whose: SpanRun
    at_ms: int
    outcome: str
    """``done``, ``blocked``, ``failed``, ``cancelled`` or ``joined``."""
    reason: str
    """A stable word, for some outcomes."""
    usage: Usage
    took_s: float | None
    """From its beginning, waits included; None if it did not begin here."""


@dataclass(frozen=True, slots=True)
class FirstWord:
    """The first text of a run was shown."""

    whose: SpanRun
    after_s: float
    """Since their message was taken."""


@dataclass(frozen=True, slots=True)
class CallDone:
    """A model call is over."""

    whose: SpanRun
    call_id: CallId
    purpose: str
    attempt: int
    began_ms: int | None
    ended_ms: int
    outcome: CallOutcome
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    first_ms: int | None = None
    """When its first word was seen."""
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class ToolDone:
    """A tool call is over, or waits for somebody: how long people take is not the tool's time."""

    whose: SpanRun
    call_id: CallId
    name: str
    began_ms: int
    ended_ms: int
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary was made, or came to nothing."""

    thread_id: ThreadId
    usage: Usage
    worked: bool


Piece = RunBegan | RunSetAside | RunOver | FirstWord | CallDone | ToolDone | Summarized


@dataclass(slots=True)
class _OpenRun:
    """A run that this process works on."""

    whose: SpanRun
    began_ms: int | None
    asked_ms: int | None
    working: bool = True
    call: tuple[ModelStarted, int] | None = None
    first_ms: int | None = None
    tools: dict[CallId, tuple[str, int]] = field(default_factory=dict)


class Timeline:
    """Follows the runs of one process by their facts."""

    def __init__(self) -> None:
        self._open: OrderedDict[ThreadId, _OpenRun] = OrderedDict()
        self._asked: OrderedDict[RunId, int] = OrderedDict()
        self.silent: dict[RunId, ThreadId] = {}
        """Runs whose model call has not shown a word yet: only these want to hear of moments."""
        self._unspoken: set[RunId] = set()

    def spans_of(self, thread_id: ThreadId, kept: CommittedFact) -> Iterator[Piece]:
        """Take a fact in; all of what it says has to be taken out.

        Args:
            thread_id: whose log it is in.
            kept: the fact, with its origin.
        """
        origin, fact = kept.origin, kept.fact
        if isinstance(fact, Input) and origin.run_id is not None:
            self._remember(origin.run_id, origin.at_ms)
        elif isinstance(fact, Summary):
            yield Summarized(thread_id, fact.usage, fact.covers_seq > 0)
        elif origin.run_id is not None:
            yield from self._decided(SpanRun(thread_id, origin.run_id, origin.agent, origin.depth), kept)

    def speak(self, run_id: RunId, at_ms: int) -> Iterator[Piece]:
        """A run that is `silent` shows the first word of a reply.

        Args:
            run_id: the run.
            at_ms: UTC milliseconds.
        """
        run = self._open.get(self.silent.pop(run_id))
        if run is None or run.whose.run_id != run_id:
            return
        run.first_ms = at_ms
        if run_id in self._unspoken:
            self._unspoken.discard(run_id)
            if run.asked_ms is not None:
                yield FirstWord(run.whose, (at_ms - run.asked_ms) / 1000)

    def close(self, at_ms: int) -> Iterator[Piece]:
        """The process stops: nothing is open any more."""
        while self._open:
            _, run = self._open.popitem(last=False)
            yield from self._leave(run, at_ms, "stopped")

    # -------------------------------------------------------------------------------------------------- private

    def _decided(self, whose: SpanRun, kept: CommittedFact) -> Iterator[Piece]:
        at_ms, fact = kept.origin.at_ms, kept.fact
        if isinstance(fact, RunStarted):
            asked_ms = self._asked.pop(whose.run_id, None)
            yield from self._begin(_OpenRun(whose, at_ms, asked_ms), at_ms)
            self._unspoken.add(whose.run_id)
            waited_s = None if asked_ms is None else (at_ms - asked_ms) / 1000
            yield RunBegan(whose, at_ms, fact.model, waited_s=waited_s)
            return
        run = self._open.get(whose.thread_id)
        if run is not None and run.whose.run_id != whose.run_id:
            run = None
        if isinstance(fact, Resumed):
            yield from self._resume(run, whose, fact, at_ms)
        elif isinstance(fact, RunFinished | RunError):
            yield from self._end(run, whose, fact, at_ms)
        elif isinstance(fact, TextMessageEnd | ModelAbandoned):
            yield self._called(run, whose, fact, at_ms)
        elif run is not None:
            yield from self._worked(run, fact, at_ms)

    def _worked(self, run: _OpenRun, fact: object, at_ms: int) -> Iterator[Piece]:
        match fact:
            case ModelStarted():
                run.call, run.first_ms = (fact, at_ms), None
                if fact.purpose == "reply":
                    self.silent[run.whose.run_id] = run.whose.thread_id
            case ToolCallStart(call_id, name):
                run.tools[call_id] = (name, at_ms)
            case ToolCallResult(call_id) if call_id in run.tools:
                name, began_ms = run.tools.pop(call_id)
                yield ToolDone(run.whose, call_id, name, began_ms, at_ms, "error" if fact.is_error else "ok")
            case Suspended(resting=False):
                pass  # other steps of a playbook are at work
            case Suspended(waits):
                run.working = False
                for wait in waits:
                    if wait.call_id in run.tools:
                        name, began_ms = run.tools.pop(wait.call_id)
                        yield ToolDone(run.whose, wait.call_id, name, began_ms, at_ms, "waiting")
                yield RunSetAside(run.whose, at_ms, "suspended")
            case RunPaused():
                run.working = False
                run.tools.clear()
                yield RunSetAside(run.whose, at_ms, "paused")

    def _begin(self, run: _OpenRun, at_ms: int) -> Iterator[Piece]:
        """A thread has one open run: another one that is known went on elsewhere."""
        stale = self._open.pop(run.whose.thread_id, None)
        if stale is not None:
            yield from self._leave(stale, at_ms, "elsewhere")
        while len(self._open) >= MOST_OPEN:
            _, oldest = self._open.popitem(last=False)
            yield from self._leave(oldest, at_ms, "elsewhere")
        self._open[run.whose.thread_id] = run

    def _resume(self, run: _OpenRun | None, whose: SpanRun, fact: Resumed, at_ms: int) -> Iterator[Piece]:
        if run is not None and run.working and fact.reason == "answered":
            return  # another answer came while it was at work
        if run is None:
            yield from self._begin(_OpenRun(whose, None, None), at_ms)
        elif run.working:  # its lease was lost and came back
            yield RunSetAside(whose, at_ms, "elsewhere")
        else:
            run.working = True
        yield RunBegan(whose, at_ms, again=fact.reason)

    def _called(
        self, run: _OpenRun | None, whose: SpanRun, fact: TextMessageEnd | ModelAbandoned, at_ms: int
    ) -> CallDone:
        started, began_ms, first_ms = None, None, None
        if run is not None and run.call is not None and run.call[0].call_id == fact.call_id:
            (started, began_ms), first_ms = run.call, run.first_ms
            run.call = None
        self.silent.pop(whose.run_id, None)
        purpose, attempt = (started.purpose, started.attempt) if started is not None else ("reply", 1)
        if isinstance(fact, ModelAbandoned):
            outcome, reason, usage, stand_in = _abandoned(fact), fact.reason, Usage(), ""
        else:
            outcome, reason, usage, stand_in = "cut" if fact.cut else "ok", fact.stop, fact.usage, fact.stand_in
        return CallDone(
            whose, fact.call_id, purpose, attempt, began_ms, at_ms, outcome, reason, usage, first_ms, stand_in
        )

    def _end(self, run: _OpenRun | None, whose: SpanRun, fact: RunFinished | RunError, at_ms: int) -> Iterator[Piece]:
        self._asked.pop(whose.run_id, None)
        self._forget(whose.run_id)
        took_s = None
        if run is not None:
            del self._open[whose.thread_id]
            took_s = None if run.began_ms is None else (at_ms - run.began_ms) / 1000
        if isinstance(fact, RunError):
            outcome, reason = "failed", fact.outcome.reason or fact.code
        else:
            outcome, reason = ("joined", "") if fact.joined else (fact.outcome.status, fact.outcome.reason)
        yield RunOver(whose, at_ms, outcome, reason, fact.usage, took_s)

    def _leave(self, run: _OpenRun, at_ms: int, why: Literal["stopped", "elsewhere"]) -> Iterator[Piece]:
        self._forget(run.whose.run_id)
        if run.working:
            yield RunSetAside(run.whose, at_ms, why)

    def _forget(self, run_id: RunId) -> None:
        self.silent.pop(run_id, None)
        self._unspoken.discard(run_id)

    def _remember(self, run_id: RunId, at_ms: int) -> None:
        self._asked[run_id] = at_ms
        if len(self._asked) > MOST_OPEN:
            self._asked.popitem(last=False)


def _abandoned(fact: ModelAbandoned) -> CallOutcome:
    if fact.retry_in_s is not None or fact.reason in _TRIED_AGAIN:
        return "abandoned"
    return "cut" if fact.reason in _CUT else "failed"
