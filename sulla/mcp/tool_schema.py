"""A stranger's JSON Schema in the form that arguments are checked against here. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.mcp.words import plain

MAX_DEPTH: Final = 16
"""How deep a schema may go. A deeper one is no help to a model."""


def tidy(schema: FrozenJson, depth: int = MAX_DEPTH) -> JsonObject:
    """The same schema, with what checking relies on made sure of, and its texts without invisible characters.

    ``true`` for the schema of a field becomes ``{}``, which means the same. What is not checked here (`anyOf`, `$ref`,
    `pattern` and the like) stays for the model to read and for the server to check.

    Args:
        schema: as the server gave it.
        depth: how deep it may still go.

    Raises:
        InvalidInput: a keyword that checking goes by has a value that it cannot have, or it is too deep.
    """
    if depth == 0:
        raise InvalidInput(f"its schema is more than {MAX_DEPTH} deep")
    tidied: JsonObject = {}
    for key, value in schema.items():
        match key:
            case "properties":
                tidied[key] = _properties(value, depth)
            case "required":
                if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
                    raise InvalidInput("its schema's `required` is no list of names")
                tidied[key] = value
            case "items" | "additionalProperties" if isinstance(value, dict):
                tidied[key] = tidy(value, depth - 1)
            case _:
                tidied[plain(key)] = _texts(value, depth)
    return tidied


def _properties(value: Json, depth: int) -> JsonObject:
    if not isinstance(value, dict):
        raise InvalidInput("its schema's `properties` are no object")
    found: JsonObject = {}
    for name, inner in value.items():
        if plain(name) != name or not isinstance(inner, dict | bool):
            raise InvalidInput(f"its schema has no schema for {plain(name)[:60]!r}, or one with an invisible name")
        found[name] = tidy(inner, depth - 1) if isinstance(inner, dict) else {}
    return found


def _texts(value: Json, depth: int) -> Json:
    if depth == 0:
        raise InvalidInput(f"its schema is more than {MAX_DEPTH} deep")
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [_texts(each, depth - 1) for each in value]
    if isinstance(value, dict):
        return {plain(key): _texts(each, depth - 1) for key, each in value.items()}
    return value
