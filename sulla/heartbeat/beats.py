"""A heartbeat's beats: what each wake of an agent by itself came to (design §8, seed 004 §4). Pure.

A heartbeat is a thread, and a beat is one run of it. Its cycles are child runs; what is here is what is kept of them.
"""

from __future__ import annotations

from dataclasses import field, replace
from datetime import UTC, datetime
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId
from sulla.core.units import DAY_MS
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance

BeatStatus = Literal["idle", "running", "done", "blocked", "failed", "limited", "cancelled"]
"""How the latest beat is or was. `limited`: it came to a limit; `idle`: there was nothing to do; `cancelled`: somebody
stopped it, which is no failure."""

MAX_CYCLES: Final = 10
"""Cycles of one beat (seed 004 §2)."""
KEPT_CYCLES: Final = 10


@dataclass(frozen=True, slots=True)
class BeatSpending(Fielded):
    """What beats have used, by day and month (UTC)."""

    day: int = 0
    """Days since 1970."""
    day_tokens: int = 0
    day_micro: int = 0
    month: str = ""
    """E.g. ``2026-11``."""
    month_tokens: int = 0
    month_micro: int = 0

    def at(self, day: int, month: str) -> BeatSpending:
        """The same, with what belongs to another day or month left out.

        A clock that was set back a little, over midnight, does not give a day or a month anew.
        """
        if day == self.day - 1:
            return self
        kept = self if self.month == month else replace(self, month=month, month_tokens=0, month_micro=0)
        return kept if kept.day == day else replace(kept, day=day, day_tokens=0, day_micro=0)

    def plus(self, tokens: int, micro: int) -> BeatSpending:
        """The same, and more."""
        return replace(
            self,
            day_tokens=self.day_tokens + tokens,
            day_micro=self.day_micro + micro,
            month_tokens=self.month_tokens + tokens,
            month_micro=self.month_micro + micro,
        )


@dataclass(frozen=True, slots=True)
class BeatStarted(Fielded):
    """A beat found something to do, and begins."""

    kind: ClassVar[str] = "BEAT_STARTED"
    provenance: ClassVar[Provenance] = "thread"
    at_ms: int
    why: str
    """What there is to do, in a line."""
    focus: str = ""
    """The project to begin with."""
    focus_reason: str = ""
    projects: str = ""
    """The list of them that the model is told."""
    skills: str = ""
    before: str = ""
    """Of what the projects and the workspace were, to see later what changed."""
    max_cycles: int = MAX_CYCLES
    """The most that it may have."""


@dataclass(frozen=True, slots=True)
class BeatSkipped(Fielded):
    """A beat was not worth a model call, or not allowed one."""

    kind: ClassVar[str] = "BEAT_SKIPPED"
    provenance: ClassVar[Provenance] = "daemon"
    at_ms: int
    reason: str
    """A stable word: ``idle``, ``busy``, ``paused``, ``outside_hours``, ``backing_off``, ``limit_…``."""
    text: str = ""
    """The same for people."""


@dataclass(frozen=True, slots=True)
class CycleStarted(Fielded):
    """A cycle was set to work."""

    kind: ClassVar[str] = "CYCLE_STARTED"
    provenance: ClassVar[Provenance] = "thread"
    number: int
    """Counted from 1 within the beat."""
    child: str
    agents: str = ""
    """Who else was at work, as the model is told."""
    projects: str = ""
    """The projects as they are then, as the model is told; empty in the first cycle, which is told `BeatStarted`'s."""


@dataclass(frozen=True, slots=True)
class CycleEnded(Fielded):
    """A cycle came to an end."""

    kind: ClassVar[str] = "CYCLE_ENDED"
    provenance: ClassVar[Provenance] = "marked"
    number: int
    child: str
    status: str
    """Its outcome's."""
    at_ms: int
    summary: str = ""
    blocker: str = ""
    needs: str = ""
    focus: str = ""
    focus_reason: str = ""
    tokens: int = 0
    cost_micro: int = 0
    tainted: bool = False
    """Whether what it says may repeat what nobody trusts."""
    reason: str = ""
    """A stable word for an end in failure."""
    files: int = 0
    """Files that it has written by the tools for that."""
    commands: int = 0
    """Commands that it has run, which may have written any."""


@dataclass(frozen=True, slots=True)
class BeatEnded(Fielded):
    """A beat came to an end."""

    kind: ClassVar[str] = "BEAT_ENDED"
    provenance: ClassVar[Provenance] = "marked"
    status: BeatStatus
    at_ms: int
    reason: str = ""
    """A stable word for an end that is neither `done` nor `blocked`."""
    summary: str = ""
    changed: str = ""
    """What is different from before it, in a line; empty for nothing."""
    cycles: int = 0
    tokens: int = 0
    cost_micro: int = 0
    started_ms: int = 0
    quiet_until_ms: int = 0
    """Beats before this are skipped: after failures, and where nothing moves."""
    tainted: bool = True
    """Whether its words may repeat what nobody trusts. One that was kept without this does not say, and so counts."""


BeatFact = BeatStarted | BeatSkipped | CycleStarted | CycleEnded | BeatEnded


@dataclass(frozen=True, slots=True)
class BeatState(Fielded):
    """What is known of an agent's beats (seed 004 §4, HeartbeatThreadState)."""

    run_id: RunId = RunId("")
    """The beat's run; empty before the first."""
    started_ms: int = 0
    ended_ms: int = 0
    status: BeatStatus = "idle"
    max_cycles: int = MAX_CYCLES
    cycle: int = 0
    child: str = ""
    """The cycle at work; empty between two."""
    why: str = ""
    projects: str = ""
    skills: str = ""
    agents: str = ""
    focus: str = ""
    focus_reason: str = ""
    summary: str = ""
    """What the last cycle said; carried into the next beat unless it was done."""
    blocker: str = ""
    needs: str = ""
    said: tuple[str, ...] = ()
    """The summaries of this beat's cycles."""
    tainted: bool = False
    """Whether any of the carried words may repeat what nobody trusts."""
    before: str = ""
    tokens: int = 0
    cost_micro: int = 0
    """Of this beat."""
    files: int = 0
    """Files that this beat's cycles have written by the tools for that."""
    commands: int = 0
    """Commands that they have run."""
    spent: BeatSpending = field(default_factory=BeatSpending)
    failures: int = 0
    """Beats that failed in a row."""
    standing: int = 0
    """Beats in a row that changed nothing."""
    quiet_until_ms: int = 0
    beats: int = 0
    """How many have begun."""
    skipped: int = 0
    """How many were not worth it, in a row."""


def apply_beat(beat: BeatState, fact: BeatFact, run_id: RunId) -> BeatState:
    """The state after one more fact.

    Args:
        beat: before it.
        fact: what happened.
        run_id: of which beat.
    """
    match fact:
        case BeatStarted():
            return replace(
                beat,
                run_id=run_id,
                started_ms=fact.at_ms,
                status="running",
                cycle=0,
                child="",
                why=fact.why,
                projects=fact.projects,
                skills=fact.skills,
                focus=fact.focus,
                focus_reason=fact.focus_reason,
                said=(),
                before=fact.before,
                max_cycles=fact.max_cycles,
                tokens=0,
                cost_micro=0,
                files=0,
                commands=0,
                beats=beat.beats + 1,
                skipped=0,
            )
        case BeatSkipped():
            return replace(beat, run_id=run_id, status="idle", skipped=beat.skipped + 1, child="", cycle=0)
        case CycleStarted():
            projects = fact.projects or beat.projects
            return replace(beat, cycle=fact.number, child=fact.child, agents=fact.agents, projects=projects)
        case CycleEnded():
            return _cycle_ended(beat, fact)
        case BeatEnded():
            return _beat_ended(beat, fact)


def charged(beat: BeatState, tokens: int, cost_micro: int, at_ms: int) -> BeatState:
    """The state when a cycle has said what it used; also one that nobody waits for any more, after a stop or a crash.

    Args:
        beat: before it.
        tokens: what it used.
        cost_micro: the same in money, in millionths of the currency's unit.
        at_ms: when that was taken note of, UTC milliseconds.
    """
    spent = beat.spent.at(at_ms // DAY_MS, month_of(at_ms)).plus(tokens, cost_micro)
    return replace(beat, spent=spent)


def _cycle_ended(beat: BeatState, fact: CycleEnded) -> BeatState:
    return replace(
        beat,
        child="",
        summary=fact.summary,
        blocker=fact.blocker,
        needs=fact.needs,
        focus=fact.focus or beat.focus,
        focus_reason=fact.focus_reason if fact.focus else beat.focus_reason,
        said=(*beat.said, fact.summary)[-KEPT_CYCLES:],
        tainted=beat.tainted or fact.tainted,
        tokens=beat.tokens + fact.tokens,
        cost_micro=beat.cost_micro + fact.cost_micro,
        files=beat.files + fact.files,
        commands=beat.commands + fact.commands,
    )


def _beat_ended(beat: BeatState, fact: BeatEnded) -> BeatState:
    failed = fact.status == "failed"
    carried = replace(
        beat, status=fact.status, ended_ms=fact.at_ms, child="", before="", quiet_until_ms=fact.quiet_until_ms
    )
    carried = replace(
        carried,
        failures=beat.failures + 1 if failed else 0,
        standing=0 if fact.changed else beat.standing + (not failed and fact.status != "cancelled"),
    )
    if fact.status == "done" and beat.tainted:
        # What is done can do without words that nobody trusts: else every later beat would have to be mistrusted too.
        forgotten = replace(carried, focus="", focus_reason="", blocker="", needs="")
        return replace(forgotten, summary="", said=(), tainted=False)
    return carried


def over(beat: BeatState, at_ms: int, *, failed: bool) -> BeatState:
    """The state when a beat's run has ended, in order or not: what was cut off leaves nothing that the next would trip
    over.

    Args:
        beat: before it.
        at_ms: when it ended, UTC milliseconds.
        failed: whether the run failed.
    """
    if beat.status != "running":
        return beat
    status: BeatStatus = "failed" if failed else "idle"
    return replace(beat, status=status, ended_ms=at_ms, child="", before="", failures=beat.failures + failed)


def month_of(at_ms: int) -> str:
    """The month of a time, UTC, e.g. ``2026-11``.

    Args:
        at_ms: UTC milliseconds.
    """
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m}"
