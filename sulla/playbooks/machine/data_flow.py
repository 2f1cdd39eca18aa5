"""What reaches a step of a playbook: whose words it works with, as far as its file says so. Pure.

An expression names what flows into it, so what a tool is called with holds words from outside only if one of these
does. Who reads more than that says so itself: an agent by what it has read, a tool by what it has found. What is named
also says that its step was done at all, unless nothing else could be where it is named: so what decided that flows in,
too (`_said_by`). Which way a run went is followed apart from that: words from outside may choose a way, and so have
something done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final

from sulla.playbooks.definition import (
    AgentStep,
    Definition,
    HumanStep,
    LoopStep,
    MergeStep,
    ParallelStep,
    PromptStep,
    Step,
    Template,
    ToolStep,
)
from sulla.playbooks.expression.expression import ExpressionSpot, split
from sulla.playbooks.expression.grammar import parse
from sulla.playbooks.expression.tree import paths_of

EVERYTHING: Final = "*"
"""Where nobody can say what flows in."""
INPUTS: Final = "run.inputs"
PAYLOAD: Final = "run.payload"
"""What a message, an event or a webhook brought along."""
_STATUS: Final = "run.status"
_BROUGHT: Final = frozenset(("payload", "headers", "query"))
READ_AGAIN: Final = (AgentStep, PromptStep)
"""Kinds that are shown what came of their earlier attempts."""


class DataFlow:
    """What flows where in a playbook. Worked out when first asked for, and kept.

    Args:
        definition: one that was checked.
    """

    def __init__(self, definition: Definition) -> None:
        self._steps: dict[str, Step] = {}
        self._loops: dict[str, tuple[Step, ...]] = {}
        self._around: dict[str, tuple[str, ...]] = {}
        self._add(definition.steps, (), ())
        self._own = frozenset(self._steps)
        """The steps that are not of its end."""
        self._add((*definition.on_error, *definition.finally_), (), ())
        self._last = frozenset(step.id for step in definition.finally_)
        self._raced = self._races()
        self._sure: dict[str, frozenset[str]] = {}
        self._made: dict[str, frozenset[str]] = {}
        self._given: dict[str, frozenset[str]] = {}

    def into(self, step: str) -> frozenset[str]:
        """All that can be in what a step works with: ids of steps, `INPUTS`, `PAYLOAD`, or `EVERYTHING`.

        In what a tool is called with, `run.status` as it stands is one of the daemon's own words, and shows no more
        than that the steps at the end had their turn. In all else it could choose what is said, which counts.

        Args:
            step: its id.
        """
        if step not in self._given:
            does = self._steps[step].does
            flowing = self._flowing(step, plain=_STATUS if isinstance(does, ToolStep) else "")
            found = frozenset[str]().union(*(self._closed(name) for name in flowing))
            own = frozenset((step,)) if isinstance(does, READ_AGAIN) else frozenset[str]()
            self._given[step] = found | own
        return self._given[step]

    def varies(self, given: object, step: str) -> bool:
        """Whether a part of what a step works with says something else than its file: what flows in is more than
        secrets.

        Args:
            given: the part.
            step: the step's id.
        """
        return any(True for template in templates_in(given) for _ in self._in(template, step))

    def behind(self, step: str) -> frozenset[str]:
        """All that can be in what a step works with, or decides whether it is done at all: what it needs, its `when`,
        and those of the loops and branches that it stands in. In a loop that is also what it came to itself, in a pass
        before.

        Args:
            step: its id.
        """
        found: dict[str, None] = {}
        waiting = [step, *self.into(step)]
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found[at] = None
            if at in self._steps:
                waiting.extend(self._named(at))
                waiting.extend(self._deciding(at))
        own = bool(self._loops[step]) or isinstance(self._steps[step].does, READ_AGAIN)
        return frozenset(found) - (frozenset() if own else frozenset((step,)))

    def _deciding(self, step: str) -> Iterator[str]:
        one = self._steps[step]
        if step not in self._own:
            yield EVERYTHING  # whichever step it was that failed
        yield from (need.step for need in one.needs)
        if one.when is not None:
            yield from self._in(one.when, step)
        for outer in self._around[step]:
            if isinstance(self._steps[outer].does, LoopStep):
                yield outer  # whether there is another pass may hang on any before
            else:
                yield from self._deciding(outer)

    def _closed(self, name: str) -> frozenset[str]:
        """What can be in what a name stands for."""
        if name not in self._steps:
            return frozenset((name,))
        if name not in self._made:
            self._made[name] = self._reached(name)
        return self._made[name]

    def _reached(self, step: str) -> frozenset[str]:
        """Everything from which there is a way to a step's output, over whichever passes of loops."""
        found: dict[str, None] = {}
        waiting = [step]
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found[at] = None
            if at in self._steps and not isinstance(self._steps[at].does, HumanStep):  # a person answers for themselves
                waiting.extend(self._flowing(at))
        return frozenset(found)

    def _flowing(self, step: str, plain: str = "") -> Iterator[str]:
        """What flows in without a step between: what is named, and what decided whether there is any."""
        sure = self._done_before(step)
        for name in self._named(step, plain):
            yield name
            if name in self._steps and name not in sure:
                yield from self._said_by(name, sure)

    def _said_by(self, step: str, sure: Set[str]) -> Iterator[str]:
        """What it says that a step was done, or was not, where others surely were: its `when`, the ways that it needs,
        and what could have failed or been passed over before it.
        """
        found: dict[str, None] = {}
        waiting = [step]
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found[at] = None
            one = self._steps[at]
            if one.when is not None:
                yield from self._in(one.when, at)
            for need in one.needs:
                if need.route or need.step not in sure:
                    yield need.step
                if need.step not in sure:
                    waiting.append(need.step)
            raced = self._raced.get(at, frozenset()) - sure
            yield from raced
            waiting.extend(raced)

    def _races(self) -> Mapping[str, frozenset[str]]:
        """For each step that a merge may leave behind, unfinished, all the steps before such merges: how long each of
        them took, and whether it failed, decided what became of the step.
        """
        found: dict[str, frozenset[str]] = {}
        for merge in self._steps.values():
            if isinstance(merge.does, MergeStep) and merge.does.need != "all" and not merge.does.rest_goes_on:
                before = self._before(need.step for need in merge.needs)
                for step in before:
                    found[step] = found.get(step, frozenset()) | before
        return found

    def _before(self, steps: Iterable[str]) -> frozenset[str]:
        """Steps, what comes before them, and what stands in any of these."""
        found: dict[str, None] = {}
        waiting = list(steps)
        while waiting:
            at = waiting.pop()
            if at not in found:
                found[at] = None
                waiting.extend(need.step for need in self._steps[at].needs)
                waiting.extend(inner for inner, around in self._around.items() if at in around)
        return frozenset(found)

    def _done_before(self, step: str) -> frozenset[str]:
        """The steps that surely were done where one begins."""
        if step not in self._sure:
            one = self._steps[step]
            each = [
                self._done_before(need.step) | {need.step} if need.on == "success" else frozenset[str]()
                for need in one.needs
            ]
            if isinstance(one.does, MergeStep):  # one of them is enough
                found = frozenset[str]() if not each else each[0].intersection(*each[1:])
            else:
                found = frozenset[str]().union(*each)
            self._sure[step] = found.union(*(self._done_before(outer) for outer in self._around[step]))
        return self._sure[step]

    def _named(self, step: str, plain: str = "") -> Iterator[str]:
        """What flows in without a step between, but for expressions that are nothing but `plain`."""
        does = self._steps[step].does
        match does:
            case LoopStep(body=body):
                yield from self._within(body)
            case ParallelStep(branches=branches):
                for branch in branches.values():
                    yield from self._within(branch)
            case MergeStep():
                yield from (need.step for need in self._steps[step].needs)
            case _:
                pass
        for template in templates_in(does):
            yield from self._in(template, step, plain)

    def _within(self, steps: Iterable[Step]) -> Iterator[str]:
        """What steps in a loop or a branch came to, and what decided which of them were done: a `break` or a `fail`
        among them, how many passes there are."""
        for inner in steps:
            yield inner.id
            yield from (need.step for need in inner.needs if need.route)
            if inner.when is not None:
                yield from self._in(inner.when, inner.id)

    def _in(self, template: Template, step: str, plain: str = "") -> Iterator[str]:
        for spot in split(template.source):
            if isinstance(spot, ExpressionSpot) and (not plain or spot.source.strip() != plain):
                for path in paths_of(parse(spot.source)):
                    yield from self._at(path.words, step)

    def _at(self, words: tuple[str | int, ...], step: str) -> Iterator[str]:
        match words:
            case ("steps", str(name), *_) if name in self._steps:
                # Whether it came to it before the run ended hangs on all of them.
                yield from (name, EVERYTHING) if name in self._own and step not in self._own else (name,)
                # Seen from outside a loop it is what the last pass came to, and the whole loop says which that was.
                yield from (loop.id for loop in self._loops[name] if loop.id != step and loop not in self._loops[step])
            case ("inputs", *_):
                yield INPUTS
            case ("run", "error", *_) | ("run",):
                yield EVERYTHING  # any step's failure may be in it
            case ("run", "status"):
                yield from (EVERYTHING,) if step in self._last else ()
            case ("run", str(field), *_):
                yield from (PAYLOAD,) if field in _BROUGHT else ()
            case ("secrets", *_):
                pass
            case ("loop", *fields):
                yield from self._passes(step, alone=fields == ["index"])
            case _:
                yield from self._item(str(words[0]), step)

    def _passes(self, step: str, *, alone: bool) -> Iterator[str]:
        """What says how many passes the loops around a step have, and what they came to, unless it is that alone."""
        yield from (inner.id for inner in _body(self._steps[step]))  # a loop's own `while` looks at the pass before
        for loop in self._loops[step]:
            for given in templates_in(loop.does):
                yield from self._in(given, loop.id)
            if not alone:
                yield from (inner.id for inner in _body(loop))

    def _item(self, name: str, step: str) -> Iterator[str]:
        """The entry of a loop."""
        for loop in self._loops[step]:
            given = (loop.does.for_each, loop.does.entries, loop.does.matrix) if isinstance(loop.does, LoopStep) else ()
            if any(one is not None for one in given) and getattr(loop.does, "name", "") == name:
                for template in templates_in(given):
                    yield from self._in(template, loop.id)
                return
        yield EVERYTHING

    def _add(self, steps: Iterable[Step], loops: tuple[Step, ...], around: tuple[str, ...]) -> None:
        for step in steps:
            self._steps[step.id], self._loops[step.id], self._around[step.id] = step, loops, around
            if isinstance(step.does, LoopStep):
                self._add(step.does.body, (step, *loops), (step.id,))
            elif isinstance(step.does, ParallelStep):
                for branch in step.does.branches.values():
                    self._add(branch, loops, (step.id,))


def reached_by(into: Set[str], outside: Set[str]) -> frozenset[str]:
    """What of that which flows somewhere is from outside.

    Args:
        into: what flows there.
        outside: what holds words from outside.
    """
    if into and (EVERYTHING in into or EVERYTHING in outside):
        return frozenset(outside)
    return frozenset(into & outside)


def _body(loop: Step) -> Iterator[Step]:
    return iter(loop.does.body if isinstance(loop.does, LoopStep) else ())


def templates_in(given: object) -> Iterator[Template]:
    """All templates in a step or its arguments, but for those of the steps within.

    Args:
        given: a step, what it does, or what is given to it.
    """
    match given:
        case Template():
            yield given
        case Mapping():
            for item in given.values():
                yield from templates_in(item)
        case tuple() | list():
            for item in given:
                yield from templates_in(item)
        case LoopStep(count=count, while_=while_, for_each=for_each, entries=entries, matrix=matrix):
            yield from templates_in((count, while_, for_each, entries, matrix))
        case ParallelStep() | str() | int() | float() | None:
            return
        case _:
            for name in getattr(given, "__slots__", ()):
                yield from templates_in(getattr(given, name))
