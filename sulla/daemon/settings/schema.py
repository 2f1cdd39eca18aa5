"""`sulla.toml` as a JSON Schema, for editors: docs/sulla.schema.json, and a copy in each home by `sulla init`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel

from sulla.daemon.settings.config import settings_model
from sulla.daemon.settings.meaning import about, meanings

DIALECT = "http://json-schema.org/draft-07/schema#"
"""What editors of TOML read."""

Schema = dict[str, Any]
"""A JSON Schema, or a part of one."""


def schema_text() -> str:
    """The schema as a file holds it."""
    return json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n"


def settings_schema() -> Schema:
    """Every section and setting: its type, its bounds, its default, what it means.

    Secrets have a type and no default. The home is not in it, because the file lies in there.
    """
    whole = settings_model().model_json_schema()
    named = {name: _section(kind, whole["$defs"][name]) for name, kind in _models().items()}
    fields = _described(settings_model(), whole["properties"])
    return {
        "$schema": DIALECT,
        "title": "sulla.toml",
        "description": "The settings of one Sulla daemon.",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _in_place(shape, named) for name, shape in fields.items() if name != "home"},
    }


def _models() -> dict[str, type[BaseModel]]:
    """The models that settings are made of, by name: sections, and what tables with free keys hold."""
    found: dict[str, type[BaseModel]] = {}
    ahead: list[type[BaseModel]] = [settings_model()]
    while ahead:
        fields = ahead.pop().model_fields.values()
        parts = [part for field in fields for part in (field.annotation, *get_args(field.annotation))]
        new = [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]
        ahead += [part for part in new if part.__name__ not in found]
        found |= {part.__name__: part for part in new}
    return found


def _section(kind: type[BaseModel], shape: Schema) -> Schema:
    """A section's form with our words in the place of pydantic's."""
    rest = {key: value for key, value in shape.items() if key not in ("title", "description", "properties")}
    return {"description": about(kind), **rest, "properties": _described(kind, shape.get("properties", {}))}


def _described(kind: type[BaseModel], fields: Mapping[str, Schema]) -> dict[str, Schema]:
    meaning = meanings(kind)
    found: dict[str, Schema] = {}
    for name, shape in fields.items():
        hidden = ("title", "default") if shape.get("writeOnly") else ("title",)
        kept = {key: value for key, value in shape.items() if key not in hidden}
        found[name] = ({"description": meaning[name]} if name in meaning else {}) | kept
    return found


def _in_place(shape: Any, named: Mapping[str, Schema]) -> Any:  # noqa: ANN401 - any part of a schema
    """The form with what it refers to put into its place: not every editor follows references."""
    if isinstance(shape, list):
        return [_in_place(part, named) for part in shape]
    if not isinstance(shape, dict):
        return shape
    if "$ref" in shape:
        return _in_place(named[shape["$ref"].rpartition("/")[2]], named)
    return {key: _in_place(value, named) for key, value in shape.items()}
