"""The JSON Schema of a playbook's file, for editors: made of the same table that the reader goes by (`form`). Pure.

An editor that knows it completes keys and marks most mistakes; `check` finds all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.definition import MAX_BRANCHES, MAX_PASSES, MAX_STEPS
from sulla.playbooks.durations import DURATION_PATTERN
from sulla.playbooks.file.form import (
    KINDS,
    NAME,
    PARTS,
    PLAYBOOK,
    PLAYBOOK_NAME,
    ROUTE,
    STEP,
    TRIGGER_INPUTS,
    TRIGGERS,
    Key,
    Takes,
)

SCHEMA_FILE: Final = "playbook.schema.json"
"""Beside this module, and in the wheel."""
SCHEMA_ID: Final = "urn:sulla:playbook:v1"

_WHOLE: Final = r"^\s*\$\{\{[\s\S]*\}\}\s*$"


def _pattern(form: str) -> str:
    return f"^(?:{form})$"


def _ref(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


_EXPRESSION: Final[JsonObject] = {"type": "string", "pattern": _WHOLE}
_NAMES: Final[JsonObject] = {"type": "string", "pattern": _pattern(NAME.pattern)}
_TEXT: Final[JsonObject] = {"type": ["string", "number", "boolean"]}
_TEMPLATE: Final[JsonObject] = {"type": ["string", "number", "boolean"], "minLength": 1}
_DURATION: Final[JsonObject] = {"type": "string", "pattern": DURATION_PATTERN}
_ANYTHING: Final[JsonObject] = {}

SHAPES: Final[Mapping[Takes, tuple[str, JsonObject]]] = {
    "agent": ("an agent's id", {"type": ["string", "null"]}),
    "answer": ("`run`, or how", {"anyOf": [{"const": "run"}, _ref("answer")]}),
    "any": ("any value", _ANYTHING),
    "args": ("values by name, expressions in them", {"type": "object"}),
    "branches": ("branches", _ref("parallel")),
    "break": ("`true`", {"enum": [True, None]}),
    "budget": ("a budget", _ref("budget")),
    "check": ("`schema` or `orchestrator`", {"enum": ["schema", "orchestrator"]}),
    "concurrency": ("how many", _ref("concurrency")),
    "condition": ("an expression, or `ask`", {"anyOf": [_EXPRESSION, {"type": "boolean"}, _ref("condition")]}),
    "count": (f"1 to {MAX_PASSES}, or an expression", {"anyOf": [{"type": "integer", "minimum": 1}, _EXPRESSION]}),
    "cron": ("a cron expression or a duration", {"type": "string"}),
    "cut": ("`fail` or `allow`", {"enum": ["fail", "allow"]}),
    "defaults": ("defaults", _ref("defaults")),
    "duration": ("a duration", _DURATION),
    "each": ("a list, or an expression", {"anyOf": [{"type": "array"}, _EXPRESSION]}),
    "encoding": ("`hex` or `base64`", {"enum": ["hex", "base64"]}),
    "expires": ("a duration, or `never`", {"anyOf": [_DURATION, {"const": "never"}]}),
    "expression": ("an expression", _EXPRESSION),
    "factor": ("a number", {"type": "number"}),
    "flag": ("`true` or `false`", {"type": ["boolean", "null"]}),
    "inputs": ("inputs by name", {"type": "object", "propertyNames": _NAMES, "additionalProperties": _ref("input")}),
    "loop": ("a loop", _ref("loop")),
    "maps": ("values", {"type": ["object", "array"]}),
    "merge": ("`all`, `first` or a number", {"anyOf": [{"enum": ["all", "first"]}, {"type": "integer", "minimum": 1}]}),
    "model": ("a model's name", {"type": "string"}),
    "money": ("a number", {"type": "number", "minimum": 0}),
    "name": ("a name", _NAMES),
    "names": ("a list of names", {"type": "array", "items": _TEXT}),
    "needs": ("steps", _ref("needs")),
    "number": ("a whole number", {"type": "integer"}),
    "on": ("triggers", _ref("on")),
    "on_failure": ("`fail` or `go_on`", {"enum": ["fail", "go_on"]}),
    "playbook": ("a playbook's name", {"type": "string", "pattern": _pattern(PLAYBOOK_NAME.pattern)}),
    "rest": ("`cancel` or `go_on`", {"enum": ["cancel", "go_on"]}),
    "retry": ("tries, or how", {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 20}, _ref("retry")]}),
    "routes": (
        "texts by name",
        {
            "type": "object",
            "minProperties": 2,
            "propertyNames": {"pattern": _pattern(ROUTE.pattern)},
            "additionalProperties": _TEXT,
        },
    ),
    "schema": ("a JSON Schema", {"type": "object"}),
    "signed": (
        "`standard`, `github`, `stripe`, `slack`, or how",
        {"anyOf": [{"enum": ["standard", "github", "stripe", "slack"]}, _ref("signed")]},
    ),
    "steps": ("steps", _ref("steps")),
    "template": ("text, expressions in it", _TEMPLATE),
    "text": ("text", _TEXT),
    "type": ("a type", {"enum": ["string", "number", "integer", "boolean", "list", "object"]}),
    "values": ("a list of texts", {"type": "array", "minItems": 2, "items": _TEXT}),
    "wait": ("a duration, an expression, or `until`", {"anyOf": [_DURATION, _EXPRESSION, _ref("wait")]}),
    "when_full": ("`queue`, `skip` or `cancel_old`", {"enum": ["queue", "skip", "cancel_old"]}),
    "word": ("a name", {"type": "string"}),
    "zone": ("a time zone", {"type": "string"}),
}
"""What each kind of value is: for people, and as JSON Schema."""


def _property(key: Key) -> JsonObject:
    shape = dict(SHAPES[key.takes][1])
    if key.high:
        shape |= {"minimum": key.low, "maximum": key.high}
    return shape | {"description": key.about.replace("`", "")}


def _object(keys: Iterable[Key]) -> JsonObject:
    keys = tuple(keys)
    required: list[Json] = [key.name for key in keys if key.required]
    found: JsonObject = {
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: _property(key) for key in keys},
    }
    return found | {"required": required} if required else found


def _needs() -> JsonObject:
    one: JsonObject = {
        "anyOf": [
            {"type": "string", "pattern": rf"^{NAME.pattern}(?:\..+)?$"},
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": {"enum": ["success", "failure", "always"]},
            },
        ]
    }
    return {"anyOf": [one, {"type": "array", "items": one}]}


def _on() -> JsonObject:
    given: list[Json] = [_object((*keys, TRIGGER_INPUTS)) for keys in TRIGGERS.values()]
    for kind, trigger in zip(TRIGGERS, given, strict=True):
        assert isinstance(trigger, dict)  # noqa: S101  - `_object` made it
        trigger["required"] = [kind]
    one: JsonObject = {"anyOf": [{"enum": ["manual", "heartbeat"]}, *given]}
    return {"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]}


def _steps() -> JsonObject:
    """One alternative for each kind, chosen by its key, so that editors complete the keys of that kind."""
    kinds: list[Json] = [{"required": [kind]} for kind in KINDS]
    chosen: list[Json] = []
    for kind, keys in KINDS.items():
        told: JsonObject = {"required": [kind]}
        if kind == "prompt":
            told["not"] = {"required": ["agent"]}
        chosen.append({"if": told, "then": _object((*STEP, *keys))})
    items: JsonObject = {"type": "object", "anyOf": kinds, "allOf": chosen}
    return {"type": "array", "minItems": 1, "maxItems": MAX_STEPS, "items": items}


def playbook_schema() -> JsonObject:
    """The schema of a playbook's file."""
    parts: JsonObject = {name: _object(keys) for name, keys in PARTS.items()}
    parts["input"] = {"anyOf": [SHAPES["type"][1], {"type": "null"}, parts["input"]]}
    branches: JsonObject = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": MAX_BRANCHES,
        "propertyNames": _NAMES,
        "additionalProperties": _ref("steps"),
    }
    parts["parallel"] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["branches"],
        "properties": {"branches": branches},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "A playbook of Sulla",
        **_object(PLAYBOOK),
        "$defs": {"steps": _steps(), "needs": _needs(), "on": _on(), **parts},
    }


def schema_text() -> str:
    """The same, as the file beside this module has it."""
    return json.dumps(playbook_schema(), indent=2, ensure_ascii=False) + "\n"
