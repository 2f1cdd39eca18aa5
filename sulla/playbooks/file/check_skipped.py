"""Whether a step may have been skipped where another one names it. Pure."""

from __future__ import annotations

from itertools import product
from math import prod

from sulla.definitions.yaml_text import YamlScalar
from sulla.playbooks.definition import BreakStep, MergeStep, Need
from sulla.playbooks.file.check_ways import Ways
from sulla.playbooks.file.read_sketch import Sketch, StepAt
from sulla.playbooks.file.read_steps import routes_of


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
        is_merge = isinstance(step.does, MergeStep)
        if "when" in step.keys or (is_merge and _is_merge_skipped(step, sure, sketch, ways)):
            return True
        if is_merge:
            continue
        needs = [one.need for one in step.needs]
        if any(need.on == "failure" or _is_other_way(need, ways) for need in needs):
            return True
        before = [sketch.steps[need.step] for need in needs if need.on == "success" and need.step in sketch.steps]
        waiting += [one for one in before if one.kind != "break"]
    return False


def _is_other_way(need: Need, ways: Ways) -> bool:
    return bool(need.route) and not ways.get(need.step, _NONE) <= {need.route}


def _is_merge_skipped(merge: StepAt, sure: set[str], sketch: Sketch, ways: Ways) -> bool:
    """Whether all needs of a merge may be skipped together, so that it is skipped itself: for some choice of all that
    decides about them.
    """
    needs = [_conditions(one.need, sure, sketch) for one in merge.needs]
    choices: dict[str, frozenset[str]] = {}
    for name, _ in (one for found in needs for one in found):
        known = ways.get(name, _NONE)
        all_of = frozenset(routes_of(sketch.steps[name])) if name in sketch.steps else frozenset(_EITHER)
        choices[name] = all_of if known <= _NONE else known
    if not all(needs) or prod(map(len, choices.values())) > _MOST_CHOICES:
        return False
    for chosen in product(*choices.values()):
        taken = dict(zip(choices, chosen, strict=True))
        if all(any(taken[name] not in wanted for name, wanted in found) for found in needs):
            return True
    return False


def _conditions(need: Need, sure: set[str], sketch: Sketch) -> list[tuple[str, frozenset[str]]]:
    """What has to hold so that a need is not skipped: of a step that chooses the way, of a `when` that it is true."""
    found: list[tuple[str, frozenset[str]]] = []
    waiting, seen = [need], set[str]()
    while waiting:
        one = waiting.pop()
        if one.on == "failure":
            found.append((f"{one.step} has failed", frozenset(("yes",))))
        if one.route:
            found.append((one.step, frozenset((one.route,))))
        step = sketch.steps.get(one.step)
        if step is None or one.on != "success" or one.step in sure or one.step in seen:
            continue
        seen.add(one.step)
        if "when" in step.keys:
            node = step.keys["when"][1]
            text, holds = _plain(node.text if isinstance(node, YamlScalar) else step.id)
            found.append((text, frozenset(("yes" if holds else "no",))))
        if not isinstance(step.does, MergeStep) and step.kind != "break":
            waiting += [other.need for other in step.needs]
    return found


def _plain(text: str) -> tuple[str, bool]:
    """A condition without what turns it round, so that two of which one is always true are about the same; and whether
    it holds where that does.
    """
    text, holds = text.strip().removeprefix("${{").removesuffix("}}").strip(), True
    if text.startswith("not "):
        text, holds = text.removeprefix("not ").strip(), False
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1].strip()
    for turned, plain in _TURNED:
        if text.count(turned) == 1:
            text, holds = text.replace(turned, plain), not holds
    return f"when {text}", holds


_TURNED = ((" != ", " == "), (" >= ", " < "), (" <= ", " > "), (" is not ", " is "), (" not in ", " in "))
_EITHER = ("yes", "no")
_MOST_CHOICES = 4096
"""Choices together that are gone through; with more nobody is warned."""
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
