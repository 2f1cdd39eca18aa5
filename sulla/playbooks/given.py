"""What somebody says that steps came to, held against what they could come to. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sulla.core.errors import Forbidden, InvalidInput, NotFound
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.definition import (
    BreakStep,
    ConditionStep,
    Definition,
    FailStep,
    HumanStep,
    LoopStep,
    MergeStep,
    ParallelStep,
    PlaybookStep,
    SetStep,
    Step,
    Template,
    ToolStep,
    TransferStep,
    inside,
)
from sulla.playbooks.expression.expression import ExpressionSpot, split
from sulla.playbooks.expression.grammar import parse
from sulla.playbooks.expression.tree import paths_of
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.machine.data_flow import templates_in
from sulla.playbooks.machine.decide import NO, YES, NoAnswer, choices_of, read_answer
from sulla.playbooks.machine.rerun import address
from sulla.playbooks.machine.result import kept
from sulla.playbooks.rehearsal.base import RehearsedAnswer, RehearsedAsk, as_it_comes, gives_text, result_as_it_comes
from sulla.tools.nearest import did_you_mean

_NOT_GIVEN: Final = (BreakStep, TransferStep, FailStep)
"""Kinds of steps that come to nothing of their own."""
_NOT_ALONE: Final = (MergeStep, *_NOT_GIVEN)
"""Kinds of steps that do nothing by themselves."""
_FORMS: Final[Mapping[type, tuple[type, str]]] = {
    ConditionStep: (bool, "true or false"),
    LoopStep: (list, "a list"),
    ParallelStep: (dict, "an object by branch"),
    SetStep: (dict, "an object by name"),
}
"""What steps come to that ask nobody."""
_TOOL_WORDS: Final = frozenset(("output", "result"))
_MERGE_WORDS: Final = frozenset(("output", "route"))


def settled(definition: Definition, given: Mapping[str, Json], known: KnownNames) -> JsonObject:
    """What steps are said to have come to, as a real run would keep it.

    Args:
        definition: the playbook.
        given: by step; of a tool its text, or ``{output, result}``.
        known: the tools that there are.

    Raises:
        NotFound: there is no such step.
        InvalidInput: it stands in another one, or cannot come to that.
    """
    return {name: _settled(step_of(definition, name), value, known) for name, value in given.items()}


def step_of(definition: Definition, name: str) -> Step:
    """A step that stands in no other one.

    Raises:
        NotFound: there is none of that name.
        InvalidInput: it stands in a loop or a branch, or is done at the end.
    """
    steps = {step.id: step for step in definition.steps}
    if name in steps:
        return steps[name]
    outer = next((step.id for step in definition.steps if name in _ids(step)), "")
    if outer:
        raise InvalidInput(f"the step {name!r} stands in {outer!r}: name that one")
    if any(name == step.id or name in _ids(step) for step in definition.all_steps):
        raise InvalidInput(f"the step {name!r} is done at the end of a run, and not by itself")
    raise NotFound(
        f"the playbook {definition.name!r} has no step {name[:60]!r}.{did_you_mean(name, steps)}".rstrip(".")
    )


def check_alone(definition: Definition, name: str, given: Mapping[str, Json]) -> None:
    """Do nothing if a step can be done alone, with what others are said to have come to.

    Raises:
        NotFound: there is no such step.
        InvalidInput: it cannot, or reads what nobody has said.
    """
    step = step_of(definition, name)
    if isinstance(step.does, _NOT_ALONE):
        raise InvalidInput(f"the step {name!r} does nothing that could be done alone")
    if name in given:
        raise InvalidInput(f"the step {name!r} is to be done, and what it comes to is said already")
    own = {name, *_ids(step)}
    lacking = sorted({read for read in _read(step) if read not in own and read not in given})
    if lacking:
        said = " ".join(f"--output {one}=…" for one in lacking)
        raise InvalidInput(f"the step {name!r} reads what {', '.join(map(repr, lacking))} came to: say it ({said})")


# ------------------------------------------------------------------------------------------ who may pass over people

FindPlaybook = Callable[[str], Definition | None]
"""Gives a playbook of the home by its name; None where it has none that can be run."""


def refuse_instead(definition: Definition, find: FindPlaybook, what: str, again: Sequence[str] | None = None) -> None:
    """Do nothing if no step of a playbook asks a person: what steps came to is said by whoever calls, and a way that
    somebody else says is chosen can lead past a question.

    Args:
        definition: the playbook.
        find: gives those within it.
        what: what is wanted, for people.
        again: the addresses of steps that are done again, with all that comes after them: what they ask is asked
            again. None for no such steps.

    Raises:
        Forbidden: a step asks a person.
    """
    _refuse(definition, set(_asking(definition, find)) - _again(definition, again or ()), what)


def refuse_past(definition: Definition, find: FindPlaybook, what: str, again: Sequence[str]) -> None:
    """Do nothing if no question to a person stands before the steps that are done again: its answer would count for
    what comes of them now, too. Arguments and errors as in `refuse_instead`.
    """
    asking = set(_asking(definition, find))
    tops = {_outermost(definition, address(at)[0]) for at in again}
    before = {one for top in tops for one in _before(definition, top)}
    # A loop or a branch of which one step is done again keeps the answers of the others.
    before |= {_outermost(definition, name) for name, _ in map(address, again) if name not in tops}
    within = {top for top in tops if any(address(at)[0] == top for at in again)}
    _refuse(definition, (asking & before) - _again(definition, tuple(within)), what)


def _refuse(definition: Definition, passed: set[str], what: str) -> None:
    if passed:
        steps = ", ".join(repr(step.id) for step in definition.steps if step.id in passed)
        raise Forbidden(
            f"{what} needs a token with the scope 'approve': the playbook {definition.name!r} asks a person at the "
            f"step {steps}, which this may pass over"
        )


def _asking(definition: Definition, find: FindPlaybook, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The steps that ask a person, or that have such steps within them."""
    seen |= {definition.name}
    return (step.id for step in definition.steps if _asks(step, find, seen))


def _asks(step: Step, find: FindPlaybook, seen: frozenset[str]) -> bool:
    match step.does:
        case HumanStep():
            return True
        case PlaybookStep(playbook=name):
            found = find(name)
            return name not in seen and (found is None or any(_asking(found, find, seen)))
        case _:
            return any(_asks(inner, find, seen) for inner in inside(step))


def _outermost(definition: Definition, name: str) -> str:
    """The step that stands in no other one, and is or holds the one named."""
    return next((step.id for step in definition.steps if name == step.id or name in _ids(step)), name)


def _before(definition: Definition, name: str) -> set[str]:
    """The steps that come before one, beside it."""
    needs = {step.id: [need.step for need in step.needs] for step in definition.steps}
    seen, ahead = set[str](), list(needs.get(name, ()))
    while ahead:
        one = ahead.pop()
        if one not in seen:
            seen.add(one)
            ahead += needs.get(one, ())
    return seen


def _again(definition: Definition, steps: Sequence[str]) -> set[str]:
    """Steps that are named whole, and all that comes after them."""
    named = {address(at)[0] for at in steps}
    return {step.id for step in definition.steps if named & {step.id, *_before(definition, step.id)}}


def _settled(step: Step, value: Json, known: KnownNames) -> JsonObject:
    does = step.does
    if isinstance(does, _NOT_GIVEN):
        raise InvalidInput(f"the step {step.id!r} comes to nothing of its own")
    if isinstance(does, MergeStep):
        return _merged(step, does, value)
    names = choices_of(does)
    wanted = next((kind for kind in _FORMS if isinstance(does, kind)), None)
    if wanted is not None and not names and not isinstance(value, _FORMS[wanted][0]):
        raise InvalidInput(f"the step {step.id!r} comes to {_FORMS[wanted][1]}, not to {value!r:.60}")
    if isinstance(does, ConditionStep) and not names:
        return {"output": value, "route": YES if value else NO}
    if names:
        chosen = read_answer(does, value)
        if isinstance(chosen, NoAnswer):
            raise InvalidInput(f"the step {step.id!r}: {chosen.reason}")
        return {"output": chosen.value, "route": chosen.route}
    ask = RehearsedAsk(step.id, step, {}, 1)
    if gives_text(step) and isinstance(value, int | float):
        value = json.dumps(value)  # whoever types 12 or true at a command line means these letters
    return _called(ask, value, known) if isinstance(does, ToolStep) else {"output": as_it_comes(ask, value)}


def _merged(step: Step, does: MergeStep, value: Json) -> JsonObject:
    """The same of a merge: an object by step; of the first its value, or that with the step that it came from."""
    if does.need == "first":
        came = tuple(need.step for need in step.needs)
        if isinstance(value, dict) and value.keys() == _MERGE_WORDS:
            if value["route"] not in came:
                raise InvalidInput(f"the step {step.id!r}: its route is one of {', '.join(map(repr, came))}")
            return dict(value)
        return {"output": value}
    if not isinstance(value, dict):
        raise InvalidInput(f"the step {step.id!r} comes to an object by step, not to {value!r:.60}")
    return {"output": value}


def _called(ask: RehearsedAsk, value: Json, known: KnownNames) -> JsonObject:
    """The same of a tool: its text, or the values that it gave."""
    came = RehearsedAnswer(value)
    if isinstance(value, dict) and value and value.keys() <= _TOOL_WORDS:
        result = value.get("result")
        came = RehearsedAnswer(value.get("output"), result if isinstance(result, dict) else None)
    came = result_as_it_comes(ask, came, known)
    output = as_it_comes(ask, came.value)
    found = kept(came.result, output if isinstance(output, str) else "", truncated=False) if came.result else None
    return {"output": output, **({"result": found} if found else {})}


def _ids(step: Step) -> Iterator[str]:
    for inner in inside(step):
        yield inner.id
        yield from _ids(inner)


def _read(step: Step) -> Iterator[str]:
    """The steps whose outcome a step's expressions name, those of steps within it too."""
    for template in templates_in(step):
        yield from _named(template)
    for inner in inside(step):
        yield from _read(inner)


def _named(template: Template) -> Iterator[str]:
    for spot in split(template.source):
        if isinstance(spot, ExpressionSpot):
            for path in paths_of(parse(spot.source)):
                match path.words:
                    case ("steps", str(name), *_):
                        yield name
                    case _:
                        pass
