"""What of an expression nobody can know in a dry run, because a placeholder stands for it. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, cast

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import BreakStep, LoopStep, MergeStep, ParallelStep, PlaybookStep, Step
from sulla.playbooks.expression.tree import Apply, Field, Is, Name, Path, Tree, parts_of, paths_of
from sulla.playbooks.machine.scope import Scope

_MARKS: Final = ("<output of ", "<answer to ", "<entry of ", "<input ", "<text of ")
_OUTPUT_WORDS: Final = 3
"""``steps``, the step and its ``output``."""


def holds_guess(value: Json) -> bool:
    """Whether a placeholder stands anywhere in a value."""
    said = json.dumps(value, default=str)
    return any(mark in said for mark in _MARKS)


@dataclass(slots=True)
class Guesses:
    """The steps for which a placeholder stands, as far as a dry run has come."""

    whole: set[str] = field(default_factory=set, init=False)
    """Those that came to one, or to what is made from one."""
    any: set[str] = field(default_factory=set, init=False)
    """The loops, branches and merges too that came to a list or an object with one in it."""
    within: set[str] = field(default_factory=set, init=False)
    """Those that are playbooks; nobody knows here which of their outputs hang on placeholders."""
    part_of: dict[str, set[str]] = field(default_factory=dict, init=False)
    """The loops, branches and merges that come to what a step has come to."""

    def learn(self, step: Step) -> None:
        """Note what a step comes to is made of."""
        if isinstance(step.does, PlaybookStep):
            self.within.add(step.id)
        for inner in last_ones(step):
            self.part_of.setdefault(inner, set()).add(step.id)

    def note(self, step: str) -> None:
        """Note that a step came to a placeholder, or to what is made from one."""
        self.whole.add(step)
        waiting = {step}
        while waiting:
            self.any |= waiting
            waiting = {outer for one in waiting for outer in self.part_of.get(one, ())} - self.any


def last_ones(step: Step) -> list[str]:
    """The steps whose outputs may be part of what a step comes to.

    Args:
        step: a loop, branches or a merge; any other has none.
    """
    match step.does:
        case MergeStep():
            return [need.step for need in step.needs]
        case LoopStep(body=body):
            blocks: Sequence[Sequence[Step]] = (body,)
        case ParallelStep(branches=branches):
            blocks = tuple(branches.values())
        case _:
            return []
    return [name for block in blocks for name in _last_of(block)]


def _last_of(block: Sequence[Step]) -> list[str]:
    """From behind, until there is one that is done in any case."""
    found: list[str] = []
    sure: set[str] = set()
    has_break = any(isinstance(step.does, BreakStep) for step in block)
    for step in () if has_break else block:
        if step.when is None and all(
            need.on != "failure" and need.step in sure and not need.route for need in step.needs
        ):
            sure.add(step.id)
    for step in reversed(block):
        found.append(step.id)
        if step.id in sure:
            break
    return found


def looked_up(tree: Tree, *, is_whole: bool = False) -> Iterator[tuple[Path, bool]]:
    """Everything that an expression looks up, and whether it asks no more of it than what it is and how long.

    Args:
        tree: the expression.
        is_whole: whether nobody asks more of what it comes to.
    """
    if isinstance(tree, Field | Name):
        paths = list(paths_of(tree))
        plain = is_whole and len(paths) == 1 and len(paths[0].words) == _OUTPUT_WORDS
        yield from ((path, plain) for path in paths)
    else:
        asks_whole = isinstance(tree, Is) or (isinstance(tree, Apply) and tree.name == "length")
        for part in parts_of(tree):
            yield from looked_up(part, is_whole=asks_whole)


def is_guess(path: Path, scope: Scope, guessed: Collection[str], *, is_whole: bool = False) -> bool:
    """Whether a placeholder stands for what is looked up, or lies in it.

    Args:
        path: what is looked up.
        scope: what each name stands for.
        guessed: the steps that came to a placeholder.
        is_whole: whether nobody asks more of it than what it is and how long.
    """
    if path.words[:1] == ("steps",) and (len(path.words) < 3 or path.words[2] not in ("output", "result")):
        return False
    if _came_to_nothing(path, scope):
        return False
    if path.words[:1] == ("steps",) and path.words[1] in guessed:
        return True
    value: object = scope
    for word in path.words:
        if not isinstance(value, Mapping) or word not in value:
            break
        value = value[word]
    if is_whole and not isinstance(value, str):
        return False
    said = value if isinstance(value, str) else "" if value is scope else json.dumps(value, default=str)
    return any(mark in said for mark in _MARKS)


def is_settled(tree: Tree, scope: Scope, guessed: Collection[str], given: Collection[str]) -> bool:
    """Whether an expression looks at nothing that is only known in a real run.

    Args:
        tree: the expression.
        scope: what each name stands for.
        guessed: the steps that came to a placeholder.
        given: the inputs that are no placeholders.
    """
    return not any(_is_made_up(path, scope, given) or is_guess(path, scope, guessed) for path in paths_of(tree))


def _is_given(path: Path, given: Collection[str]) -> bool:
    return path.words[:1] == ("inputs",) and len(path.words) > 1 and path.words[1] in given


def _came_to_nothing(path: Path, scope: Scope) -> bool:
    """Whether it looks at the output or the result of a step that was skipped or failed, or of a loop without a pass:
    null or empty in a real run, too."""
    if path.words[:1] != ("steps",) or len(path.words) < 3 or path.words[2] not in ("output", "result"):
        return False
    step = cast("Mapping[object, Mapping[str, Json]]", scope["steps"])[path.words[1]]
    return step["status"] in ("skipped", "failed") or (step["status"] == "completed" and step["output"] == [])


def _is_made_up(path: Path, scope: Scope, given: Collection[str]) -> bool:
    """Whether it looks at what a dry run has instead of what a real run is told as it begins."""
    match path.words:
        case ("inputs", *_):
            return not _is_given(path, given)
        case ("run", "payload" | "headers" | "query" as field, *_):
            return not cast("Mapping[str, Json]", scope["run"])[field]
        case ("run",) | ("secrets", *_) | ("loop", "last", *_):
            return True
    return False
