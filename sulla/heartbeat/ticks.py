"""What has become of each wake, as the log of a heartbeat tells it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.event import Fact
from sulla.core.ids import RunId
from sulla.heartbeat.beats import BeatEnded, BeatSkipped, BeatStarted, CycleEnded, CycleStarted
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import ChildStarted
from sulla.threads.log.records import RunError, RunFinished, RunStarted

WAKE: Final = "wake:"
"""How the message of a beat begins that somebody asked for; behind it comes the request's id. No client sends one."""
SCHEDULED: Final = "beat:"
"""How that of one by the clock begins; behind it come the schedule's id and the firing."""

TickStatus = Literal["running", "done", "blocked", "failed", "limited", "cancelled", "skipped"]


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cycle of a beat."""

    number: int
    child: str
    thread_id: str = ""
    """Where it can be seen, for as long as such threads are kept; empty before it has begun."""
    status: str = "running"
    summary: str = ""
    tokens: int = 0
    cost_micro: int = 0


@dataclass(frozen=True, slots=True)
class Tick:
    """One wake: a beat, or why there was none."""

    run_id: RunId
    seq: int
    """Where it begins in the log."""
    at_ms: int
    """When, UTC milliseconds."""
    by: str
    """What woke the agent: ``schedule <id>``, ``request <id>`` or ``message``."""
    status: TickStatus = "running"
    reason: str = ""
    """A stable word for what is neither `done` nor `blocked`."""
    why: str = ""
    """What there was to do, or why there was no beat, for people."""
    focus: str = ""
    focus_reason: str = ""
    cycles: tuple[Cycle, ...] = ()
    ended_ms: int | None = None
    """UTC milliseconds; None while it is at work."""
    changed: str = ""
    """What is different from before it, in a line; empty for nothing."""
    summary: str = ""

    @property
    def fired(self) -> bool:
        """Whether there was a beat."""
        return self.status != "skipped"

    @property
    def tokens(self) -> int:
        """Of all its cycles."""
        return sum(cycle.tokens for cycle in self.cycles)

    @property
    def cost_micro(self) -> int:
        """The same in money, in millionths."""
        return sum(cycle.cost_micro for cycle in self.cycles)


@dataclass(frozen=True, slots=True)
class TickPage:
    """Some wakes, newest first."""

    ticks: tuple[Tick, ...]
    next: int | None
    """The `before` of the next page; None at the end."""


def ticks_of(entries: Iterable[Entry]) -> list[Tick]:
    """The wakes that begin among some records of a heartbeat's thread, oldest first.

    Args:
        entries: the records, in order.
    """
    found: dict[RunId, Tick] = {}
    for entry in entries:
        run_id, fact = entry.origin.run_id, entry.fact
        if run_id is None or fact is None:
            continue
        if isinstance(fact, RunStarted):
            found.setdefault(run_id, Tick(run_id, entry.seq, entry.origin.at_ms, by_of(fact.message_id)))
        elif run_id in found and (fold := _FOLDS.get(type(fact))) is not None:
            found[run_id] = fold(found[run_id], fact, entry.origin.at_ms)
    return list(found.values())


def by_of(message_id: str) -> str:
    """What woke an agent, by the message that it was woken with."""
    if message_id.startswith(WAKE):
        return f"request {message_id.removeprefix(WAKE)}"
    if message_id.startswith(SCHEDULED):
        return f"schedule {message_id.removeprefix(SCHEDULED).partition(':')[0]}"
    return "message"


def _started(tick: Tick, fact: BeatStarted, at_ms: int) -> Tick:
    return replace(tick, why=fact.why, focus=fact.focus, focus_reason=fact.focus_reason)


def _skipped(tick: Tick, fact: BeatSkipped, at_ms: int) -> Tick:
    return replace(tick, status="skipped", reason=fact.reason, why=fact.text, ended_ms=at_ms)


def _cycle_started(tick: Tick, fact: CycleStarted, at_ms: int) -> Tick:
    return replace(tick, cycles=(*tick.cycles, Cycle(fact.number, fact.child)))


def _child_started(tick: Tick, fact: ChildStarted, at_ms: int) -> Tick:
    return _with_cycle(tick, fact.id, lambda cycle: replace(cycle, thread_id=fact.thread_id))


def _cycle_ended(tick: Tick, fact: CycleEnded, at_ms: int) -> Tick:
    tick = _with_cycle(
        tick,
        fact.child,
        lambda cycle: replace(
            cycle,
            status=fact.status,
            summary=fact.summary or fact.blocker,
            tokens=fact.tokens,
            cost_micro=fact.cost_micro,
        ),
    )
    focus = (fact.focus, fact.focus_reason) if fact.focus else (tick.focus, tick.focus_reason)
    return replace(tick, focus=focus[0], focus_reason=focus[1])


def _with_cycle(tick: Tick, child: str, changed: Callable[[Cycle], Cycle]) -> Tick:
    cycles = tuple(changed(cycle) if cycle.child == child else cycle for cycle in tick.cycles)
    return replace(tick, cycles=cycles)


def _ended(tick: Tick, fact: BeatEnded, at_ms: int) -> Tick:
    status: TickStatus = "done" if fact.status == "idle" else fact.status
    return replace(tick, status=status, reason=fact.reason, changed=fact.changed, summary=fact.summary, ended_ms=at_ms)


def _over(tick: Tick, fact: RunFinished | RunError, at_ms: int) -> Tick:
    """What was cut off has no end of its own."""
    if tick.status != "running":
        return tick
    code = fact.code if isinstance(fact, RunError) else ""
    status: TickStatus = "cancelled" if fact.outcome.status == "cancelled" else "failed"
    cycles = tuple(replace(cycle, status=status) if cycle.status == "running" else cycle for cycle in tick.cycles)
    said = fact.message if isinstance(fact, RunError) else fact.outcome.status_report
    reason = fact.outcome.reason or code
    return replace(tick, status=status, reason=reason, summary=said, ended_ms=at_ms, cycles=cycles)


_FOLDS: Mapping[type[Fact], Callable[[Tick, Any, int], Tick]] = {
    BeatStarted: _started,
    BeatSkipped: _skipped,
    CycleStarted: _cycle_started,
    ChildStarted: _child_started,
    CycleEnded: _cycle_ended,
    BeatEnded: _ended,
    RunFinished: _over,
    RunError: _over,
}
"""What each fact says of the wake that it belongs to."""
