"""A driver for runs of playbooks that does nothing outward: each step comes to what the test says."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import (
    BreakStep,
    ConditionStep,
    Definition,
    InputSpec,
    Kind,
    LoopStep,
    MergeStep,
    Need,
    ParallelStep,
    Step,
    Template,
    ToolStep,
)
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.records import (
    Fact,
    Failure,
    PassStarted,
    RunEnded,
    StepCompleted,
    StepFailed,
    StepSkipped,
    StepStarted,
    decode,
    encode,
    kind_of,
)

BROKEN = Failure("permanent", "broken", "it broke")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">=": operator.ge,
}  # fmt: skip

Work = Mapping[str, object]
"""What steps come to, by id or address: a value, a `Failure`, or a function of the attempt that gives one."""


def evaluate(template: Template, scope: Mapping[str, object]) -> Json:
    """As much of the expressions as these tests need: a name, a literal, a comparison of two."""
    whole = re.fullmatch(r"\$\{\{([^}]*)\}\}", template.source.strip())
    if whole is not None:
        value: Json = _value(whole[1].strip(), scope)
        return value
    return re.sub(r"\$\{\{([^}]*)\}\}", lambda found: str(_value(found[1].strip(), scope)), template.source)


def _value(text: str, scope: Mapping[str, object]) -> Any:
    for sign, compare in _COMPARE.items():
        left, found, right = text.partition(f" {sign} ")
        if found:
            try:
                return compare(_value(left, scope), _value(right, scope))
            except TypeError as error:
                raise InvalidInput(str(error)) from None
    try:
        return json.loads(text.replace("'", '"'))
    except ValueError:
        value: Any = scope
    for part in text.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise InvalidInput(f"{text}: there is no {part!r}")
        value = value[part]
    return value


def T(source: str) -> Template:  # noqa: N802  - reads as the type that it makes
    return Template(source)


def step(id: str, does: Kind | None = None, *needs: str | Need, **more: Any) -> Step:
    """A step; a tool where nothing else is said. A need may be written ``a``, ``a?failure`` or ``a.route``."""
    return Step(id, does or ToolStep("do"), tuple(map(_need, needs)), **more)


def _need(text: str | Need) -> Need:
    if isinstance(text, Need):
        return text
    name, _, on = text.partition("?")
    name, _, route = name.partition(".")
    return Need(name, on or "success", route)  # type: ignore[arg-type]  # the test writes one of three words


def playbook(*steps: Step, **more: Any) -> Definition:
    inputs = more.pop("inputs", {})
    return Definition("test", "digest", steps, inputs=inputs, **more)


def anything(*names: str) -> dict[str, InputSpec]:
    """Inputs of any truth."""
    return {name: InputSpec("boolean") for name in names}


def merge(*ways: str | Need, need: Any = "all", id: str = "merge") -> Step:
    return step(id, MergeStep(need), *ways)


def both(**branches: Sequence[Step]) -> ParallelStep:
    return ParallelStep({name: tuple(steps) for name, steps in branches.items()})


def each(items: str, *body: Step, **more: Any) -> LoopStep:
    return LoopStep(body, for_each=T(items), **more)


def times(count: int, *body: Step, **more: Any) -> LoopStep:
    return LoopStep(body, count=T(f"${{{{ {count} }}}}"), **more)


def while_(test: str, *body: Step, **more: Any) -> LoopStep:
    return LoopStep(body, while_=T(test), **more)


def whether(expression: str) -> ConditionStep:
    return ConditionStep(test=T(expression))


def leave(id: str, *needs: str, when: str | None = None) -> Step:
    return step(id, BreakStep(), *needs, when=T(when) if when else None)


class Play:
    """One run.

    Args:
        definition: of what.
        inputs: with what.
        work: what the steps come to; those not named come to their address.
        facts: of a run that is taken up again; None begins one.
    """

    def __init__(
        self,
        definition: Definition,
        inputs: dict[str, Json] | None = None,
        work: Work | None = None,
        facts: Sequence[Fact] | None = None,
        **more: Any,
    ) -> None:
        self.definition = definition
        self.work: dict[str, object] = dict(work or {})
        self.book = Playbook(definition, evaluate, **more)
        self.facts: list[Fact] = []
        self.done: list[str] = []
        """The addresses of the attempts that were worked at, in their order."""
        if facts is None:
            self.facts += self.book.start(inputs or {}, 0)
        else:
            self.facts += facts
            self.book.replay(facts)

    def turn(self) -> list[Fact]:
        """What is next."""
        found = self.book.next()
        self.facts += found
        return found

    def work_at(self, started: StepStarted) -> None:
        """An attempt ends, as the test says."""
        self.done.append(started.at)
        result = self.work.get(started.at, self.work.get(started.at.partition("@")[0], started.at))
        if callable(result):
            result = result(started.attempt)
        if isinstance(result, Failure):
            self.facts += self.book.fail(started.at, result)
        else:
            self.facts += self.book.complete(started.at, result)  # type: ignore[arg-type]  # JSON, as the test says

    def run(
        self, choose: Callable[[list[StepStarted]], int] = lambda started: 0, most: int = 10_000
    ) -> RunEnded | None:
        """Play on until the end, or until nothing but an answer helps: time passes as it is needed.

        Args:
            choose: which of the open attempts ends next.
            most: turns; more is a failure of the test.
        """
        for _ in range(most):
            self.turn()
            if self.book.ended is not None:
                return self.book.ended
            started = [each for each in self.book.open if self._is_worked_at(each.at)]
            if started:
                self.work_at(started[choose(started)])
            elif self.book.due_ms is not None:
                self.facts += self.book.tick(self.book.due_ms)
            else:
                return None
        raise AssertionError("the run does not end")

    def _is_worked_at(self, at: str) -> bool:
        """Waits and people are not, unless the test says so."""
        node = self.book.plan.nodes[at.partition("@")[0]]
        return node.takes_place or at in self.work or node.step.id in self.work

    @property
    def ends(self) -> dict[str, str]:
        """How each step ended, by address."""
        words: dict[type[Any], str] = {StepCompleted: "completed", StepFailed: "failed", StepSkipped: "skipped"}
        return {fact.at: words[type(fact)] for fact in self.facts if isinstance(fact, tuple(words))}  # type: ignore[union-attr]  # a step's

    @property
    def passes(self) -> list[tuple[str, int]]:
        return [(fact.at, fact.number) for fact in self.facts if isinstance(fact, PassStarted)]

    def failure(self, at: str) -> Failure:
        """Why a step failed."""
        return next(fact.failure for fact in self.facts if isinstance(fact, StepFailed) and fact.at == at)

    def value(self, at: str) -> Json:
        """A step's output."""
        seen = self.book.look(at)
        assert seen is not None
        return seen["output"]


def over_the_wire(facts: Sequence[Fact]) -> list[Fact]:
    """As they come back from a store."""
    return [decode(kind_of(fact), json.loads(json.dumps(encode(fact))), "test") for fact in facts]


def same(one: Sequence[Fact], other: Sequence[Fact]) -> bool:
    """Whether facts are the same ones: tuples of different kinds may be equal."""
    return [(kind_of(fact), encode(fact)) for fact in one] == [(kind_of(fact), encode(fact)) for fact in other]
