"""Arguments that are almost right, taken as they were surely meant. Pure.

Only what has one meaning is mended, and only if all of it is right afterwards; everything else is for the model to do
again. Each repair is told, so that it learns.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import cast

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.pattern import late_pattern
from sulla.tools.schema import validate

MAX_NOTES = 10
"""How many repairs of one call are told."""
MAX_TEXT = 1_000_000
"""The most code points of a text that is read as JSON."""

_FENCE = "```"
_FENCE_HEAD = late_pattern(r"```[A-Za-z0-9_-]*[ \t]*")
_STRINGS_OR_COMMA = late_pattern(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|,(?=\s*[\]}])', re.DOTALL)
"""A string that nobody closes goes on to the end, so that no text is looked through again from each of its quotes."""
_INTEGER = late_pattern(r"[+-]?[0-9]{1,18}")
_NUMBER = late_pattern(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_WRAPPERS = frozenset({"args", "arguments", "parameters", "params", "input"})
_WORDS: Mapping[str, bool] = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class RepairedArgs:
    """A model's arguments after the repair, and what was repaired."""

    args: FrozenJson
    notes: tuple[str, ...] = ()
    """One for each repair, in words, at most `MAX_NOTES`; empty if nothing was changed."""


def repaired(args: FrozenJson, schema: FrozenJson) -> RepairedArgs:
    """Mend arguments, if they need it and it helps.

    Args:
        args: what a model gave.
        schema: the tool's, as `validate` reads it.

    Returns:
        Right arguments and what was mended; or `args` as they are, right or beyond repair.
    """
    if not validate(args, schema):
        return RepairedArgs(args)
    notes: list[str] = []
    mended = _object(_unwrapped(args, schema, notes), schema, "", notes)
    return RepairedArgs(args) if validate(mended, schema) else RepairedArgs(mended, tuple(notes[:MAX_NOTES]))


def _unwrapped(args: FrozenJson, schema: FrozenJson, notes: list[str]) -> FrozenJson:
    """All arguments within one field that the tool does not have."""
    if len(args) != 1:
        return args
    [(name, value)] = args.items()
    if name in _WRAPPERS and name not in _properties(schema):
        inner = _parsed(value) if isinstance(value, str) else value
        if isinstance(inner, dict):
            notes.append(f"the arguments stood within {name!r}")
            return inner
    return args


def _object(value: FrozenJson, schema: FrozenJson, where: str, notes: list[str]) -> JsonObject:
    properties, required = _properties(schema), cast("list[str]", schema.get("required") or [])
    others = schema.get("additionalProperties", True)
    by_plain: dict[str, list[str]] = {}
    for known in properties:
        by_plain.setdefault(_plain(known), []).append(known)
    mended: JsonObject = {}
    for name, inner in value.items():
        path = f"{where}.{name}" if where else name
        meant = by_plain.get(_plain(name), [])
        if name not in properties and len(meant) == 1 and meant[0] not in value and others is False:
            notes.append(f"{path} was taken for {meant[0]}")
            name = meant[0]
        about = properties.get(name, others if isinstance(others, dict) else {})
        if inner is None and name in properties and name not in required and "null" not in _kinds(about):
            notes.append(f"{path}: null was left out")
            continue
        mended[name] = _value(inner, about, path, notes)
    return mended


def _value(value: Json, schema: FrozenJson, where: str, notes: list[str]) -> Json:
    kinds = _kinds(schema)
    if kinds and not _fits(value, kinds):
        changed = _as_meant(value, kinds)
        if changed is not value:
            notes.append(f"{where}: {_shown(value)} was taken as {_shown(changed)}")
            value = changed
    choices = schema.get("enum")
    if isinstance(value, str) and isinstance(choices, list) and value not in choices:
        alike = [choice for choice in choices if isinstance(choice, str) and _plain(choice) == _plain(value)]
        if len(alike) == 1:
            notes.append(f"{where}: {_shown(value)} was taken as {_shown(alike[0])}")
            value = alike[0]
    if isinstance(value, dict):
        return _object(value, schema, where, notes)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [_value(item, items, f"{where}[{index}]", notes) for index, item in enumerate(value)]
    return value


def _as_meant(value: Json, kinds: list[str]) -> Json:
    """The value in one of the kinds that were expected; itself if there is no way, or more than one."""
    if isinstance(value, str):
        found = _from_text(value, kinds)
        if found is not None:
            return found
    elif isinstance(value, float) and "integer" in kinds and value.is_integer() and abs(value) < 1e15:
        return int(value)
    elif isinstance(value, int | float) and kinds == ["string"]:
        return json.dumps(value)
    if "array" in kinds and value is not None:
        return [value]
    return value


def _from_text(text: str, kinds: list[str]) -> Json | None:
    word = text.strip()
    if "boolean" in kinds and word.casefold() in _WORDS:
        return _WORDS[word.casefold()]
    if "integer" in kinds and _INTEGER.fullmatch(word):
        return int(word)
    if "number" in kinds and _NUMBER.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    if "array" in kinds or "object" in kinds:
        inner = _parsed(text)
        if isinstance(inner, list | dict) and _fits(inner, kinds):
            return inner
    return None


def _parsed(text: str) -> Json | None:
    """A text as JSON: within a code fence, and with commas too many, as well."""
    if len(text) > MAX_TEXT:
        return None
    body = _unfenced(text)
    for make in (str, _without_commas):
        try:
            value: Json = json.loads(make(body))
        except (ValueError, RecursionError):
            continue
        return value
    return None


def _unfenced(text: str) -> str:
    head, _, rest = text.strip().partition("\n")
    return rest.removesuffix(_FENCE) if rest.endswith(_FENCE) and _FENCE_HEAD.fullmatch(head) else text


def _without_commas(text: str) -> str:
    """Without those that nothing follows in a list or an object."""
    return _STRINGS_OR_COMMA.sub(lambda found: "" if found[0] == "," else found[0], text)


def _fits(value: Json, kinds: list[str]) -> bool:
    match value:
        case None:
            return "null" in kinds
        case bool():
            return "boolean" in kinds
        case str():
            return "string" in kinds
        case int():
            return "integer" in kinds or "number" in kinds
        case float():
            return "number" in kinds
        case list():
            return "array" in kinds
        case dict():
            return "object" in kinds


def _properties(schema: FrozenJson) -> Mapping[str, JsonObject]:
    return cast("Mapping[str, JsonObject]", schema.get("properties") or {})


def _kinds(schema: FrozenJson) -> list[str]:
    kind = schema.get("type")
    return [str(each) for each in kind] if isinstance(kind, list) else [kind] if isinstance(kind, str) else []


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").casefold()


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
