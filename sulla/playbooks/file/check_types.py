"""Whether values are of the types that are wanted, as far as that can be said beforehand. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json
from sulla.definitions.yaml_text import YamlList, YamlMap, YamlNode, YamlScalar
from sulla.playbooks.definition import (
    OPENS,
    AgentStep,
    ConditionStep,
    HumanStep,
    InputSpec,
    LoopStep,
    MergeStep,
    PromptStep,
    RouterStep,
    SetStep,
    ToolStep,
)
from sulla.playbooks.expression.filter_form import Type
from sulla.playbooks.expression.literals import wrong_literals
from sulla.playbooks.expression.tree import Path, Tree, paths_of
from sulla.playbooks.expression.types import ANY, TOLD, Typing, fits
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.read_sketch import Keys, Sketch, StepAt, Use, place_of
from sulla.playbooks.file.read_steps import is_approval
from sulla.playbooks.machine.result import FIELDS
from sulla.tools.nearest import did_you_mean
from sulla.tools.schema import validate

_OF_SCHEMA: Final[Mapping[str, Type]] = {
    **{word: word for word in ("string", "number", "integer", "boolean", "object", "null")},
    "array": "list",
}
_NO_FIELDS: Final = frozenset(("string", "number", "integer", "boolean", "list"))
_TO_SCHEMA: Final[Mapping[str, str]] = {"list": "array"}
_HANDED_ON: Final = ("args", "inputs", "values", "outputs")
"""Roles of templates whose values are kept, or given to what is no model."""
_FIELDS: Final[Mapping[str, Type]] = {"route": "string", "status": "string", "tries": "integer"}
_RUN: Final[Mapping[str, Type]] = {"payload": ANY, "error": ANY, "headers": "object", "query": "object"}


class Types:
    """Finds the types of all expressions of a file."""

    def __init__(self, sketch: Sketch, known: KnownNames, faults: list[PlaybookFault]) -> None:
        self._sketch = sketch
        self._known = known
        self._faults = faults
        self._found: dict[int, Type] = {}

    def check(self) -> None:
        """Note what does not go together within expressions, and with what their keys want."""
        for use in self._sketch.uses:
            kind, before = ANY, len(self._faults)
            for number in range(len(use.trees)):
                kind = self._expression(use, number)
            if not use.whole:
                kind = "string"
            elif use.wants != ANY and not fits(kind, use.wants):
                hint = "; compare it, such as `… == 'yes'`" if use.wants == "boolean" else ""
                hint = self._advice(use.trees[0][1]) or hint
                self._fault(use, 0, f"expected {TOLD[use.wants]}, this gives {TOLD[kind]}{hint}")
            self._found[use.node.place.start] = kind
            if use.role in _HANDED_ON and len(self._faults) == before:
                self._remarks(use)

    def _remarks(self, use: Use) -> None:
        """Note what a tool says to models where what it gave is meant: in a file, in a value, in another's argument."""
        for number, (spot, tree) in enumerate(use.trees):
            for path in paths_of(tree):
                step = self._step_of(path)
                if step is None or not isinstance(step.does, ToolStep) or path.words[2:3] != ("output",):
                    continue
                known = self._known.tools.get(step.does.tool) if self._known.tools is not None else None
                if known is not None and known.remarks:
                    place = place_of(self._sketch.text, use.node, number, f"steps.{step.id}.output")
                    said = f"in {spot}: {step.does.tool} says this to models, with a remark on it; what it gave is"
                    self._faults.append(PlaybookFault(*place, "remarks", f"{said} steps.{step.id}.result.text"))

    def of(self, node: YamlScalar) -> Type | None:
        """The type of a template that was checked; None for anything else."""
        return self._found.get(node.place.start)

    def _fault(self, use: Use, number: int, message: str) -> None:
        line, column = place_of(self._sketch.text, use.node, number)
        self._faults.append(PlaybookFault(line, column, "type", f"in {use.trees[number][0]}: {message}"))

    def _expression(self, use: Use, number: int) -> Type:
        wrong: list[str] = []
        typing = Typing(lambda path: self._named(path, wrong) or self._lookup(path, wrong))
        tree = use.trees[number][1]
        kind = typing.type_of(tree)
        for message in [*wrong, *typing.problems][:1]:
            self._fault(use, number, message + self._advice(tree))
        for message, word in () if wrong or typing.problems else wrong_literals(tree):
            place = place_of(self._sketch.text, use.node, number, word)
            self._faults.append(PlaybookFault(*place, "expression", f"in {use.trees[number][0]}: {message}"))
        return kind

    def _lookup(self, path: Path, wrong: list[str]) -> Type:
        match path.words:
            case ("inputs", str(name), *rest):
                spec = self._sketch.definition.inputs.get(name)
                kind: Type = ANY if spec is None else spec.type
            case ("steps", str(name), "output", *rest):
                kind, rest = self._output(name, rest, [] if path.optional else wrong)
            case ("steps", str(name), "result", *rest):
                kind, rest = self._result(name, rest, wrong)
            case ("steps", str(), str(field), *rest):
                kind = _FIELDS.get(field, ANY)
            case ("loop", "index", *rest):
                kind = "integer"
            case ("secrets", str(), *rest):
                kind = "string"
            case ("run", str(field), *rest):
                kind = _RUN.get(field, "string")
            case _:
                return ANY
        if not rest:
            return kind
        if kind in _NO_FIELDS and not (kind in ("string", "list") and isinstance(rest[0], int)):
            whole = ".".join(map(str, path.words[: len(path.words) - len(rest)]))
            wrong.append(f"{whole} is {TOLD[kind]}, so it has no {rest[0]!r}")
        return ANY

    def _named(self, path: Path, wrong: list[str]) -> Type | None:
        """The type of a field of what a step sets, or the first of several steps came to; None for anything else."""
        match path.words:
            case ("steps", str(name), "output", str(field), *_):
                step = self._sketch.steps.get(name)
            case _:
                return None
        if step is not None and isinstance(step.does, SetStep):
            return self._of_set(name, step.does, field, wrong)
        if step is not None and isinstance(step.does, MergeStep) and step.does.need == "first" and not path.optional:
            return self._of_first(name, step, wrong)
        return None

    def _of_first(self, name: str, step: StepAt, wrong: list[str]) -> Type | None:
        for need in step.needs:
            kind = self._output(need.need.step, [], [])[0]
            if kind in _NO_FIELDS:
                said = f"steps.{name}.output may be that of {need.need.step!r}, which is {TOLD[kind]} and has no fields"
                wrong.append(f"{said}; have each way end in a `set` of the same names")
                return ANY
        return None

    def _of_set(self, name: str, does: SetStep, field: str, wrong: list[str]) -> Type:
        values = does.values
        if field not in values:
            meant = did_you_mean(field, values) or f" It sets {', '.join(values) or 'nothing'}."
            wrong.append(f"steps.{name}.output has no {field!r}.{meant}".rstrip("."))
        return ANY

    def _output(self, name: str, rest: list[str | int], wrong: list[str]) -> tuple[Type, list[str | int]]:
        """The type of a step's output, as deep as its schema tells, and what is left of the path."""
        step = self._sketch.steps.get(name)
        does = step.does if step is not None else None
        schema: FrozenJson | None = None
        match does:
            case ConditionStep():
                return "boolean", rest
            case ToolStep() | RouterStep() | PromptStep() | AgentStep(output=None) | HumanStep(choices=(_, *_)):
                return "string", rest
            case AgentStep():
                schema = does.output
            case HumanStep() if step is not None and not is_approval(step):
                schema = does.input
            case HumanStep():
                return "boolean", rest
            case SetStep():
                return "object", rest
            case LoopStep():
                return "list", rest  # what the last step of each pass came to
        return _within(schema, rest, f"steps.{name}.output", wrong)

    def _result(self, name: str, rest: list[str | int], wrong: list[str]) -> tuple[Type, list[str | int]]:
        """The type of one of the values of a tool's step, as far as the tool says it, and what is left of the path."""
        step = self._sketch.steps.get(name)
        if step is None or step.does is None:
            return ANY, []
        if not isinstance(step.does, ToolStep):
            wrong.append(f"{name!r} calls no tool, so it has no result; what it came to is steps.{name}.output")
            return ANY, []
        gives = self._gives(step.does.tool)
        if gives is None or not rest:
            return ("object" if not rest else ANY), []
        if rest[0] not in gives:
            meant = did_you_mean(str(rest[0]), gives) or f" It has {', '.join(gives)}."
            wrong.append(f"the result of {step.does.tool!r} has no {rest[0]!r}.{meant}".rstrip("."))
            return ANY, []
        return _within({"type": "object", "properties": dict(gives)}, rest, f"steps.{name}.result", wrong)

    def _gives(self, tool: str) -> FrozenJson | None:
        """The schema of each of the values of a tool's results, by name; None where nobody knows."""
        known = self._known.tools.get(tool) if self._known.tools is not None else None
        return {**FIELDS, **known.gives} if known is not None else None

    def _step_of(self, path: Path) -> StepAt | None:
        """The step that a path begins with; None where it names none, e.g. because its name is worked out."""
        match path.words:
            case ("steps", str(name), *_):
                return self._sketch.steps.get(name)
        return None

    def _advice(self, tree: Tree) -> str:
        """Where an expression has the text of a tool and takes it for something else: where its values are."""
        for path in paths_of(tree):
            step = self._step_of(path)
            if step is not None and isinstance(step.does, ToolStep) and path.words[2:3] == ("output",):
                gives = self._gives(step.does.tool) or FIELDS
                at = f"steps.{path.words[1]}"
                return f"; {at}.output is text for a model, and its values are in {at}.result: {', '.join(gives)}"
        return ""


def _within(
    schema: FrozenJson | None, rest: list[str | int], whole: str, wrong: list[str]
) -> tuple[Type, list[str | int]]:
    """The type of what lies in a value, as deep as its schema tells, and what is left of the path."""
    while schema is not None and rest and isinstance(rest[0], str):
        properties = schema.get("properties")
        inner = properties.get(rest[0]) if isinstance(properties, Mapping) else None
        if not isinstance(inner, Mapping):
            if isinstance(properties, Mapping) and properties and rest[0] not in properties and _is_closed(schema):
                meant = did_you_mean(rest[0], properties) or f" Its schema has {', '.join(properties)}."
                wrong.append(f"{whole} has no {rest[0]!r}.{meant}".rstrip("."))
            return ANY, rest[1:]
        schema, rest, whole = inner, rest[1:], f"{whole}.{rest[0]}"
    return (ANY if schema is None else schema_type(schema)), rest


def _is_closed(schema: FrozenJson) -> bool:
    """Whether a schema that names properties names all: not if it says that there may be others."""
    others = ("additionalProperties", "patternProperties", "anyOf", "oneOf", "allOf", "if", "$ref")
    return not any(schema.get(key) for key in others)


def schema_type(schema: FrozenJson) -> Type:
    """The type that a JSON Schema asks for; ``any`` where it asks for none, for several, or for an unknown one."""
    kind = schema.get("type")
    return _OF_SCHEMA.get(kind, ANY) if isinstance(kind, str) else ANY


@dataclass(frozen=True, slots=True)
class Arguments:
    """Holds what is given against a schema."""

    types: Types
    faults: list[PlaybookFault]
    text: str

    def check(self, place: tuple[int, int], given: Keys, schema: FrozenJson, what: str) -> None:
        """Note arguments that are unknown, missing or of another type.

        Args:
            place: of what is called.
            given: the arguments.
            schema: of an object.
            what: for people, such as ``the tool 'x'``.
        """
        properties = cast("Mapping[str, FrozenJson]", schema.get("properties") or {})
        for name, (key, value) in given.items():
            if name in properties:
                self._value(value, properties[name], name)
            elif schema.get("additionalProperties", True) is False:
                left = [other for other in properties if other not in given]
                meant = did_you_mean(name, left) or f" It takes {', '.join(properties) or 'none'}."
                self._fault(key.place[:2], f"{what} takes no {name!r}.{meant}")
        for name in cast("list[str]", schema.get("required") or []):
            if name not in given and not self._is_meant(name, given, properties):
                about = properties.get(name, {}).get("description") or f"{schema_told(properties.get(name, {}))}"
                self._fault(place, f"{what} needs {name!r}: {about}")

    def _is_meant(self, name: str, given: Keys, properties: Mapping[str, FrozenJson]) -> bool:
        """Whether a name that is not known was probably meant to be this one: one fault is enough."""
        strange = [other for other in given if other not in properties]
        left = [other for other in properties if other not in given]
        return any(f"Did you mean {name!r}" in did_you_mean(other, left) for other in strange)

    def _fault(self, place: tuple[int, int], message: str) -> None:
        self.faults.append(PlaybookFault(*place, "argument", message))

    def _value(self, node: YamlNode, schema: FrozenJson, where: str) -> None:
        if isinstance(node, YamlMap) and isinstance(schema.get("properties"), dict):
            given: Keys = {key.text: (key, value) for key, value in node.items}
            self.check(node.place[:2], given, schema, where)
        elif isinstance(node, YamlList) and isinstance(schema.get("items"), dict):
            for number, item in enumerate(node.items):
                self._value(item, cast("FrozenJson", schema["items"]), f"{where}[{number}]")
        elif isinstance(node, YamlScalar) and OPENS in node.text:
            self._template(node, schema, where)
        elif not _holds_templates(node):
            problems = validate({where: _plain(node)}, {"properties": {where: dict(schema)}})
            for message in problems[:1]:
                self._fault(node.place[:2], message)

    def _template(self, node: YamlScalar, schema: FrozenJson, where: str) -> None:
        kind = self.types.of(node)
        wanted = schema.get("type")
        kinds = wanted if isinstance(wanted, list) else [wanted] if isinstance(wanted, str) else []
        if kind is None or kind == ANY or not kinds:
            return
        if not any(fits(kind, _OF_SCHEMA.get(str(one), ANY)) for one in kinds):
            message = f"{where}: expected {schema_told(schema)}, this gives {TOLD[kind]}"
            self._fault(place_of(self.text, node, 0), message)


def schema_told(schema: FrozenJson) -> str:
    """What a schema asks for, for people."""
    wanted = schema.get("type")
    kinds = wanted if isinstance(wanted, list) else [wanted]
    return " or ".join(TOLD.get(_OF_SCHEMA.get(str(one), str(one)), "a value") for one in kinds)


def _holds_templates(node: YamlNode) -> bool:
    if isinstance(node, YamlScalar):
        return OPENS in node.text
    items = node.items if isinstance(node, YamlList) else [value for _, value in node.items]
    return any(_holds_templates(item) for item in items)


def _plain(node: YamlNode) -> Json:
    if isinstance(node, YamlScalar):
        return node.value
    if isinstance(node, YamlList):
        return [_plain(item) for item in node.items]
    return {key.text: _plain(value) for key, value in node.items}


def schema_of(inputs: Mapping[str, InputSpec]) -> FrozenJson:
    """The inputs of a playbook as the schema of an object."""
    properties: dict[str, Json] = {}
    for name, spec in inputs.items():
        about: dict[str, Json] = {"type": _TO_SCHEMA.get(spec.type, spec.type)}
        if spec.choices:
            about["enum"] = list(spec.choices)
        if spec.description:
            about["description"] = spec.description
        properties[name] = about
    required: list[Json] = [name for name, spec in inputs.items() if spec.required and spec.default is None]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def checked_step(step: StepAt) -> Keys:
    """What stands in a step's ``with``."""
    node = step.keys["with"][1] if "with" in step.keys else None
    return {key.text: (key, value) for key, value in node.items} if isinstance(node, YamlMap) else {}
