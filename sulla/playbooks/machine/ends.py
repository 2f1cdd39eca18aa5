"""What an answer, a failure and the passing of time come to: the facts that are written for them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import Budget, HumanStep, MergeStep, RouterStep
from sulla.playbooks.machine.deadlines import StepDeadline
from sulla.playbooks.machine.decide import NoAnswer, pause_before_next_s, read_answer
from sulla.playbooks.machine.needs import losers
from sulla.playbooks.machine.records import (
    MESSAGE_CHARS,
    NOTHING,
    Fact,
    Failure,
    RunStopped,
    Spent,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepReasked,
    StepRetry,
    StepSkipped,
)
from sulla.playbooks.machine.run import MachineRun
from sulla.playbooks.machine.state import RUNNING, WAITING, StepSpot

NOT_WAITED: Final = "has what it waits for"
"""Why a step was skipped that a merge did not wait for, behind the merge's address."""
_SAID: Final = {
    "expired": "nobody answered in time",
    "timeout": "it took longer than it may",
    "limit_wall": "all its attempts together took longer than they may",
}


def failed(
    run: MachineRun,
    spot: StepSpot,
    failure: Failure,
    *,
    repeatable: bool,
    asked_s: float = 0.0,
    spent: Spent = NOTHING,
) -> Fact:
    """What a failed attempt comes to: another one, or the step has failed.

    Args:
        run: the run.
        spot: the step.
        failure: why.
        repeatable: whether it may be done again at all.
        asked_s: how long the other side wants to be left alone, in seconds.
        spent: what the attempt used.
    """
    failure = failure._replace(message=failure.message[:MESSAGE_CHARS])
    step, past = spot.node.step, spot.past
    used_up = over(step.budget, past.tokens + spent.tokens, past.cost_micro + spent.cost_micro)
    failures = (*past.failures, failure.kind)
    pause_s = pause_before_next_s(step.retry, failures, repeatable=repeatable and not used_up, asked_s=asked_s)
    if pause_s is None:
        return StepFailed(spot.at, failure, run.now_ms, spent)
    return StepRetry(spot.at, spot.attempt, failure, run.now_ms + round(pause_s * 1000), run.now_ms, spent)


def answered(run: MachineRun, spot: StepSpot, answer: Json, spent: Spent) -> Fact:
    """What an answer comes to.

    Raises:
        InvalidInput: a person's answer is none of those allowed.
    """
    does, at = spot.node.step.does, spot.at
    read = read_answer(does, answer)
    if not isinstance(read, NoAnswer):
        return StepCompleted(at, read.value, read.route, run.now_ms, spent)
    if isinstance(does, HumanStep):
        raise InvalidInput(f"the answer to {at!r} is not one of those allowed: {read.reason}")
    if not spot.past.reasked:
        return StepReasked(at, read.reason, run.now_ms, spent)
    if isinstance(does, RouterStep) and does.default:
        return StepCompleted(at, does.default, does.default, run.now_ms, spent)
    return StepFailed(at, Failure("llm_error", "no_answer", read.reason), run.now_ms, spent)


# --------------------------------------------------------------------------------------------------------------- time


def is_wanted(run: MachineRun, deadline: StepDeadline) -> bool:
    """Whether a deadline still stands for something."""
    if run.course.ended is not None or run.course.stopped is not None:
        return False
    if not deadline.at:
        return run.course.closing is None  # what is done at the end has times of its own
    spot = run.spots.get(deadline.at)
    if spot is None or (deadline.attempt and spot.attempt != deadline.attempt):
        return False
    if deadline.what == "limit_wall":
        return spot.status in (RUNNING, WAITING)
    return spot.status == (WAITING if deadline.what == "retry" else RUNNING)


def reached(run: MachineRun, deadline: StepDeadline) -> Iterator[Fact]:
    """What a deadline that has come comes to."""
    what, now_ms = deadline.what, run.now_ms
    if not deadline.at:
        failure = Failure("permanent", what, "the run has taken all the time that it may")
        yield RunStopped("failed", what, now_ms, failure)
        return
    spot = run.spots[deadline.at]
    if what == "retry":
        run.due.append(spot)
    elif what == "wait":
        yield StepCompleted(spot.at, None, "", now_ms)
    elif what == "timeout" and spot.node.step.retry is not None and spot.node.outward:
        # Whether it was done after all nobody knows: it is done again only where its author says so.
        yield failed(run, spot, Failure("transient", what, _SAID[what]), repeatable=True)
    else:
        yield from list(_stopped_within(run, spot))
        yield StepFailed(spot.at, Failure("permanent", what, _SAID[what]), now_ms)


def left_behind(run: MachineRun, merge: StepSpot) -> Iterator[Fact]:
    """What a merge that has what it waits for comes to for others: nobody waits for them any more.

    Args:
        run: the run.
        merge: the merge, completed.
    """
    does = merge.node.step.does
    if merge.node.quota <= 0 or (isinstance(does, MergeStep) and does.rest_goes_on):
        return
    for spot in losers(merge):
        yield from _stopped_within(run, spot)
        yield StepSkipped(spot.at, f"{merge.at!r} {NOT_WAITED}", run.now_ms)


def _stopped_within(run: MachineRun, spot: StepSpot) -> Iterator[Fact]:
    if spot.inside is None:
        return
    for inner in reversed(run.spots.values()):  # what lies in another one stands behind it
        if inner.status == RUNNING and inner is not spot and _is_within(inner, spot):
            yield StepCancelled(inner.at, run.now_ms)


def _is_within(spot: StepSpot, owner: StepSpot) -> bool:
    at: StepSpot | None = spot
    while at is not None and at is not owner:
        at = at.frame.owner
    return at is owner


# -------------------------------------------------------------------------------------------------------------- budgets


def over(budget: Budget, tokens: int, cost_micro: int) -> str:
    """Which part of a budget is used up; empty for none."""
    if budget.tokens is not None and tokens >= budget.tokens:
        return "limit_tokens"
    return "limit_cost" if budget.cost_micro is not None and cost_micro >= budget.cost_micro else ""


def left_of(run: MachineRun, spot: StepSpot) -> Budget:
    """What a step may still use: the less of what is left to it and to the run."""
    mine, all_of, past = spot.node.step.budget, run.plan.definition.budget, spot.past
    return Budget(
        _least(mine.tokens, past.tokens, all_of.tokens, run.spent.tokens),
        _least(mine.cost_micro, past.cost_micro, all_of.cost_micro, run.spent.cost_micro),
        mine.wall_s,
    )


def _least(mine: int | None, used: int, everybodys: int | None, used_by_all: int) -> int | None:
    left = [limit - so_far for limit, so_far in ((mine, used), (everybodys, used_by_all)) if limit is not None]
    return max(min(left), 0) if left else None
