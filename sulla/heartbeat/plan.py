"""What a beat does next: whether it is worth a model call, what comes after a cycle, and how it ends. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.units import DAY_MS
from sulla.core.words import Words, agent, ours
from sulla.heartbeat.beats import BeatEnded, BeatSkipped, BeatState, BeatStatus, CycleEnded, month_of
from sulla.heartbeat.limits import BeatLimits
from sulla.threads.log.family import Report
from sulla.threads.log.records import Outcome

WORKABLE: Final = ("active", "in_progress", "in_review", "planning")
"""What a project's status says if there may be something to do in it."""
_TIME: Final = re.compile(r"[0-9T:Z.+-]{1,40}")
FAILURES: Final = 3
"""Failed beats in a row after which people are told, and then again each time they have become so many more."""
FAILURES_AGAIN: Final = 25
SUMMARY_CHARS: Final = 2_000
"""How much of what a cycle said is carried on."""


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """What a beat reads of one project, to choose by."""

    slug: str
    title: str
    status: str
    priority: str
    open_tasks: int
    blocked_tasks: int
    done_tasks: int
    last_activity_at: str
    """As the file says; empty if it says nothing."""
    digest: str = ""

    @property
    def workable(self) -> bool:
        """Whether there is a task in it that can be worked on now."""
        return self.open_tasks > 0 and self.status in WORKABLE


def plain(lot: ProjectSummary) -> ProjectSummary:
    """A project without its words: every cycle is told of it, and nobody knows whose words they are."""
    status = lot.status if lot.status in WORKABLE else "other"
    at = lot.last_activity_at if _TIME.fullmatch(lot.last_activity_at) else ""
    return replace(lot, title=lot.slug, status=status, priority=lot.priority[:2], last_activity_at=at)


@dataclass(frozen=True, slots=True)
class Focus:
    """The project that a beat works on first, and why."""

    project: str
    reason: str


@dataclass(frozen=True, slots=True)
class WakeRequest:
    """What a beat was woken by: the clock, a request or a person's message."""

    text: str = ""
    """A person's words to it; empty for the clock."""
    project: str = ""
    """The only project that it is for; empty for any."""
    at_ms: int = 0
    """When, UTC milliseconds."""
    wanted: bool = False
    """Whether somebody asked for it, and not the clock: then it does not matter that beats pause by themselves."""


def preflight(
    beat: BeatState,
    ask: WakeRequest,
    lots: Sequence[ProjectSummary],
    limits: BeatLimits,
    now_ms: int,
    taken: Collection[str] = (),
) -> Focus | BeatSkipped:
    """Whether a beat is worth a model call, before there is one.

    Args:
        beat: the beats so far.
        ask: what it was woken with.
        lots: the projects.
        limits: the bounds.
        now_ms: UTC milliseconds.
        taken: projects that others are at work on: two at once would do the same task twice.

    Returns:
        What to begin with, or why not to begin.
    """

    def skipped(reason: str, text: str) -> BeatSkipped:
        return BeatSkipped(now_ms, reason, text)

    # An end that is still to come was written down before somebody set the clock back: it says nothing.
    if not ask.text and ask.at_ms < beat.ended_ms <= now_ms:
        return skipped("busy", "it was due while the one before it was still at work")
    over = _over_budget(beat, limits, now_ms)
    if over is not None:
        return skipped(*over)
    if ask.text:
        return Focus(ask.project, "a person wrote to the heartbeat")
    until_ms = quiet_until(beat, limits, now_ms)
    if until_ms is not None and not ask.wanted:
        left_min = (until_ms - now_ms + 59_999) // 60_000
        why = f"{beat.failures} failed in a row" if beat.failures else f"{beat.standing} in a row changed nothing"
        return skipped("backing_off", f"beats pause for another {left_min} min: {why}")
    wanted = [lot for lot in lots if not ask.project or lot.slug == ask.project]
    workable = [lot for lot in wanted if lot.workable]
    if not workable:
        where = f"the project {ask.project!r}" if ask.project else "any active project"
        return skipped("idle", f"there is no open task in {where}, and nobody wrote")
    free = [lot for lot in workable if lot.slug not in taken]
    if not free:
        return skipped("busy", f"others are at work on {', '.join(lot.slug for lot in workable)[:200]}")
    return _focus(free, beat)


def _focus(workable: Sequence[ProjectSummary], beat: BeatState) -> Focus:
    """The project that was idle longest; what beats could not move last time comes after the others."""
    stuck = beat.focus if beat.blocker else ""
    chosen = min(workable, key=lambda lot: (lot.slug == stuck, lot.last_activity_at, lot.priority, lot.slug))
    since = f"untouched since {chosen.last_activity_at}" if chosen.last_activity_at else "never touched"
    others = f", the longest of {len(workable)} with open tasks" if len(workable) > 1 else ""
    tasks = f"{chosen.open_tasks} open task{'' if chosen.open_tasks == 1 else 's'}"
    return Focus(chosen.slug, f"{tasks}, {since}{others}")


def cycle_ended(beat: BeatState, report: Report, text: str, now_ms: int) -> CycleEnded:
    """What a cycle came to.

    Args:
        beat: with that cycle at work.
        report: what it reported.
        text: its last word.
        now_ms: UTC milliseconds.
    """
    summary = (report.status_report or text).strip()[:SUMMARY_CHARS]
    blocker = report.blocker_reason if report.status == "blocked" else ""
    return CycleEnded(
        beat.cycle,
        beat.child,
        report.status,
        now_ms,
        summary,
        blocker[:SUMMARY_CHARS],
        report.unblock_requirements[:SUMMARY_CHARS] if blocker else "",
        report.focus,
        report.focus_reason,
        report.tokens,
        report.cost_micro or 0,
        report.tainted,
        report.reason if report.status == "failed" else "",
        report.files,
        report.commands,
    )


@dataclass(frozen=True, slots=True)
class BeatOutcome:
    """How a beat ends, and why."""

    status: BeatStatus
    reason: str = ""
    text: str = ""


def after_cycle(beat: BeatState, last: CycleEnded, limits: BeatLimits, now_ms: int) -> BeatOutcome | None:
    """Whether a beat ends after a cycle (seed 004 §2: done, blocked or the last cycle; else once more).

    Args:
        beat: with the cycle folded in.
        last: the cycle.
        limits: the bounds.
        now_ms: UTC milliseconds.

    Returns:
        How it ends; None for another cycle.
    """
    match last.status:
        case "done":
            return BeatOutcome("done", text=last.summary)
        case "blocked":
            return BeatOutcome("blocked", "blocked", last.blocker)
        case "failed" if last.reason.startswith("limit_"):
            # A cycle that has used up what it had is no outage: nothing would go better after a longer pause.
            return BeatOutcome("limited", last.reason, f"cycle {last.number}: {last.summary or last.reason}")
        case "failed" | "cancelled" as status:
            return BeatOutcome(status, f"cycle_{status}", last.summary or f"cycle {last.number} {status}")
    if beat.cycle >= limits.cycles:
        return BeatOutcome("limited", "limit_cycles", f"{limits.cycles} cycles, and not done: {last.summary}")
    if now_ms >= beat.started_ms + round(limits.wall_s * 1000):
        return BeatOutcome("limited", "limit_wall_s", f"{limits.wall_s:g} s are over: {last.summary}")
    over = _over_budget(beat, limits, now_ms)
    return BeatOutcome("limited", over[0], over[1]) if over is not None else None


def beat_ended(beat: BeatState, end: BeatOutcome, changed: str, limits: BeatLimits, now_ms: int) -> BeatEnded:
    """The end of a beat, as it is kept.

    Args:
        beat: the beat.
        end: how it ends.
        changed: what is different from before it; empty for nothing.
        limits: the bounds.
        now_ms: UTC milliseconds.
    """
    failures = beat.failures + 1 if end.status == "failed" else 0
    standing = 0 if changed or failures else beat.standing + 1
    # What somebody stopped says nothing of whether there is something to do.
    stopped = end.status == "cancelled"
    quiet_ms = 0 if stopped else _pause_ms(failures or max(0, standing - limits.standing + 1), limits)
    return BeatEnded(
        end.status,
        now_ms,
        end.reason,
        end.text,
        changed,
        beat.cycle,
        beat.tokens,
        beat.cost_micro,
        beat.started_ms,
        now_ms + quiet_ms if quiet_ms else 0,
        beat.tainted,
    )


def _pause_ms(times: int, limits: BeatLimits) -> int:
    """How long beats pause when it is the n-th time in a row that there is a reason to; 0 for no reason."""
    if not times:
        return 0
    # Doubled each time, and never so often that the number would not fit.
    return round(min(limits.most_quiet_s, limits.quiet_s * 2.0 ** min(times - 1, 16)) * 1000)


def quiet_until(beat: BeatState, limits: BeatLimits, now_ms: int) -> int | None:
    """Until when beats pause by themselves; None if they do not. Also after a beat that was cut off, and could not say
    so itself. A pause that is longer than any was made by a clock that was wrong.

    Args:
        beat: the beats so far.
        limits: the bounds.
        now_ms: UTC milliseconds.
    """
    failed_ms = beat.ended_ms + _pause_ms(beat.failures, limits) if beat.failures else 0
    until_ms = max(beat.quiet_until_ms, failed_ms)
    return until_ms if now_ms < until_ms <= now_ms + round(limits.most_quiet_s * 1000) else None


def tokens_left(beat: BeatState, limits: BeatLimits, now_ms: int) -> int:
    """The most that the next cycle may use."""
    spent = beat.spent.at(now_ms // DAY_MS, month_of(now_ms))
    of_beat = limits.tokens - (beat.tokens if beat.status == "running" else 0)
    return min(of_beat, limits.day_tokens - spent.day_tokens, limits.month_tokens - spent.month_tokens)


def money_left(beat: BeatState, limits: BeatLimits, now_ms: int) -> int | None:
    """The same in money, in millionths; None where there is no limit."""
    spent = beat.spent.at(now_ms // DAY_MS, month_of(now_ms))
    used = (beat.cost_micro if beat.status == "running" else 0, spent.day_micro, spent.month_micro)
    bounds = (limits.cost_micro, limits.day_micro, limits.month_micro)
    left = [bound - amount for bound, amount in zip(bounds, used, strict=True) if bound is not None]
    return min(left) if left else None


def _over_budget(beat: BeatState, limits: BeatLimits, now_ms: int) -> tuple[str, str] | None:
    """The budget in which there is not enough left for a cycle, as a word and for people."""
    spent = beat.spent.at(now_ms // DAY_MS, month_of(now_ms))
    running = beat.status == "running"
    tokens = (
        ("beat", beat.tokens if running else 0, limits.tokens),
        ("day", spent.day_tokens, limits.day_tokens),
        ("month", spent.month_tokens, limits.month_tokens),
    )
    for span, used, allowed in tokens:
        if allowed - used < limits.least_tokens:
            return f"limit_{span}_tokens", f"{used} of {allowed} tokens of this {span} are used"
    money = (
        ("beat", beat.cost_micro if running else 0, limits.cost_micro),
        ("day", spent.day_micro, limits.day_micro),
        ("month", spent.month_micro, limits.month_micro),
    )
    for span, used, bound in money:
        if bound is not None and used >= bound:
            return f"limit_{span}_cost", f"{used / 1e6:.6g} of {bound / 1e6:.6g} of this {span}'s money are used"
    return None


@dataclass(frozen=True, slots=True)
class BeatNotice:
    """Something that people should be notified of after a beat."""

    key: str
    """It is told once under this."""
    words: Words


def beat_notices(beat: BeatState, outcome: Outcome, limits: BeatLimits, now_ms: int) -> list[BeatNotice]:
    """What people should know when a beat has ended or was skipped.

    Args:
        beat: after it.
        outcome: how its run ends.
        limits: the bounds.
        now_ms: UTC milliseconds.
    """
    found, said, by = [], outcome.status_report, agent(tainted=beat.tainted)
    if outcome.reason.startswith(("limit_day", "limit_month")):
        when = now_ms // DAY_MS if "_day_" in outcome.reason else month_of(now_ms)
        text = f"Beats stop until the budget begins anew: {said}."
        found.append(BeatNotice(f"{outcome.reason}:{when}", Words(text, by)))
    if beat.status == "failed" and (beat.failures == FAILURES or beat.failures % FAILURES_AGAIN == 0):
        text = f"{beat.failures} beats in a row failed: {said or 'nobody knows why'}. See `sulla beat log`."
        found.append(BeatNotice(f"failures:{beat.beats}", Words(text, by)))
    if beat.status not in ("idle", "cancelled") and beat.standing == limits.standing:
        text = f"{beat.standing} beats in a row changed nothing, so they come less often now. See `sulla beat log`."
        found.append(BeatNotice(f"standing:{beat.beats}", ours(text)))
    return found
