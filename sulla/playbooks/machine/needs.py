"""What a step wanted of those before it, and what it got. Pure."""

from __future__ import annotations

from sulla.agent.model.retry import FailureClass
from sulla.playbooks.definition import BreakStep, LoopStep, MergeStep, Need
from sulla.playbooks.machine.failures import ASKED_ALREADY
from sulla.playbooks.machine.plan import PlanEdge
from sulla.playbooks.machine.records import MESSAGE_CHARS, Failure
from sulla.playbooks.machine.state import (
    COMPLETED,
    FAILED,
    PENDING,
    SKIPPED,
    UNMET_FAILED,
    UNMET_SKIPPED,
    LoopFrame,
    StepSpot,
)


def pass_of(spot: StepSpot) -> LoopFrame:
    """The loop's pass that a step lies in; all of the run where it lies in none."""
    frame = spot.frame
    while frame.owner is not None and not isinstance(frame.owner.node.step.does, LoopStep):
        frame = frame.owner.frame
    return frame


def failure_of(frame: LoopFrame) -> Failure | None:
    """Why a frame whose steps have all ended has failed; None if it has not. What its author says with a `fail` goes
    before what was merely not done behind the failure that it is about.
    """
    unhandled = list(frame.unhandled())
    if not unhandled:
        return None
    bad = next((spot for spot in unhandled if spot.past.failure and spot.past.failure.reason == "said"), unhandled[0])
    found = passed_on(bad)
    if not _is_behind_a_known(bad):
        return found
    said = f"{bad.at!r} was not done, and nothing deals with that: {found.message}"
    return found._replace(message=said[:MESSAGE_CHARS])


def end_of(frame: LoopFrame) -> Failure | None:
    """The same of all that a run has, as its end: with the reason of the step that failed, which a person or another
    step can do something about.
    """
    failure = failure_of(frame)
    return failure._replace(reason=failure.cause or failure.reason, cause="") if failure is not None else None


def _is_behind_a_known(spot: StepSpot) -> bool:
    """Whether a step could not begin for one whose failure somebody else has dealt with: its author thinks of that one
    as done with, and has to be told of this one.
    """
    spots, ahead = spot.frame.spots, [spot]
    for at in ahead:  # grows while it is walked
        if at.attempt or at.past.failure is None or at.past.failure.reason != "upstream":
            continue
        for before in (spots[number] for number, _ in at.node.needs):
            if before.status == FAILED:
                heard = (spots[edge.to].status for edge in before.node.edges if edge.on != "success")
                if any(status in (COMPLETED, FAILED) for status in heard):
                    return True
                ahead.append(before)
    return False


def passed_on(spot: StepSpot) -> Failure:
    """A step's failure as it is said of what failed for it: the step that it began with keeps its name."""
    failure = spot.past.failure
    if failure is None:
        return Failure("permanent", "upstream", f"step {spot.at!r} failed")
    if failure.reason == "upstream":
        return failure
    # Whoever only waits for an answer has to be told apart at the run's end, too.
    reason = ASKED_ALREADY if failure.reason == ASKED_ALREADY else "upstream"
    said = f"step {spot.at!r} failed: {failure.message}"[:MESSAGE_CHARS]
    return Failure(failure.kind, reason, said, failure.cause or failure.reason)


def playbook_failure(name: str, why: str, kind: FailureClass = "permanent", reason: str = "") -> Failure:
    """The failure of a step whose playbook has failed: what could be tried again has been, within it.

    Args:
        name: the playbook's.
        why: it failed.
        kind: of an end that its own machine did not come to, such as a crash.
        reason: of the failure within.
    """
    said = f"the playbook {name!r} failed: {why}"[:MESSAGE_CHARS]
    # As above: people were told of that question when it was asked.
    return Failure("human_rejected", reason, said) if reason == ASKED_ALREADY else Failure(kind, "playbook", said)


def arrivals(spot: StepSpot) -> list[int]:
    """The steps whose results count for a merge: the first that came, or all as they are written. A failure that is
    gone on with counts only once nothing else can come, for what is lacking then.
    """
    spots = spot.frame.spots
    if spot.arrived is not None:
        needs = () if spot.left else spot.node.needs
        late = [number for number, need in needs if is_stand_in(spots[number], need)]
        return [*spot.arrived, *late][: spot.node.quota]
    if not spot.unmet:
        return [number for number, _ in spot.node.needs]
    return [number for number, need in spot.node.needs if not unmet(spots[number], need)]


def unmet(spot: StepSpot, edge: PlanEdge | Need) -> int:
    """Why an end is not what a step after it wanted; 0 if it is. Who needs a break wants that there was none."""
    if edge.on == "always":
        return 0
    failed = spot.status == FAILED
    if edge.on == "failure":
        return 0 if failed else UNMET_SKIPPED
    if failed and not spot.is_forgiven:
        return UNMET_FAILED
    if spot.status == SKIPPED and isinstance(spot.node.step.does, BreakStep):
        return 0
    if spot.status == SKIPPED or (edge.route and spot.past.route != edge.route):
        return UNMET_SKIPPED
    return 0


def is_stand_in(spot: StepSpot, edge: PlanEdge | Need) -> bool:
    """Whether a step has failed, and goes on for one that wanted it to succeed.

    Args:
        spot: a step that has ended.
        edge: what is wanted of it.
    """
    return edge.on == "success" and spot.status == FAILED and not unmet(spot, edge)


def _is_doomed(spot: StepSpot) -> bool:
    """Whether a step that has not begun is sure to be skipped, and waits for its other needs alone."""
    skipped = spot.status == PENDING and spot.unmet == UNMET_SKIPPED
    return skipped and not isinstance(spot.node.step.does, MergeStep)


def losers(merge: StepSpot) -> list[StepSpot]:
    """The steps that have not ended and that nobody wants any more once a merge has what it waits for, as they are
    written: those that it needs, and what comes before them and serves nothing else.

    Args:
        merge: the merge.
    """
    spots, lost = merge.frame.spots, {merge.node.number}
    ahead = [number for number, _ in merge.node.needs]
    for number in ahead:  # grows while it is walked
        spot = spots[number]
        wanted = not _is_doomed(spot) and any(edge.to not in lost for edge in spot.node.edges)
        if spot.status < COMPLETED and number not in lost and not wanted:
            lost.add(number)
            ahead += [before for before, _ in spot.node.needs]
    return [spots[number] for number in sorted(lost - {merge.node.number})]
