"""Whether a step can ever be reached, and a merge ever fire: by what each way excludes. Pure.

What has to hold for a step to run is kept as the routes that other steps may have taken, by their ids. It says less
than it could, so nothing that can happen is ever called impossible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from sulla.playbooks.definition import MergeStep, Need
from sulla.playbooks.expression.tree import Compare, Const, Field, Items, Logic, Not, Tree, paths_of
from sulla.playbooks.file.read_sketch import Sketch, StepAt
from sulla.playbooks.file.read_steps import is_approval, routes_of
from sulla.playbooks.file.read_values import FileReading

Ways = Mapping[str, frozenset[str]]
"""The routes that a step may have taken; ``!id`` for how it ended, where that matters."""


def check_ways(
    step: StepAt,
    here: Mapping[str, StepAt],
    found: Mapping[str, Ways],
    around: Ways,
    sketch: Sketch,
    reading: FileReading,
    been: Callable[[str, StepAt | None], bool],
) -> Ways:
    """What has to hold for a step to run; a fault if that can never be.

    Args:
        step: it.
        here: the steps beside it.
        found: what has to hold for those.
        around: what has to hold for the step that it stands in.
        sketch: the file.
        reading: takes faults.
        been: whether a step has had its turn when another one has its own.
    """
    needs = [(at, _through(at.need, here, found, sketch)) for at in step.needs if at.need.step in here]
    if isinstance(step.does, MergeStep):
        merged = _merged(step, step.does, [ways for _, ways in needs], reading)
    else:
        merged = around
        for at, ways in needs:
            both = _both(merged, ways)
            if isinstance(both, str):
                other = _who(both, merged, ways)
                message = f"it can never run: {other}; a merge brings ways together that exclude each other"
                reading.fault(at.place, "unreachable", message)
                return around
            merged = both
    own = _when(step, sketch, been)
    both = _both(merged, own)
    if isinstance(both, str):
        reading.fault(step.keys["when"][1].place, "unreachable", f"it can never run: {_who(both, merged, own)}")
        return around
    return both


def _through(need: Need, here: Mapping[str, StepAt], found: Mapping[str, Ways], sketch: Sketch) -> Ways:
    """What has to hold for a need to be met."""
    if need.on == "always":
        return {}
    target = here[need.step]
    # Who needs a break wants that there was none, for whatever reason.
    known = {} if target.kind == "break" else found.get(need.step, {})
    own: dict[str, frozenset[str]] = {}
    # How a step ends matters where somebody waits for its failure; one that goes on has no failure for others.
    if need.step in sketch.watched and (target.step is None or target.step.on_failure == "fail"):
        own[f"!{need.step}"] = frozenset({need.on})
    if need.route:
        own[need.step] = frozenset({need.route})
    both = _both(known, own)
    return known if isinstance(both, str) else both


def _both(left: Ways, right: Ways) -> Ways | str:
    """What holds if both do; the id that speaks against it if they exclude each other."""
    if not right or left is right:
        return left
    if not left:
        return right
    found = dict(left)
    for name, routes in right.items():
        found[name] = found[name] & routes if name in found else routes
        if not found[name]:
            return name
    return found


def _who(name: str, left: Ways, right: Ways) -> str:
    """Why two things exclude each other, for people."""
    first, second = (" or ".join(sorted(ways[name])) for ways in (left, right))
    if name.startswith("!"):
        return f"it needs {name[1:]!r} to end in {first} and in {second}"
    return f"{name!r} would have to go {first!r} and {second!r}"


def _merged(step: StepAt, does: MergeStep, ways: list[Ways], reading: FileReading) -> Ways:
    """What has to hold for a merge to fire: one of its ways, or so many."""
    if not ways:
        return {}
    count = does.need if isinstance(does.need, int) else 1
    if 1 < count <= len(ways):
        for name in {name for one in ways for name in one}:
            free = sum(name not in one for one in ways)
            each = Counter(route for one in ways for route in one.get(name, ()))
            most = free + max(each.values(), default=0)
            if most < count:
                place = step.keys["merge"][1].place
                message = f"it waits for {count}, but only {most} can ever come: {name.lstrip('!')!r} goes one way"
                reading.fault(place, "merge", message)
                return {}
    names = set.intersection(*(set(one) for one in ways))
    return {name: frozenset().union(*(one[name] for one in ways)) for name in names}


# ----------------------------------------------------------------------------------------------------------------- when


def _when(step: StepAt, sketch: Sketch, been: Callable[[str, StepAt | None], bool]) -> Ways:
    """What its own `when` says of the routes of others."""
    if "when" not in step.keys:
        return {}
    place = step.keys["when"][1].place.start
    use = sketch.use_at.get(place)
    if use is None or len(use.trees) != 1:
        return {}
    said = _said(use.trees[0][1], sketch)
    return {name: routes for name, routes in said.items() if been(name.lstrip("!"), step)}


def _said(tree: Tree, sketch: Sketch) -> dict[str, frozenset[str]]:
    """The routes for which an expression can be true."""
    if isinstance(tree, Logic) and tree.how == "and":
        left, right = _said(tree.left, sketch), _said(tree.right, sketch)
        return {
            name: left.get(name, right.get(name, frozenset())) & right.get(name, left.get(name, frozenset()))
            for name in {*left, *right}
        }
    if isinstance(tree, Compare) and len(tree.others) == 1:
        return _compared(tree, sketch)
    wanted = "no" if isinstance(tree, Not) else "yes"
    target = _target(tree.of if isinstance(tree, Not) else tree, "output", sketch)
    if target is not None and (target.kind == "condition" or is_approval(target)):
        # A step that was skipped or failed went neither way: `not` holds for that, too.
        return {} if wanted == "no" else {target.id: frozenset({wanted})}
    return {}


def _compared(tree: Compare, sketch: Sketch) -> dict[str, frozenset[str]]:
    how, right = tree.others[0]
    ended = _target(tree.first, "status", sketch)
    if ended is not None and how == "==" and isinstance(right, Const) and right.value == "failed":
        return {f"!{ended.id}": frozenset({"failure"})}
    target = _target(tree.first, "route", sketch)
    if target is None:
        return {}
    routes = frozenset(routes_of(target))
    if how == "==" and isinstance(right, Const) and right.value in routes:
        return {target.id: frozenset({str(right.value)})}
    if how == "in" and isinstance(right, Items) and all(isinstance(item, Const) for item in right.items):
        named = frozenset(str(item.value) for item in right.items if isinstance(item, Const))
        return {target.id: named & routes} if named & routes else {}
    return {}


def _target(tree: Tree, field: str, sketch: Sketch) -> StepAt | None:
    """The step of ``steps.<id>.<field>``."""
    found = list(paths_of(tree))
    if len(found) != 1 or not isinstance(tree, Field):
        return None
    words = found[0].words
    if len(words) == 3 and words[0] == "steps" and words[2] == field and isinstance(words[1], str):
        return sketch.steps.get(words[1])
    return None
