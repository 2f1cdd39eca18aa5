"""What a rehearsal is made of: what is asked, what it comes to, and how it went. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from typing import Final, Literal, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.stamp import stamp
from sulla.playbooks.definition import (
    MAX_DEPTH,
    AgentStep,
    ConditionStep,
    Definition,
    HumanStep,
    PlaybookStep,
    PromptStep,
    RouterStep,
    Step,
    ToolStep,
)
from sulla.playbooks.file.check_known import NOTHING_KNOWN, KnownNames
from sulla.playbooks.machine.failures import tool_reasons
from sulla.playbooks.machine.records import NOTHING, Failure, Spent
from sulla.playbooks.machine.result import FIELDS
from sulla.playbooks.machine.scope import Evaluate
from sulla.tools.schema import validate

BEGINS_MS: Final = 1_893_488_400_000
"""When a rehearsal takes place unless said otherwise: 2030-01-01T09:00:00Z, a Tuesday."""
MAX_FACTS: Final = 100_000
"""Of a rehearsal; more happens in none that is meant."""
MAX_TRANSFERS: Final = MAX_DEPTH

FIXTURE_REASON: Final = "fixture"
"""The reason of a failure that a fixture gives none."""

Status = Literal["completed", "failed", "cancelled", "waiting"]
"""How a rehearsal ended. `waiting`: for something that never comes."""

_PASSES: Final = re.compile(r"@[0-9.]+")


@dataclass(frozen=True, slots=True)
class RehearsedAsk:
    """A step begins, and somebody has to say what it comes to."""

    at: str
    """Its address: ``draft@1``; within the playbook of the step `sub`, or of one that took over there, ``sub/draft@1``.
    """
    step: Step
    given: FrozenJson
    """What it works with."""
    attempt: int

    @property
    def place(self) -> str:
        """Its address without passes."""
        return _PASSES.sub("", self.at)


@dataclass(frozen=True, slots=True)
class RehearsedAnswer:
    """What it comes to."""

    value: Json = None
    """Its output, or the answer."""
    result: FrozenJson | None = None
    """What a tool gives as values."""
    failure: Failure | None = None
    after_ms: int | None = 0
    """How long it takes; None for ever."""
    spent: Spent = NOTHING


class Answers(Protocol):
    """Who says what steps come to."""

    def answer(self, ask: RehearsedAsk) -> RehearsedAnswer | None:
        """What a step comes to; None for a playbook that is to be rehearsed.

        Raises:
            InvalidInput: nobody knows.
        """


@dataclass(slots=True)
class RehearsedStep:
    """How a step went, in one pass."""

    at: str
    kind: str
    title: str
    began_ms: int
    status: str = field(default="running", init=False)
    route: str = field(default="", init=False)
    output: Json = field(default=None, init=False)
    why: str = field(default="", init=False)
    """Why it was skipped, or failed."""
    reason: str = field(default="", init=False)
    """Of its failure: a stable word."""
    tries: int = field(default=0, init=False)
    ended_ms: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class RehearsedCall:
    """A call that would have been made."""

    at: str
    tool: str
    args: FrozenJson
    """Secrets as what stands for them."""

    @property
    def place(self) -> str:
        """Its step's address without passes."""
        return _PASSES.sub("", self.at)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A model that would have been asked; an agent asks as often as its work takes."""

    at: str
    what: Literal["agent", "choose", "conversation"]
    text: str


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """How it went."""

    status: Status
    outputs: FrozenJson
    failure: Failure | None
    rows: tuple[RehearsedStep, ...]
    """In the order in which they had their turn."""
    calls: tuple[RehearsedCall, ...]
    models: tuple[ModelCall, ...]
    told: tuple[str, ...]
    """What the conversation was told, step by step."""
    took_ms: int
    spent: Spent


@dataclass(frozen=True, slots=True)
class RehearsalSetting:
    """What a rehearsal takes place in.

    Args:
        find: gives the playbook of a name; raises a `SullaError` if there is none.
        evaluate: works expressions out.
        known: the tools that there are; their arguments are checked where they are known.
        trigger: what started it.
        payload: ``run.payload``.
        request: ``run.headers`` and ``run.query``.
        now_ms: when it begins, UTC milliseconds.
        fit: makes inputs that a playbook within is given fit what it takes.
        go_on: called at each thing that happens; raises `Aborted` once nobody waits for the rehearsal any more.
    """

    find: Callable[[str], Definition]
    evaluate: Evaluate
    known: KnownNames = NOTHING_KNOWN
    trigger: str = "manual"
    payload: Json = None
    request: FrozenJson = field(default_factory=dict)
    now_ms: int = BEGINS_MS
    fit: Callable[[Definition, FrozenJson], FrozenJson] = lambda _, given: given
    go_on: Callable[[], None] = lambda: None


def kind_of_step(step: Step) -> str:
    """The word for what a step does, as it stands in a file."""
    return type(step.does).__name__.removesuffix("Step").lower()


def names_of(definition: Definition, setting: RehearsalSetting, now_ms: int, trigger: str) -> Mapping[str, object]:
    """What expressions may use besides the run itself."""
    run: dict[str, Json] = {
        "id": "rehearsal",
        "playbook": definition.name,
        "started_at": stamp(now_ms),
        "trigger": trigger,
        "payload": setting.payload if trigger == setting.trigger else None,
        "headers": setting.request.get("headers", {}) if trigger == setting.trigger else {},
        "query": setting.request.get("query", {}) if trigger == setting.trigger else {},
        "status": "running",
        "error": None,
    }
    return {"run": run, "secrets": {name: f"<secret {name}>" for name in definition.secrets}}


def models_of(at: str, step: Step, given: FrozenJson) -> list[ModelCall]:
    """The models that a step asks."""

    def said(name: str) -> str:
        return str(given.get(name, ""))

    match step.does:
        case AgentStep():
            asked = [ModelCall(at, "conversation", said(name)) for name in ("before", "after") if name in given]
            return [ModelCall(at, "agent", f"{said('prompt')}\n{said('success')}".strip()), *asked]
        case RouterStep() | ConditionStep():
            return [ModelCall(at, "choose", said("question"))]
        case PromptStep():
            return [ModelCall(at, "conversation", said("text"))]
    return []


def gives_text(step: Step) -> bool:
    """Whether what a step comes to is always text in a real run."""
    does = step.does
    return isinstance(does, ToolStep | PromptStep) or (isinstance(does, AgentStep) and does.output is None)


def as_it_comes(ask: RehearsedAsk, value: Json) -> Json:
    """An output as a real run would have it; none at all is an empty one.

    Raises:
        InvalidInput: a real run would never have it.
    """
    does = ask.step.does
    if gives_text(ask.step):
        if not isinstance(value, str | None):
            raise InvalidInput(
                f"{ask.at!r} comes to text, and is said to come to {value!r:.60}: write it as text; what is JSON in it"
                " is read with `| fromjson`"
            )
        return value or ""
    if isinstance(does, PlaybookStep):
        if not isinstance(value, dict | None):
            raise InvalidInput(f"{ask.at!r} comes to the outputs of a playbook, by name, not to {value!r:.60}")
        return value or {}
    wanted = does.output if isinstance(does, AgentStep) else does.input if isinstance(does, HumanStep) else None
    problems = validate({"output": value}, {"type": "object", "properties": {"output": dict(wanted)}}) if wanted else ()
    if problems:
        raise InvalidInput(f"what {ask.at!r} is said to come to is not what it asks for: {'; '.join(problems)}")
    return value


def result_as_it_comes(ask: RehearsedAsk, came: RehearsedAnswer, known: KnownNames) -> RehearsedAnswer:
    """An answer with its values as a real run would have them; a tool's text may be among those alone.

    Raises:
        InvalidInput: a real run would never have them.
    """
    if came.result is None:
        return came
    if not isinstance(ask.step.does, ToolStep):
        raise InvalidInput(f"{ask.at!r} calls no tool, so it has no `result`: what it comes to is its `output`")
    tool = known.tools.get(ask.step.does.tool) if known.tools is not None else None
    if tool is not None:
        properties: JsonObject = {**FIELDS, **tool.gives}
        schema: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
        if problems := validate(came.result, schema):
            raise InvalidInput(
                f"{ask.at!r} is said to have a result that {ask.step.does.tool!r} never gives: {'; '.join(problems)}"
            )
    text = came.result.get("text")
    return came if came.value is not None else replace(came, value=text if isinstance(text, str) else "")


def in_time(ask: RehearsedAsk, came: RehearsedAnswer, known: KnownNames) -> RehearsedAnswer:
    """An answer of a tool, unless the tool gives up before it is there."""
    does, args = ask.step.does, ask.given.get("args")
    tool = known.tools.get(does.tool) if known.tools is not None and isinstance(does, ToolStep) else None
    if tool is None or tool.limit is None:
        return came
    limit = tool.limit(args if isinstance(args, dict) else {})
    limit_ms = round(limit.seconds * 1000)
    if came.after_ms is not None and came.after_ms <= limit_ms:
        return came
    late = Failure("transient" if limit.passing else "tool_error", "tool", limit.said)
    return RehearsedAnswer(failure=late, after_ms=limit_ms, spent=came.spent)


def check_failure(ask: RehearsedAsk, failure: Failure, known: KnownNames) -> None:
    """Refuse a failure that a real run would never have.

    Raises:
        InvalidInput: a tool's step never fails so.
    """
    does = ask.step.does
    if not isinstance(does, ToolStep):
        return
    tool = known.tools.get(does.tool) if known.tools is not None else None
    if failure.kind == "tool_error" and tool is not None and tool.sorts_failures:
        raise InvalidInput(
            f"{ask.at!r}: {does.tool} never fails as 'tool_error': what may pass, such as no answer or a status from "
            "500 on, is 'transient', and what time does not mend 'permanent'"
        )
    can = tool_reasons(failure.kind)
    if not can:
        raise InvalidInput(f"{ask.at!r}: a tool's step never fails as {failure.kind!r}")
    if failure.reason not in (*can, FIXTURE_REASON):
        raise InvalidInput(
            f"{ask.at!r}: a tool's step never fails as {failure.kind!r} with the reason {failure.reason!r}; reasons of "
            f"that kind: {', '.join(can)}"
        )


def wrong_args(tool: str, args: FrozenJson, known: KnownNames, unknown: Collection[str] = ()) -> Failure | None:
    """The failure that arguments come to which a tool does not take.

    Args:
        tool: its name.
        args: the arguments.
        known: the tools that there are.
        unknown: the arguments of which nobody knows what they will be.
    """
    found = known.tools.get(tool) if known.tools is not None else None
    if found is None:
        return None
    parts = found.schema.get("properties")
    told = {name: {} if name in unknown else part for name, part in parts.items()} if isinstance(parts, dict) else {}
    problems = validate(args, {**found.schema, "properties": told})
    return Failure("permanent", "refused", f"{tool}: {'; '.join(problems)}") if problems else None


def is_repeatable(step: Step, known: KnownNames) -> bool:
    """Whether a step that failed may be done again at all."""
    does = step.does
    found = known.tools.get(does.tool) if known.tools is not None and isinstance(does, ToolStep) else None
    return found is None or not isinstance(does, ToolStep) or found.effect_with(does.args) != "once"
