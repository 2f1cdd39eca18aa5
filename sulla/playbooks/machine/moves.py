"""What is to be done next for a step that has begun, as its kind says and what has come of it so far. Pure.

Most steps take one move. One that asks somebody first, or shows its result to somebody, takes several; what came of
each is a `MoveNote`, and the notes alone say which move is next. So a step goes on in the same way after a crash.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Literal, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    HumanStep,
    Kind,
    PlaybookStep,
    PromptStep,
    RespondStep,
    RouterStep,
    ToolStep,
)
from sulla.playbooks.machine.decide import NO, YES, NoAnswer, choices_of, read_answer
from sulla.playbooks.machine.form_words import how_to_answer
from sulla.playbooks.machine.output import MAX_MISFITS, asked_for, misfit_of, not_fitting, result_of
from sulla.playbooks.machine.records import Failure
from sulla.tools.schema import problems_of_answer, value_of_answer

MAX_ROUNDS: Final = 3
"""How often an agent does a step again because the orchestrator wants it better."""
MAX_ASKED: Final = 3
"""How often a person is asked again whose answer did not fit."""

_VERDICTS: Final[Mapping[str, tuple[str, ...]]] = {
    "before": ("go", "go_with_notes", "ask"),
    "after": ("approve", "retry", "ask"),
    "check": ("confirm", "edit", "refuse"),
}


class MoveNote(NamedTuple):
    """What came of a move."""

    what: Literal["agent", "person", "work"]
    """Who answered: a conversation's agent, a person, an agent at work."""
    value: Json


@dataclass(frozen=True, slots=True)
class AskAgent:
    """Ask the conversation's agent; it answers by a forced call of `tool`."""

    number: int
    text: str
    tool: str
    about: str
    schema: FrozenJson


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Ask whoever answers approvals."""

    number: int
    text: str
    choices: tuple[str, ...] = ()
    yes_or_no: bool = False
    form: FrozenJson | None = None
    """JSON Schema of the answer; None where any text will do."""


@dataclass(frozen=True, slots=True)
class SetToWork:
    """Have an agent do something, in a run of its own."""

    number: int
    agent: str
    text: str
    tools: tuple[str, ...] | None
    memory: bool = False
    """Whether the agent is told what it remembers."""
    model: str = ""
    """Empty for the agent's own."""


@dataclass(frozen=True, slots=True)
class RunPlaybook:
    """Run another playbook."""

    playbook: str
    args: FrozenJson


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool."""

    tool: str
    args: FrozenJson
    number: int = 0


@dataclass(frozen=True, slots=True)
class AskModel:
    """Have a model choose one of some names."""

    question: str
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TellThread:
    """Tell the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class AwaitTime:
    """Time alone ends it."""


@dataclass(frozen=True, slots=True)
class Complete:
    """It is done."""

    value: Json


@dataclass(frozen=True, slots=True)
class Decide:
    """A person has answered."""

    answer: Json


@dataclass(frozen=True, slots=True)
class Fail:
    """The attempt has failed."""

    failure: Failure


Move = (
    AskAgent
    | AskPerson
    | SetToWork
    | RunPlaybook
    | CallTool
    | AskModel
    | TellThread
    | AwaitTime
    | Complete
    | Decide
    | Fail
)


def move_of(does: Kind, given: FrozenJson, notes: Sequence[MoveNote] = ()) -> Move:
    """The next move of an attempt.

    Args:
        does: the step's kind.
        given: what it works with, expressions worked out.
        notes: what has come of the moves so far.
    """
    make = _MOVES.get(type(does))
    return AwaitTime() if make is None else make(does, given, notes)


# ---------------------------------------------------------------------------------------------------------- one move


def _said(given: FrozenJson, name: str) -> str:
    return str(given.get(name, ""))


def _prompt(does: PromptStep, given: FrozenJson, notes: Sequence[MoveNote]) -> Move:
    if notes:
        return Complete(_object(notes[-1].value).get("reply"))
    schema = _schema(reply={"type": "string", "description": "Your whole reply."})
    return AskAgent(0, _said(given, "text"), "reply", "Gives your reply to the playbook that asks.", schema)


def _human(does: HumanStep, given: FrozenJson, notes: Sequence[MoveNote]) -> Move:
    if not notes:
        return _asked(does, given, 0, "")
    problem = _unfit(does, notes[-1].value)
    return _asked(does, given, len(notes), problem) if problem else Decide(_value(does, notes[-1].value))


def _asked(does: HumanStep, given: FrozenJson, number: int, problem: str) -> Move:
    if number > MAX_ASKED:
        return Fail(Failure("permanent", "no_answer", f"{number} answers did not fit; the last one: {problem}"))
    text = _said(given, "question")
    if problem:
        text = f"{text}\n(The answer before did not fit: {problem})"
    choices = choices_of(does)
    if choices == (YES, NO):
        return AskPerson(number, text, yes_or_no=True)
    if not choices and does.input is not None:
        text = f"{text}\n({how_to_answer(does.input)})"
    return AskPerson(number, text, choices, form=None if choices else does.input)


def _unfit(does: HumanStep, answer: Json) -> str:
    """Why an answer of a person cannot be taken; empty if it can."""
    read = read_answer(does, answer)
    if isinstance(read, NoAnswer):
        return read.reason
    if choices_of(does) or does.input is None:
        return ""
    return "; ".join(problems_of_answer(answer, does.input))


def _value(does: HumanStep, answer: Json) -> Json:
    return answer if does.input is None or choices_of(does) else value_of_answer(answer, does.input)


# ------------------------------------------------------------------------------------------------------ several moves


def _tool(does: ToolStep, given: FrozenJson, notes: Sequence[MoveNote]) -> Move:
    args = _object(given.get("args"))
    if does.check == "schema":
        return CallTool(does.tool, args)
    if not notes:
        text = (
            f"A playbook is about to call {does.tool} with {json.dumps(args, ensure_ascii=False)}. "
            "Confirm this, give other arguments, or refuse, and say why."
        )
        schema = _schema(
            ("notes", "args"),
            verdict={"type": "string", "enum": list(_VERDICTS["check"])},
            args={"type": "object", "description": "All the arguments, for edit."},
            notes={"type": "string", "description": "Why."},
        )
        return AskAgent(0, text, "check_call", "Says whether the call is made.", schema)
    said = _object(notes[-1].value)
    match said.get("verdict"):
        case "confirm":
            return CallTool(does.tool, args, 1)
        case "edit" if isinstance(said.get("args"), dict):
            return CallTool(does.tool, _object(said["args"]), 1)
        case "edit":
            return Fail(Failure("llm_error", "no_arguments", "the arguments were to be edited, and none were given"))
        case _:
            why = said.get("notes") or "it did not say why"
            return Fail(Failure("human_rejected", "refused", f"the agent refused it: {why}"))


@dataclass(slots=True)
class _AgentWork:
    """How far an agent's step has come."""

    does: AgentStep
    given: FrozenJson
    stage: Literal["before", "person", "work", "after", "done"] = "work"
    back_to: Literal["work", "after"] = field(default="work", init=False)
    """Where the stage `person` leads."""
    question: str = field(default="", init=False)
    extra: list[str] = field(default_factory=list, init=False)
    """What is added to the task."""
    told: list[str] = field(default_factory=list, init=False)
    """What the person said to the orchestrator's question about the result."""
    result: Json = field(default=None, init=False)
    rounds: int = field(default=0, init=False)
    misfits: int = field(default=0, init=False)
    """How often the answer did not meet the step's `output`."""

    def take(self, note: MoveNote) -> None:
        """One more note."""
        said = _object(note.value)
        notes = str(said.get("notes", ""))
        match self.stage, said.get("verdict"):
            case "before", "ask":
                self.stage, self.back_to, self.question = "person", "work", notes
            case "before", _:
                self.stage = "work"
                self.extra += [f"The orchestrator adds: {notes}"] if notes else []
            case "person", _:
                words = f"Asked {self.question!r}, a person answered: {note.value}"
                self.stage = self.back_to
                (self.extra if self.back_to == "work" else self.told).append(words)
            case "work", _ if self.misfits < MAX_MISFITS and (why := misfit_of(self.does, note.value)):
                self.misfits += 1
                self.extra.append(not_fitting(why, str(note.value)))
            case "work", _:
                self.result = note.value
                self.stage = "after" if self.does.after is not None else "done"
            case "after", "approve":
                self.stage = "done"
            case "after", "ask":
                self.stage, self.back_to, self.question = "person", "after", notes
            case _:
                self.stage = "work"
                self.rounds += 1
                before = f"The result was: {self.result}"
                self.extra.append(f"It was done before, and is to be done better: {notes}\n{before}")


def _agent(does: AgentStep, given: FrozenJson, notes: Sequence[MoveNote]) -> Move:
    work = _AgentWork(does, given, "before" if does.before is not None else "work")
    for note in notes:
        work.take(note)
    number = len(notes)
    match work.stage:
        case "before":
            return _orchestrator("before", number, f"{given.get('before')}\n\nThe task:\n{given.get('prompt')}")
        case "person":
            return AskPerson(number, work.question or "What is to be done?")
        case "work" if work.rounds > MAX_ROUNDS:
            said = f"the orchestrator wanted it better {work.rounds} times, and that is enough"
            return Fail(Failure("permanent", "not_approved", said))
        case "work":
            return SetToWork(number, does.agent, _task(does, given, work.extra), does.tools, does.memory, does.model)
        case "after":
            told = "".join(f"\n{words}" for words in work.told)
            text = f"{given.get('after')}{told}{_wanted(given)}\n\nThe result:\n{work.result}"
            return _orchestrator("after", number, text)
        case "done":
            result = result_of(does, work.result)
            return Fail(result) if isinstance(result, Failure) else Complete(result)


def _orchestrator(stage: Literal["before", "after"], number: int, text: str) -> AskAgent:
    schema = _schema(
        ("notes",),
        verdict={"type": "string", "enum": list(_VERDICTS[stage])},
        notes={"type": "string", "description": "What to mind, what to do better, or what a person is to be asked."},
    )
    return AskAgent(number, text, f"review_{stage}", "Says how the playbook goes on.", schema)


def _task(does: AgentStep, given: FrozenJson, extra: Sequence[str]) -> str:
    parts = [str(given.get("prompt", "")), _wanted(given).strip(), *extra]
    if does.output is not None:
        parts.append(asked_for(does.output))
    return "\n\n".join(part for part in parts if part)


def _wanted(given: FrozenJson) -> str:
    return f"\n\nIt is done when: {given['success']}" if given.get("success") else ""


def _schema(optional: Sequence[str] = (), **fields: JsonObject) -> FrozenJson:
    required: list[Json] = [name for name in fields if name not in optional]
    return {"type": "object", "properties": dict(fields), "required": required, "additionalProperties": False}


def _object(value: Json) -> JsonObject:
    return dict(value) if isinstance(value, Mapping) else {}


_MOVES: Final[Mapping[type, Callable[[Any, FrozenJson, Sequence[MoveNote]], Move]]] = {
    AgentStep: _agent,
    ToolStep: _tool,
    RouterStep: lambda does, given, notes: AskModel(_said(given, "question"), does.routes),
    ConditionStep: lambda does, given, notes: AskModel(_said(given, "question"), {YES: "it is so", NO: "it is not so"}),
    PlaybookStep: lambda does, given, notes: RunPlaybook(does.playbook, _object(given.get("args"))),
    HumanStep: _human,
    RespondStep: lambda does, given, notes: TellThread(_said(given, "text")),
    PromptStep: _prompt,
}
"""What makes the moves of a kind of step; of any other kind time alone ends it."""
