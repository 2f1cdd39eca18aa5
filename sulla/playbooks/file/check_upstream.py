"""Whether who takes care of a step's failure means that of a step before it as well. Pure.

A step whose need has failed has failed itself, so `{x: failure}` is met also where x never began. For an alarm that is
as well; what undoes x, or says what became of it, is mostly not meant for that. Who looks at an error knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sulla.playbooks.definition import ConditionStep, MergeStep, RespondStep, SetStep, WaitStep
from sulla.playbooks.expression.tree import paths_of
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_skipped import around
from sulla.playbooks.file.read_sketch import Sketch, StepAt

_ENDS: Final = ("error", "status", "route", "tries")
"""The fields that say how a step has ended."""
_SURE: Final = (SetStep, RespondStep, WaitStep, MergeStep)
"""Kinds that fail by themselves only where something is wrong with the file."""


def passed_on_failures(sketch: Sketch) -> Iterator[PlaybookFault]:
    """What is told of steps that wait for the failure of one which fails also for another one before it.

    Args:
        sketch: the file.
    """
    for step in sketch.root.walk():
        looked_at = _looked_at(step, sketch)
        for at in step.needs:
            target = sketch.steps.get(at.need.step)
            if at.need.on != "failure" or target is None or target.id in looked_at:
                continue
            before = list(_before(target, sketch))
            if before and not any(one.id in looked_at for one in before):
                yield PlaybookFault(at.place.line, at.place.column, "upstream", _told(step, target, before[0]))


def _told(step: StepAt, target: StepAt, before: StepAt) -> str:
    is_human = before.kind == "human"
    why = f"at {before.id!r} nobody has answered" if is_human else f"{before.id!r} has failed"
    return (
        f"{target.id!r} fails also where it never began because {why}, and {step.id!r} is done then, too; if it is not "
        f"meant for that, say `when: ${{{{ steps.{target.id}.error.reason != 'upstream' }}}}`"
    )


def _before(step: StepAt, sketch: Sketch) -> Iterator[StepAt]:
    """The steps that a step fails for when they fail, the nearest first."""
    ahead, seen = [step], {step.id}
    for at in ahead:  # grows while it is walked
        needs = () if isinstance(at.does, MergeStep) and at.does.need != "all" else at.needs
        for need in (one.need for one in needs if one.need.on == "success" and one.need.step not in seen):
            seen.add(need.step)
            if (found := sketch.steps.get(need.step)) is not None:
                ahead.append(found)
                if _may_fail(found):
                    yield found


def _may_fail(step: StepAt) -> bool:
    if step.step is None or step.step.on_failure == "go_on" or isinstance(step.does, _SURE):
        return False
    return not isinstance(step.does, ConditionStep) or step.does.test is None


def _looked_at(step: StepAt, sketch: Sketch) -> set[str]:
    """The steps of which a step, or what stands in it, asks how they have ended."""
    trees = [tree for use in sketch.uses if use.step is not None and step in around(use.step) for _, tree in use.trees]
    paths = [path.words for tree in trees for path in paths_of(tree)]
    return {str(words[1]) for words in paths if words[0] == "steps" and len(words) > 2 and words[2] in _ENDS}
