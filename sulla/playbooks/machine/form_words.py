"""What a JSON Schema asks for, in words for people. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from sulla.core.jsontypes import FrozenJson, Json

_ABOUT: Final = frozenset("title description default example examples deprecated $comment $id $schema".split())
"""What a schema says that asks for nothing."""
_SIMPLE: Final[Mapping[str, str]] = {
    "string": "some words",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_NUMBER: Final = ("minimum", "maximum")
_TEXT: Final = ("minLength", "maxLength")
_LIST: Final = ("minItems", "maxItems")
_ASKS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset(("type", *_TEXT)),
    "integer": frozenset(("type", *_NUMBER)),
    "number": frozenset(("type", *_NUMBER)),
    "boolean": frozenset(("type",)),
    "array": frozenset(("type", "items", *_LIST)),
    "object": frozenset(("type", "properties", "required", "additionalProperties")),
}
"""What can be said in words of each type."""


def how_to_answer(schema: FrozenJson) -> str:
    """What a person is to answer. A schema that asks for what has no words here is shown as it is.

    Args:
        schema: of the answer.
    """
    said = _said(schema)
    if not said:
        how = "text" if schema.get("type") == "string" else "JSON"
        return f"As {how} that fits {json.dumps(schema, ensure_ascii=False)}"
    as_json = ", as JSON," if schema.get("type") in ("array", "object") else ""
    return f"Answer{as_json} with {said}{_notes(_about(schema))}."


def _about(schema: object) -> str:
    """What its author says of it."""
    about = schema.get("description") if isinstance(schema, Mapping) else None
    return " ".join(about.split()).rstrip(".") if isinstance(about, str) else ""


def _notes(*notes: str) -> str:
    said = "; ".join(filter(None, notes))
    return f" ({said})" if said else ""


def _said(schema: object) -> str:
    """All that a schema asks for; empty where there are no words for it."""
    if not isinstance(schema, Mapping):
        return ""
    asks = schema.keys() - _ABOUT
    values = schema.get("enum")
    if isinstance(values, list | tuple) and values and asks <= {"enum", "type"}:
        return f"one of {', '.join(map(_value, values))}"
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _ASKS or not asks <= _ASKS[kind]:
        return ""
    match kind:
        case "array":
            inner = _said(schema.get("items"))
            return f"a list{_between(schema, _LIST, ' of', ' entries')}, each entry {inner}" if inner else ""
        case "object":
            return _object(schema)
        case "string":
            return f"some words{_between(schema, _TEXT, ' of', ' characters')}"
        case _:
            return f"{_SIMPLE[kind]}{_between(schema, _NUMBER, '', '')}"


def _object(schema: Mapping[str, Json]) -> str:
    properties, required = schema.get("properties"), schema.get("required") or ()
    if not isinstance(properties, Mapping) or not properties or isinstance(schema.get("additionalProperties"), Mapping):
        return ""
    parts = list[str]()
    for name, inner in properties.items():
        if not (said := _said(inner)):
            return ""
        left_out = "" if isinstance(required, list | tuple) and name in required else "may be left out"
        parts.append(f"{json.dumps(name, ensure_ascii=False)}: {said}{_notes(left_out, _about(inner))}")
    return f"an object with {'; '.join(parts)}"


def _between(schema: Mapping[str, Json], names: tuple[str, str], before: str, behind: str) -> str:
    """The bounds of a number, or of a length."""
    least, most = (schema.get(name) for name in names)
    if least is None and most is None:
        return ""
    if least is None:
        return f"{before or ' of'} at most {most}{behind}"
    if most is None:
        return f"{before or ' of'} at least {least}{behind}"
    return f"{before} {least} to {most}{behind}" if before else f" from {least} to {most}"


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
