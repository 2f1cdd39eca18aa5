"""Whether an expression looks into what may be null: the error of what went well, what a filter takes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sulla.playbooks.expression.tree import Apply, Field, Path, Tree, parts_of, paths_of
from sulla.playbooks.file.check_order import StepOrder
from sulla.playbooks.file.check_skipped import around
from sulla.playbooks.file.read_sketch import Sketch, StepAt, Use

_TAKE_NULL: Final = ("string", "tojson", "quote", "default")
_ENDS: Final[tuple[tuple[object, ...], ...]] = (("status",), ("error",))
"""The fields of `run` that say how it ends."""


def lacks_error(use: Use, tree: Tree, path: Path, sketch: Sketch, order: StepOrder) -> str:
    """Why what an expression looks up in an error may not be there, and nobody asks; empty where it is.

    Args:
        use: where the expression stands.
        tree: the expression.
        path: what it looks up.
        sketch: the file.
        order: of its steps.
    """
    of = 2 if path.words[0] == "steps" else 1
    if path.words[of : of + 1] != ("error",) or len(path.words) < of + 2 or path.optional:
        return ""
    whose = path.words[:of]
    if any(_asks(other, whose) for other in paths_of(tree)):
        return ""
    behind = _behind(use.step, sketch) if use.step is not None else []
    if of == 2 and (order.has_failed(str(path.words[1]), use.step) or _is_for(behind, str(path.words[1]))):
        return ""
    if of == 1 and any(step.id == one.id for step in behind for one in sketch.definition.on_error):
        return ""
    guards = (other for other in sketch.uses if other.step in behind and other.role in ("when", "while"))
    if any(_asks(other, whose) for guard in guards for _, tree in guard.trees for other in paths_of(tree)):
        return ""
    error = ".".join(map(str, path.words[: of + 1]))
    why = f"{error} is null where {'it has' if of == 2 else 'the run has'} not failed"
    who = f"{path.words[1]!r} need not have failed here, and " if of == 2 else ""
    return f"{who}{why}: say what then, such as `{path} | default('')`, or ask for `{error}` first"


def filtered(tree: Tree) -> Iterator[Path]:
    """Whole outputs and results of steps that go through a filter which takes no null."""
    if isinstance(tree, Apply) and isinstance(tree.of, Field) and tree.name not in _TAKE_NULL:
        path = next(paths_of(tree.of))
        if len(path.words) == 3 and path.words[0] == "steps" and path.words[2] in ("output", "result"):
            yield path
    for part in parts_of(tree):
        yield from filtered(part)


def _asks(path: Path, whose: tuple[object, ...]) -> bool:
    """Whether something is looked up that says how a step or the run has ended."""
    rest = path.words[len(whose) :]
    if path.words[: len(whose)] != whose or (whose == ("run",) and rest[:1] not in _ENDS):
        return False
    return path.optional or rest[:1] != ("error",) or len(rest) == 1


def _behind(step: StepAt, sketch: Sketch) -> list[StepAt]:
    """A step, those that it stands in, and all that has to have gone well before these."""
    found: list[StepAt] = []
    ahead = around(step)
    for at in ahead:  # grows while it is walked
        if at not in found:
            found.append(at)
            needs = (one.need for one in at.needs if one.need.on == "success")
            ahead += [sketch.steps[need.step] for need in needs if need.step in sketch.steps]
    return found


def _is_for(steps: Iterable[StepAt], name: str) -> bool:
    """Whether any of some steps takes care of the failure of one."""
    return any(one.need.on == "failure" and one.need.step == name for step in steps for one in step.needs)
