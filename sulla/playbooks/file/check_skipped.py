"""Whether a step may have been skipped where another one names it. Pure."""

from __future__ import annotations

from sulla.playbooks.definition import BreakStep, MergeStep
from sulla.playbooks.file.check_ways import Ways
from sulla.playbooks.file.read_sketch import Sketch, StepAt


def may_be_skipped(target: StepAt, at: StepAt | None, sketch: Sketch, ways: Ways) -> bool:
    """Whether `target` may have been skipped when `at` has its turn. In doubt it may not: nobody is warned for nothing.

    Args:
        target: the step that is named.
        at: the step that names it; None for the outputs of a run.
        sketch: the file.
        ways: the ways that have been taken when `at` has its turn.
    """
    if at is None and any(step.kind == "fail" for step in sketch.root.walk()):
        return False  # a run that fails has no outputs, and where it was skipped that may be so
    outer = around(at) if at is not None else []
    if any("when" in step.keys for step in outer):
        return False  # what it holds for may be just that
    sure = _surely_done(outer, sketch)
    waiting, seen = [target], set[str]()
    while waiting:
        step = waiting.pop()
        if step.id in sure or step.id in seen:
            continue
        seen.add(step.id)
        if "when" in step.keys:
            return True
        if isinstance(step.does, MergeStep):
            continue
        for need in (one.need for one in step.needs):
            if need.on == "failure" or (need.route and not ways.get(need.step, _NONE) <= {need.route}):
                return True
            if need.on == "success" and need.step in sketch.steps and sketch.steps[need.step].kind != "break":
                waiting.append(sketch.steps[need.step])
    return False


_NONE = frozenset({""})
"""The ways of a step of which nobody knows which one it took."""


def around(step: StepAt) -> list[StepAt]:
    """A step and those that it stands in, from within.

    Args:
        step: it.
    """
    found = [step]
    while (owner := found[-1].block.owner) is not None:
        found.append(owner)
    return found


def _surely_done(waiting: list[StepAt], sketch: Sketch) -> set[str]:
    """What has ended well where some steps have their turn: what they need, and what that needed."""
    found = {step.id for step in waiting}
    ahead = list(waiting)
    while ahead:
        step = ahead.pop()
        if isinstance(step.does, MergeStep | BreakStep):
            continue  # it waits for none in particular; who needs a break, for what need not have been done
        for need in (one.need for one in step.needs if one.need.on == "success"):
            if need.step not in found and need.step in sketch.steps:
                found.add(need.step)
                ahead.append(sketch.steps[need.step])
    return found
