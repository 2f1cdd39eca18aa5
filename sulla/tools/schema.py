"""A typed function as a JSON Schema, and arguments checked against one. Pure.

The subset: ``str int float bool``, ``list[T]``, ``dict[str, T]``, ``Literal[…]``, ``T | None``, each with `Bounds` if
need be; within the others also ``object``, for any value. Nothing is converted: ``"3"`` is not an integer, and neither
is ``3.0`` or ``true``.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.tools.nearest import did_you_mean

_NEARLY: Final = 1e-9
MAX_PROBLEMS = 10
"""How many faults of one call are listed; a model that gets this many wrong has not read the schema."""

_PRIMITIVES: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_USABLE: Final = "str, int, float, bool, list, dict[str, …], Literal or one of them | None"
_LENGTHS = {"string": "Length", "array": "Items"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a value may be, both ends included: a number itself, a text's code points, a list's entries.

    Used as ``Annotated[int, Bounds(1, 500)]``.
    """

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class SchemaText:
    """What a model is told of a tool: the description and the schema, read off its function."""

    description: str
    schema: FrozenJson


def describe(function: Callable[..., object]) -> SchemaText:
    """Read a tool's description and schema off its function.

    Args:
        function: takes the context first, then parameters that can be given by name. Its docstring describes it, and
            each parameter under ``Args:``.

    Returns:
        The docstring's text before its first section, and an object schema that allows no other fields.

    Raises:
        InvalidInput: something is not described or has a type outside the subset.
    """
    name = getattr(function, "__name__", repr(function))
    text, about = _read_docstring(function)
    if not text:
        raise InvalidInput(f"the tool {name!r} has no docstring: models choose tools by it")
    hints = get_type_hints(function, include_extras=True)
    properties: JsonObject = {}
    required: list[Json] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.name not in about:
            raise InvalidInput(f"the tool {name!r} does not describe {parameter.name!r} under Args")
        where = f"parameter {parameter.name!r} of the tool {name!r}"
        if parameter.name not in hints:
            raise InvalidInput(f"{where} has no annotation, and models are told of what type it is; use {_USABLE}")
        field = _type_schema(hints[parameter.name], where) | {"description": about[parameter.name]}
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            field["default"] = parameter.default
        properties[parameter.name] = field
    schema: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
    return SchemaText(text, schema | {"required": required} if required else schema)


def validate(args: FrozenJson, schema: FrozenJson) -> tuple[str, ...]:
    """Check arguments.

    Args:
        args: what a model gave.
        schema: an object schema; keywords outside the subset are left to the tool itself.

    Returns:
        What is wrong, in sentences that say which field, what was expected and what came; empty if nothing is.
    """
    problems: list[str] = []
    _check_object(args, schema, "", problems)
    if len(problems) > MAX_PROBLEMS:
        return (*problems[:MAX_PROBLEMS], f"… and {len(problems) - MAX_PROBLEMS} more.")
    return tuple(problems)


def value_of_answer(answer: Json, schema: FrozenJson) -> Json:
    """What a person's words mean where an answer has a schema: text if it asks for text, else what they say as JSON.

    Args:
        answer: the words; anything else is a value already.
        schema: of the value.
    """
    if not isinstance(answer, str) or schema.get("type") == "string":
        return answer
    try:
        value: Json = json.loads(answer)
    except ValueError:
        return answer
    return value


def problems_of_answer(answer: Json, schema: FrozenJson) -> tuple[str, ...]:
    """Why a person's answer does not meet its schema, in words for them; empty if it does.

    Args:
        answer: the words, or a value.
        schema: of the value.
    """
    problems: list[str] = []
    _check(value_of_answer(answer, schema), schema, "it", problems)
    return tuple(problem.removeprefix("it").removeprefix(".").removeprefix(": ") for problem in problems[:MAX_PROBLEMS])


# ------------------------------------------------------------------------------------------------ from types to schema


def _type_schema(hint: object, where: str) -> JsonObject:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _with_bounds(_type_schema(inner[0], where), inner[1:])
    if origin in (Union, UnionType) and NoneType in inner and len(inner) == 2:
        return _nullable(_type_schema(next(each for each in inner if each is not NoneType), where))
    if origin is Literal:
        kinds = {_PRIMITIVES.get(type(value)) for value in inner}
        if len(kinds) == 1 and None not in kinds:
            return {"type": kinds.pop(), "enum": list(inner)}
    if hint in _PRIMITIVES:
        return {"type": _PRIMITIVES[hint]}
    if hint is object:
        return {}
    if origin is list:
        return {"type": "array", "items": _type_schema(inner[0], where)}
    if origin is dict and inner[0] is str:
        return {"type": "object", "additionalProperties": _type_schema(inner[1], where)}
    raise InvalidInput(f"{where} is {hint!r}; use {_USABLE}")


def _nullable(schema: JsonObject) -> JsonObject:
    choices = schema.get("enum")
    nullable = schema | {"type": [schema["type"], "null"]}
    return nullable | {"enum": [*choices, None]} if isinstance(choices, list) else nullable


def _with_bounds(schema: JsonObject, extras: tuple[object, ...]) -> JsonObject:
    for bounds in extras:
        if isinstance(bounds, Bounds):
            suffix = _LENGTHS.get(str(schema["type"]), "imum")
            for end, value in (("min", bounds.minimum), ("max", bounds.maximum)):
                if value is not None:
                    schema = schema | {end + suffix: value}
    return schema


def _read_docstring(function: Callable[..., object]) -> tuple[str, dict[str, str]]:
    """The text before the first section, and what ``Args:`` says of each parameter."""
    head, *sections = re.split(r"^(Args|Returns|Raises):\n", inspect.getdoc(function) or "", flags=re.MULTILINE)
    about: dict[str, str] = {}
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title == "Args":
            entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8,}.*)*)", body, flags=re.MULTILINE)
            about = {name: " ".join(text.split()) for name, text in entries}
    paragraphs = (" ".join(paragraph.split()) for paragraph in head.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph), about


# ------------------------------------------------------------------------------------------------------------- checking


def _check(value: Json, schema: FrozenJson, where: str, problems: list[str]) -> None:
    kinds = _kinds(schema)
    kind = _kind(value)
    if kinds and kind not in kinds and not (kind == "integer" and "number" in kinds):
        hint = " Leave it out to get the default." if value is None else ""
        problems.append(f"{where}: expected {' or '.join(kinds)}, got {_shown(value)}.{hint}")
        return
    choices = schema.get("enum")
    if isinstance(choices, list) and not any(value == choice and _kind(choice) == kind for choice in choices):
        known = [choice for choice in choices if isinstance(choice, str)]
        meant = did_you_mean(value, known) if isinstance(value, str) else ""
        wanted = ", ".join(_shown(choice, with_kind=False) for choice in choices)
        problems.append(f"{where}: expected one of {wanted}, got {_shown(value)}.{meant}")
        return
    if "const" in schema and (value != schema["const"] or _kind(schema["const"]) != kind):
        problems.append(f"{where}: expected {_shown(schema['const'], with_kind=False)}, got {_shown(value)}.")
        return
    if isinstance(value, float) and not math.isfinite(value):
        problems.append(f"{where}: expected a finite number, got {value}.")
    elif isinstance(value, dict):
        _check_object(value, schema, where, problems)
    else:
        _check_size(value, schema, where, problems)
        items = schema.get("items")
        if isinstance(value, list) and isinstance(items, dict):
            for index, item in enumerate(value):
                _check(item, items, f"{where}[{index}]", problems)


def _check_object(value: FrozenJson, schema: FrozenJson, where: str, problems: list[str]) -> None:
    properties = cast("Mapping[str, JsonObject]", schema.get("properties") or {})
    others = schema.get("additionalProperties", True)
    required = cast("list[str]", schema.get("required") or [])
    for name in required:
        if name not in value:
            about = properties.get(name, {})
            among = about.get("enum")
            kinds = f"one of {', '.join(map(str, among))}" if isinstance(among, list) else " or ".join(_kinds(about))
            said = f"{_within(where, name)}: missing; expected {kinds or 'any value'}"
            problems.append(f"{said}: {about.get('description', name)}")
    for name, inner in value.items():
        if name in properties:
            _check(inner, properties[name], _within(where, name), problems)
        elif isinstance(others, dict):
            _check(inner, others, _within(where, name), problems)
        elif others is False:
            unused = [known for known in properties if known not in value]
            expected = f" Known: {', '.join(properties)}." if properties else " It takes no fields."
            problems.append(f"{_within(where, name)}: no such field.{did_you_mean(name, unused)}{expected}")


def _check_size(value: Json, schema: FrozenJson, where: str, problems: list[str]) -> None:
    size: float
    if isinstance(value, str):
        size, suffix, unit = len(value), "Length", " characters"
    elif isinstance(value, list):
        size, suffix, unit = len(value), "Items", " entries"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        size, suffix, unit = value, "imum", ""
    else:
        return
    low, high = schema.get(f"min{suffix}"), schema.get(f"max{suffix}")
    shown = _shown(size, with_kind=False)
    if isinstance(low, int | float) and size < low:
        problems.append(f"{where}: expected at least {low}{unit}, got {shown}.")
    if isinstance(high, int | float) and size > high:
        problems.append(f"{where}: expected at most {high}{unit}, got {shown}.")
    if isinstance(value, list):
        if schema.get("uniqueItems") is True and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
            problems.append(f"{where}: expected entries that all differ, got one twice.")
    elif not isinstance(value, str):
        _check_number(cast("float", value), schema, where, problems)


def _check_number(value: float, schema: FrozenJson, where: str, problems: list[str]) -> None:
    above, below, step = (schema.get(name) for name in ("exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
    if isinstance(above, int | float) and value <= above:
        problems.append(f"{where}: expected more than {above}, got {value}.")
    if isinstance(below, int | float) and value >= below:
        problems.append(f"{where}: expected less than {below}, got {value}.")
    # Nearly counts: 0.3 is a multiple of 0.1 to everybody but a computer.
    if isinstance(step, int | float) and step > 0 and abs(value / step - round(value / step)) > _NEARLY:
        problems.append(f"{where}: expected a multiple of {step}, got {value}.")


def _within(where: str, name: str) -> str:
    return f"{where}.{name[:100]}" if where else name[:100]


def _kinds(schema: FrozenJson) -> list[str]:
    kind = schema.get("type")
    if isinstance(kind, list):
        return [str(each) for each in kind]
    return [kind] if isinstance(kind, str) else []


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"


def _shown(value: Json, *, with_kind: bool = True) -> str:
    text = repr(value)
    short = text if len(text) <= 60 else f"{text[:57]}…"
    return f"{short} ({_kind(value)})" if with_kind else short
