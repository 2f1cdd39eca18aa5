"""The state of a run: a fold over its facts. Pure.

What is done next is decided in `machine.py` and `machine_begin.py`; here it only takes effect, and takes the same
effect when the facts are read back. So a run that is taken up again goes on exactly where it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import BreakStep, HumanStep, LoopStep, MergeStep, ParallelStep, TransferStep, WaitStep
from sulla.playbooks.machine import records as f
from sulla.playbooks.machine.deadlines import DeadlineQueue
from sulla.playbooks.machine.needs import arrivals, end_of, failure_of, is_stand_in, pass_of, unmet
from sulla.playbooks.machine.plan import Block, Plan, PlanEdge
from sulla.playbooks.machine.records import NOTHING
from sulla.playbooks.machine.state import (
    CANCELLED,
    COMPLETED,
    FAILED,
    RUNNING,
    SKIPPED,
    WAITING,
    Inside,
    LoopFrame,
    StepSpot,
)


@dataclass(slots=True, eq=False)
class RunCourse:
    """What has happened to the run as a whole."""

    started: f.RunStarted | None = None
    paused: bool = False
    stopped: f.RunStopped | None = None
    closing: f.RunClosing | None = None
    """How it is to end, once what it does at its end is done."""
    failure: f.Failure | None = None
    """Of what it does at its end."""
    ahead: list[Block] = field(default_factory=list)
    """What of that has not begun."""
    ended: f.RunEnded | None = None
    transfer: FrozenJson | None = None
    """The playbook that takes over, and its arguments."""


class MachineRun:
    """Where a run stands.

    Args:
        plan: what it walks.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.course = RunCourse()
        self.halted = False
        """Whether nothing more is begun: it is paused, stopped or at its end."""
        self.is_over = False
        """Whether all its steps have ended."""
        self.careful = False
        """Whether there is anything in which nothing more is to begin."""
        self.now_ms = 0
        self.spent = NOTHING
        """On all of its steps."""
        self.tops: dict[str, LoopFrame] = {}
        """The frames that lie in no other one, by the names of their blocks."""
        self.spots: dict[str, StepSpot] = {}
        """By address; those of passes that are over are gone."""
        self.due: deque[StepSpot] = deque()
        """What has to be looked at: steps whose needs have ended, loops with a pass that has. Some are there twice, or
        no longer have to be."""
        self.busy = 0
        """How many steps take a place among those that run side by side."""
        self.deadlines = DeadlineQueue()

    def apply(self, fact: f.Fact, where: str = "the log") -> None:
        """Take one more fact.

        Raises:
            CorruptRecord: it does not fit what came before it.
        """
        try:
            _FOLD[type(fact)](self, fact)
        except (KeyError, IndexError) as misfit:
            raise CorruptRecord(f"{where}: {f.kind_of(fact)} does not fit what came before it: {misfit!r}") from None

    @property
    def root(self) -> LoopFrame | None:
        """The frame of its steps; None before it has begun."""
        return self.tops.get("")

    def at_work(self) -> list[StepSpot]:
        """The steps that somebody else is at."""
        return [spot for spot in self.spots.values() if spot.status == RUNNING and spot.node.outward]

    # ------------------------------------------------------------------------------------------------------- the run

    def _run_started(self, fact: f.RunStarted) -> None:
        self.course.started = fact
        self.now_ms = fact.at_ms
        wall_s = self.plan.definition.budget.wall_s
        if wall_s is not None:
            self.deadlines.add(fact.at_ms + round(wall_s * 1000), "limit_wall")
        self.tops[""] = self._open(self.plan.root, None, ())

    def _run_paused(self, fact: f.RunPaused) -> None:
        self.course.paused = self.halted = True

    def _run_resumed(self, fact: f.RunResumed) -> None:
        self.course.paused = False
        self.halted = self.course.stopped is not None

    def _run_stopped(self, fact: f.RunStopped) -> None:
        self.course.stopped = fact
        self.halted = True

    def _run_closing(self, fact: f.RunClosing) -> None:
        self.course.closing, self.course.stopped = fact, None
        self.course.paused = self.halted = False
        if self.root is not None and not self.is_over:
            self._drop(self.root)
        self.due.clear()
        self.course.ahead = self.plan.closing_blocks(fact.status, unbegun=fact.unbegun)
        self._close_on()

    def _close_on(self) -> None:
        """Begin what comes next of what is done at the end."""
        self.is_over = not self.course.ahead
        if self.course.ahead:
            block = self.course.ahead.pop(0)
            self.tops[block.name] = self._open(block, None, ())

    def _run_ended(self, fact: f.RunEnded) -> None:
        self.course.ended = fact
        self.halted = True

    def _run_reopened(self, fact: f.RunReopened) -> None:
        """What it takes back is left out before the facts are read (`rerun.kept`); its time begins anew."""
        wall_s = self.plan.definition.budget.wall_s
        if wall_s is not None:
            self.deadlines.forget_those_of_the_run()
            self.deadlines.add(fact.at_ms + round(wall_s * 1000), "limit_wall")

    # ----------------------------------------------------------------------------------------------------- its steps

    def _step_started(self, fact: f.StepStarted) -> None:
        spot = self.spots[fact.at]
        self.begin(spot, fact)
        if spot.node.given is None:
            self._started_more(spot, fact)

    def begin(self, spot: StepSpot, fact: f.StepStarted) -> None:
        """What `StepStarted` comes to for a step that can begin without a look at anything but its needs."""
        spot.status = RUNNING
        spot.attempt += 1
        spot.begun = fact
        if spot.node.takes_place:
            self.busy += 1

    def _started_more(self, spot: StepSpot, fact: f.StepStarted) -> None:
        step, does = spot.node.step, spot.node.step.does
        if step.timeout_s is not None:
            self.deadlines.add(fact.at_ms + round(step.timeout_s * 1000), "timeout", spot.at, fact.attempt)
        if step.budget.wall_s is not None and fact.attempt == 1:
            self.deadlines.add(fact.at_ms + round(step.budget.wall_s * 1000), "limit_wall", spot.at)
        if isinstance(does, WaitStep) and fact.given is not None:
            until_ms: Any = fact.given["until_ms"]
            self.deadlines.add(until_ms, "wait", spot.at, fact.attempt)
        elif isinstance(does, HumanStep):
            if does.expires_s is not None:
                self.deadlines.add(fact.at_ms + round(does.expires_s * 1000), "expired", spot.at, fact.attempt)
            around = (at for at in self.timed_around(spot) if at != spot.at)  # its own `timeout` is for the question
            self.deadlines.hold(spot.at, around, fact.at_ms)
        elif isinstance(does, ParallelStep | LoopStep):
            spot.inside = Inside(fact.given or {})
            self.due.append(spot)
        if isinstance(does, ParallelStep):
            for number, block in enumerate(spot.node.inner):
                spot.inside.active += 1  # type: ignore[union-attr]  # made just above
                self._open(block, spot, spot.frame.path, number)

    def _step_completed(self, fact: f.StepCompleted) -> None:
        spot = self.spots[fact.at]
        if fact.result is not None:
            spot.past = replace(spot.past, result=fact.result)
        self._complete(spot, fact.value, fact.route, fact.spent)

    def _complete(self, spot: StepSpot, value: Json, route: str, spent: f.Spent) -> None:
        spot.value = value
        self.deadlines.let_go_on(spot.at, self.now_ms)
        if route:
            spot.past = replace(spot.past, route=route)
        self._charge(spot, spent)
        if not spot.node.outward:
            self._completed_more(spot)
        self.finish(spot)

    def finish(self, spot: StepSpot) -> None:
        """What follows from it for the steps after it. Most want it to succeed and nothing else: they are told here
        without the questions of `_settle`.
        """
        node = spot.node
        if node.takes_place:
            self.busy -= 1
        follows = node.follows
        if follows is None:
            self._settle(spot, COMPLETED)
            return
        spot.status = COMPLETED
        spot.begun = None
        frame = spot.frame
        for number in follows:
            after = frame.spots[number]
            after.left = left = after.left - 1
            if after.arrived is not None:
                after.arrived.append(node.number)
                left = left and after.node.quota - len(after.arrived)
            if not left:
                self.due.append(after)
        frame.open = left = frame.open - 1
        if not left:
            self._over(frame)

    def _completed_more(self, spot: StepSpot) -> None:
        does = spot.node.step.does
        if isinstance(does, MergeStep) and spot.value is None and (counted := arrivals(spot)):
            spots = spot.frame.spots  # else somebody has said what it came to: see `given`
            named = {spots[number].node.step.id: spots[number].value for number in counted}
            spot.value = spots[counted[0]].value if does.need == "first" else named
        elif isinstance(does, LoopStep) and spot.inside is not None:
            spot.value = [spot.inside.outputs.get(number) for number in range(spot.inside.begun)]
        elif isinstance(does, ParallelStep) and spot.inside is not None:
            spot.value = {name: spot.inside.outputs.get(number) for number, name in enumerate(does.branches)}
        elif isinstance(does, BreakStep):
            self.careful = True
            frame = pass_of(spot)
            frame.broke = True
            if frame.owner is not None and frame.owner.inside is not None:
                frame.owner.inside.broke = True
        elif isinstance(does, TransferStep) and isinstance(spot.value, Mapping):
            self.careful = True
            self.course.transfer = spot.value

    def timed_around(self, spot: StepSpot) -> Iterator[str]:
        """A step and what it lies in as far as they have a time to keep; at last the run (empty)."""
        yield from spot.timed()
        if self.plan.definition.budget.wall_s is not None:
            yield ""

    def _step_held(self, fact: f.StepHeld) -> None:
        spot = self.spots[fact.at]
        self.deadlines.hold(spot.at, self.timed_around(spot), fact.at_ms)

    def _step_goes_on(self, fact: f.StepGoesOn) -> None:
        self.deadlines.let_go_on(fact.at, fact.at_ms)

    def _step_reasked(self, fact: f.StepReasked) -> None:
        spot = self.spots[fact.at]
        spot.past = replace(spot.past, reasked=fact.reason)
        self._charge(spot, fact.spent)

    def _step_retry(self, fact: f.StepRetry) -> None:
        spot = self.spots[fact.at]
        self._leave(spot)
        self._charge(spot, fact.spent)
        spot.status = WAITING
        failures = (*spot.past.failures, fact.failure.kind)
        spot.past = replace(spot.past, failures=failures, failure=fact.failure, due_ms=fact.due_ms, reasked="")
        self.deadlines.add(fact.due_ms, "retry", spot.at, fact.attempt)

    def _step_failed(self, fact: f.StepFailed) -> None:
        spot = self.spots[fact.at]
        self._leave(spot)
        self._charge(spot, fact.spent)
        spot.past = replace(spot.past, failure=fact.failure)
        self._settle(spot, FAILED)

    def _step_skipped(self, fact: f.StepSkipped) -> None:
        spot = self.spots[fact.at]
        self._leave(spot)  # it may be at work: nobody wants it any more
        self._settle(spot, SKIPPED)

    def _step_cancelled(self, fact: f.StepCancelled) -> None:
        spot = self.spots[fact.at]
        self._leave(spot)
        spot.status = CANCELLED

    def _pass_started(self, fact: f.PassStarted) -> None:
        spot = self.spots[fact.at]
        inside = spot.inside
        if inside is None:
            raise CorruptRecord(f"a pass of {fact.at!r}, which is no loop at work")
        for number in [number for number, frame in inside.frames.items() if not frame.open]:
            self._drop(inside.frames.pop(number))
        inside.begun = fact.number + 1
        inside.active += 1
        self._open(spot.node.inner[0], spot, (*spot.frame.path, fact.number), fact.number)

    # ------------------------------------------------------------------------------------------- what follows from it

    def _leave(self, spot: StepSpot) -> None:
        """Nobody is at it, or at what is in it, any more."""
        if spot.status == RUNNING:
            self.busy -= spot.node.takes_place
            self.deadlines.let_go_on(spot.at, self.now_ms)
        if spot.inside is not None:
            for frame in spot.inside.frames.values():
                self._drop(frame)

    def _drop(self, frame: LoopFrame) -> None:
        for spot in frame.spots:
            self._leave(spot)
            self.spots.pop(spot.at, None)
            if spot.status < COMPLETED:
                spot.status = CANCELLED  # it may still be among those to be looked at

    def _open(self, block: Block, owner: StepSpot | None, path: tuple[int, ...], number: int = -1) -> LoopFrame:
        frame = LoopFrame(block, owner, path, number)
        if owner is not None and owner.inside is not None:
            owner.inside.frames[number] = frame
        self.spots.update((spot.at, spot) for spot in frame.spots)
        self.due.extend(spot for spot in frame.spots if not spot.left)
        if not frame.open:
            self._over(frame)
        return frame

    def _settle(self, spot: StepSpot, status: int) -> None:
        spot.status = status
        frame = spot.frame
        for edge in spot.node.edges:
            self._tell(spot, edge)
        frame.open -= 1
        if not frame.open:
            self._over(frame)

    def _tell(self, spot: StepSpot, edge: PlanEdge) -> None:
        after = spot.frame.spots[edge.to]
        after.left -= 1
        lacks = unmet(spot, edge)
        arrived = after.arrived
        if lacks:
            after.unmet |= lacks
        elif arrived is not None and not is_stand_in(spot, edge):
            arrived.append(spot.node.number)
        if not after.left or (arrived is not None and not lacks and len(arrived) == after.node.quota):
            self.due.append(after)

    def _over(self, frame: LoopFrame) -> None:
        """All its steps have ended."""
        owner = frame.owner
        if owner is None or owner.inside is None:
            if self.course.closing is not None:
                self.course.failure = self.course.failure or end_of(frame)
            self._close_on()
            return
        inside = owner.inside
        inside.active -= 1
        inside.outputs[frame.number] = frame.output
        failure = failure_of(frame)
        if failure is not None and (inside.failure is None or frame.number < inside.failure[0]):
            inside.failure = (frame.number, failure)
        self.due.append(owner)

    def _charge(self, spot: StepSpot, spent: f.Spent) -> None:
        """Add what was spent on a step to the step's own count and to the run's."""
        if spent == NOTHING:
            return
        past = spot.past
        spot.past = replace(past, tokens=past.tokens + spent.tokens, cost_micro=past.cost_micro + spent.cost_micro)
        so_far = self.spent
        self.spent = f.Spent(so_far.tokens + spent.tokens, so_far.cost_micro + spent.cost_micro)


_FOLD: Final[Mapping[type[f.Fact], Callable[[MachineRun, Any], None]]] = {
    f.RunStarted: MachineRun._run_started,
    f.RunPaused: MachineRun._run_paused,
    f.RunResumed: MachineRun._run_resumed,
    f.RunStopped: MachineRun._run_stopped,
    f.RunClosing: MachineRun._run_closing,
    f.RunEnded: MachineRun._run_ended,
    f.RunReopened: MachineRun._run_reopened,
    f.StepStarted: MachineRun._step_started,
    f.StepCompleted: MachineRun._step_completed,
    f.StepHeld: MachineRun._step_held,
    f.StepGoesOn: MachineRun._step_goes_on,
    f.StepReasked: MachineRun._step_reasked,
    f.StepRetry: MachineRun._step_retry,
    f.StepFailed: MachineRun._step_failed,
    f.StepSkipped: MachineRun._step_skipped,
    f.StepCancelled: MachineRun._step_cancelled,
    f.PassStarted: MachineRun._pass_started,
}
