"""Where a run stands: each step in each pass, and the frames that they stand in. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum, IntFlag
from typing import Final

from sulla.agent.model.retry import FailureClass
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import BreakStep
from sulla.playbooks.machine.plan import Block, PlanEdge, PlanNode
from sulla.playbooks.machine.records import Failure, StepStarted


class StepStatus(IntEnum):
    """How far a step has come. From `COMPLETED` on it has ended."""

    PENDING = 0
    RUNNING = 1
    WAITING = 2
    """For its next attempt."""
    COMPLETED = 3
    FAILED = 4
    SKIPPED = 5
    CANCELLED = 6


PENDING, RUNNING, WAITING, COMPLETED, FAILED, SKIPPED, CANCELLED = (int(status) for status in StepStatus)
"""The same as plain numbers: comparing members of an enumeration is slow."""


class Unmet(IntFlag):
    """Why a step whose needs have all ended cannot begin."""

    FAILED = 1
    SKIPPED = 2


UNMET_FAILED: Final = int(Unmet.FAILED)
UNMET_SKIPPED: Final = int(Unmet.SKIPPED)


@dataclass(frozen=True, slots=True)
class Past:
    """What most steps never have: failures, questions asked twice, a route, a bill."""

    failures: tuple[FailureClass, ...] = ()
    """Of its attempts so far."""
    failure: Failure | None = None
    """The latest."""
    due_ms: int = 0
    """When its next attempt may begin, for `WAITING`."""
    reasked: str = ""
    """Why a model was asked a second time."""
    route: str = ""
    """The one of several ways that it took."""
    tokens: int = 0
    """What it has used, all attempts together."""
    cost_micro: int = 0
    result: FrozenJson | None = None
    """What a tool gave as values, as it is kept."""


_NEW: Final = Past()


class StepSpot:
    """One step in one pass. There is one for each step as soon as a run begins, so it holds little."""

    __slots__ = (
        *("arrived", "at", "attempt", "begun", "frame", "inside", "left", "node", "past", "status", "unmet"),
        "value",
    )

    def __init__(self, node: PlanNode, frame: LoopFrame, at: str, left: int) -> None:
        self.node = node
        self.frame = frame
        self.at = at
        """Its address."""
        self.left = left
        """How many of its needs have not ended."""
        self.status = PENDING
        self.unmet = 0
        self.attempt = 0
        self.begun: StepStarted | None = None
        """Its latest attempt."""
        self.value: Json = None
        self.past = _NEW
        self.inside: Inside | None = None
        """Of a loop or parallel step at work: what is in it."""
        self.arrived: list[int] | None = [] if node.quota > 0 else None
        """Of a merge that does not wait for all: whose results have come, in their order."""

    @property
    def is_forgiven(self) -> bool:
        """Whether its failure counts as success for what needs it: its own, not that of a step before it."""
        failure = self.past.failure
        return self.node.step.on_failure == "go_on" and (
            self.attempt > 0 or failure is None or failure.reason != "upstream"
        )

    def timed(self) -> Iterator[str]:
        """The addresses of itself and of what it lies in, innermost first, as far as they have a time to keep."""
        at: StepSpot | None = self
        while at is not None:
            if at.node.step.timeout_s is not None or at.node.step.budget.wall_s is not None:
                yield at.at
            at = at.frame.owner


class LoopFrame:
    """The steps of a block, once: at the top, in a branch, in a loop's pass."""

    __slots__ = ("block", "broke", "number", "open", "owner", "path", "spots")

    def __init__(self, block: Block, owner: StepSpot | None, path: tuple[int, ...], number: int = -1) -> None:
        self.block = block
        self.owner = owner
        """The loop or parallel step that it belongs to."""
        self.path = path
        """The numbers of the passes that it lies in, outermost first."""
        self.number = number
        """Of the pass, or of the branch."""
        mark = f"@{'.'.join(map(str, path))}" if path else ""
        self.spots = [StepSpot(node, self, node.step.id + mark, len(node.step.needs)) for node in block.nodes]
        self.open = len(self.spots)
        """How many of them have not ended."""
        self.broke = False
        """Whether nothing more is to begin in it."""

    @property
    def output(self) -> Json:
        """That of the step written last of those that completed."""
        for spot in reversed(self.spots):
            if spot.status == COMPLETED and not isinstance(spot.node.step.does, BreakStep):
                return spot.value
        return None

    def unhandled(self) -> Iterator[StepSpot]:
        """The steps whose failure nobody took care of, in the order in which they are written."""
        return (spot for spot in self.spots if spot.status == FAILED and not self._is_handled(spot))

    def _is_handled(self, spot: StepSpot) -> bool:
        if spot.is_forgiven:
            return True
        after = [(edge, self.spots[edge.to]) for edge in spot.node.edges]
        return any(_takes(one, edge) or is_left(one.node, self._status) for edge, one in after)

    def _status(self, node: PlanNode) -> int:
        return self.spots[node.number].status

    def is_closed(self) -> bool:
        """Whether nothing more is to begin in it, or in what it lies in."""
        frame: LoopFrame | None = self
        while frame is not None:
            if frame.broke:
                return True
            frame = frame.owner.frame if frame.owner is not None else None
        return False


class Inside:
    """What is in a loop or a parallel step that has begun."""

    __slots__ = ("active", "begun", "broke", "failure", "frames", "given", "outputs")

    def __init__(self, given: FrozenJson) -> None:
        self.given = given
        """Its ``items``, or the ``count`` of its passes."""
        self.frames: dict[int, LoopFrame] = {}
        """By pass or branch; of a loop's passes that are over only the last one is kept."""
        self.begun = 0
        self.active = 0
        self.broke = False
        """Whether no further pass is to begin."""
        self.failure: tuple[int, Failure] | None = None
        """Of the first pass or branch that failed, as they are numbered."""
        self.outputs: dict[int, Json] = {}


def _takes(after: StepSpot, edge: PlanEdge) -> bool:
    """Whether a step takes care of a failure before it.

    One that wanted to hear of a failure does if it was not skipped. One that wanted success has failed for it, and it
    is then that one's failure which has to be taken care of. A merge that has what it waits for can do without others.
    """
    if edge.on == "success":
        return after.status == FAILED or (after.node.quota != 0 and after.status == COMPLETED)
    return after.status in (COMPLETED, FAILED)


def is_left(node: PlanNode, status: Callable[[PlanNode], int | None]) -> bool:
    """Whether a step was skipped, and a merge that has what it waits for can do without it: so that merge can without
    what comes before the step, whichever of them ended first.

    Args:
        node: the step.
        status: how it, and those beside it, stand.
    """
    ahead, seen = [node], {node.number}
    for one in ahead:  # grows while it is walked
        stands = status(one)
        if one is not node and one.quota > 0 and stands == COMPLETED:
            return True
        if stands == SKIPPED:
            further = [edge.to for edge in one.edges if edge.to not in seen]
            seen.update(further)
            ahead += [one.block.nodes[number] for number in further]
    return False
