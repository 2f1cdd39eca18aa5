"""Expressions and conditions of n8n, as far as they have a counterpart. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.flow_import.text import dicts

_SPOT: Final = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_OF_NODE: Final = re.compile(
    r"""\$(?:\(\s*(?P<q>["'])(?P<call>.+?)(?P=q)\s*\)|node\[\s*(?P<r>["'])(?P<item>.+?)(?P=r)\s*\])"""
    r"""(?:\.(?:item|first\(\)|last\(\)|all\(\)\[0\]))?\.json(?P<path>.*)"""
)
_OF_INPUT: Final = re.compile(r"\$(?:json|input\.(?:item|first\(\)|last\(\))\.json)(?P<path>.*)")
_PATH: Final = re.compile(r"""(?:\.[A-Za-z_]\w*|\[\s*(?:"[^"]*"|'[^']*'|[0-9]+)\s*\])*""")
_COMPARES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("equals", "equal", "is", "dateTimeEquals"), "{0} == {1}"),
    **dict.fromkeys(("notEquals", "notEqual"), "{0} != {1}"),
    "contains": "{1} in {0}",
    "notContains": "{1} not in {0}",
    **dict.fromkeys(("larger", "gt"), "{0} > {1}"),
    **dict.fromkeys(("largerEqual", "gte"), "{0} >= {1}"),
    **dict.fromkeys(("smaller", "lt"), "{0} < {1}"),
    **dict.fromkeys(("smallerEqual", "lte"), "{0} <= {1}"),
    "true": "{0} == true",
    "false": "{0} == false",
    **dict.fromkeys(("exists", "notEmpty", "isNotEmpty"), "({0} | default('')) != ''"),
    **dict.fromkeys(("notExists", "empty", "isEmpty"), "({0} | default('')) == ''"),
}
"""By the word of n8n, with both sides."""


@dataclass(frozen=True, slots=True)
class NodeNames:
    """What the names of a workflow stand for in an expression."""

    nodes: Mapping[str, str]
    """By the name of a node: where its values are."""
    before: str
    """Where those of the node before are; empty where there is none, or several."""


def looked_up(said: str, names: NodeNames) -> str | None:
    """An expression of n8n that only looks something up, as one of here; None for any other."""
    found = _OF_NODE.fullmatch(said)
    if found is not None:
        of = names.nodes.get(found["call"] or found["item"])
    else:
        found = _OF_INPUT.fullmatch(said)
        of = names.before
    if found is None or not of or _PATH.fullmatch(found["path"]) is None:
        return None
    path = found["path"]
    if of == "run":  # n8n gives what a webhook brings along under these names
        path = re.sub(r"^\.body\b", ".payload", path)
        return f"run{path}" if re.match(r"\.(payload|headers|query)\b", path) else None
    return f"{of}{path}"


def value_of(said: Json, names: NodeNames, notes: list[str], where: str) -> Json:
    """A value in which expressions may stand."""
    if isinstance(said, dict):
        return {name: value_of(item, names, notes, where) for name, item in said.items()}
    if isinstance(said, list):
        return [value_of(item, names, notes, where) for item in said]
    if not isinstance(said, str) or not said.startswith("="):
        return said.replace("${{", "$ {{") if isinstance(said, str) else said

    def spot(found: re.Match[str]) -> str:
        inner = looked_up(found[1], names)
        if inner is None:
            notes.append(f"{where}: the expression {found[0][:80]} has to be written anew")
            return f"TODO: {found[1]}"
        return f"${{{{ {inner} }}}}"

    return _SPOT.sub(spot, said[1:])


def condition_of(said: JsonObject, names: NodeNames) -> str | None:
    """The expression of a condition, in the form of either version of n8n; None where there is no counterpart."""
    rules, how = _rules(said)
    made = [_compared(rule, names) for rule in rules]
    if not made or None in made:
        return None
    joined = f" {'or' if how in ('or', 'any') else 'and'} ".join(f"({one})" for one in made)
    return joined if len(made) > 1 else joined[1:-1]


def _rules(said: JsonObject) -> tuple[list[JsonObject], str]:
    of = said.get("conditions")
    if isinstance(of, dict) and isinstance(of.get("conditions"), list):
        return dicts(of["conditions"]), str(of.get("combinator") or "and").lower()
    listed = [rule for rules in of.values() for rule in dicts(rules)] if isinstance(of, dict) else []
    return listed, "or" if said.get("combineOperation") == "any" else "and"


def _compared(rule: JsonObject, names: NodeNames) -> str | None:
    operator = rule.get("operator")
    word = operator.get("operation") if isinstance(operator, dict) else rule.get("operation", "equals")
    form = _COMPARES.get(str(word))
    left = _side(rule.get("leftValue", rule.get("value1")), names)
    right = _side(rule.get("rightValue", rule.get("value2")), names)
    if form is None or left is None or ("{1}" in form and right is None):
        return None
    return form.format(left, right)


def _side(said: Json, names: NodeNames) -> str | None:
    """One side of a comparison."""
    if isinstance(said, str) and said.startswith("="):
        whole = _SPOT.fullmatch(said[1:].strip())
        return looked_up(whole[1], names) if whole is not None else None
    return json.dumps(said, ensure_ascii=False) if isinstance(said, str | int | float | bool) else None
