"""Where a walk through a flow stands, and where it goes from there. Pure.

A walk's place is a path of numbers, one for each node that it is within, so that a step costs what the flow is deep,
and not how long the walk is. What they mean:

- of a sequence: which step;
- of an if: 1 for its true body, 0 for its false one, -1 while its condition is to be asked;
- of a switch: which case in their order, behind the last for the default, -1 while its variable is to be read;
- of a loop: which pass, from 1; -n while its condition is to be asked before pass n.

An agent and a parallel node have no number: they are what the walk waits for.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from sulla.core.jsontypes import FrozenJson, Json
from sulla.flows.schema import MAX_LOOPS

Path = tuple[int, ...]

_Node = Any
"""A node as the log holds it (`schema.node_to_json`): to make classes of the tree at each step would cost more than the
step. What it holds was checked before it was written."""


class Need(NamedTuple):
    """What has to be known, or done, for a walk to go on."""

    what: Literal["agent", "condition", "variable", "branches"]
    name: str = ""
    """The agent's, the condition's or the variable's."""
    branches: FrozenJson | None = None
    """The parallel node."""
    last: bool = False
    """Of a loop's condition: no further pass is allowed, even if it holds."""


def begin(node: FrozenJson) -> Path:
    """Where a walk through a node begins.

    Args:
        node: the node.
    """
    return _begin(node)


def _begin(node: _Node) -> Path:
    kind = node["type"]
    if kind == "sequence":
        return (0, *_begin(node["steps"][0]))
    return (-1,) if kind in ("if", "switch", "loop") else ()


def need(node: FrozenJson, path: Path) -> Need:
    """What a walk waits for.

    Args:
        node: where it began.
        path: where it stands.
    """
    at: _Node = node
    for number in path:
        kind = at["type"]
        if number < 0:
            if kind == "switch":
                return Need("variable", at["variable"])
            return Need("condition", at["condition"], None, kind == "loop" and -number > at.get("max_loops", MAX_LOOPS))
        at = _below(at, kind, number)
    return Need("agent", at["agent_key"]) if at["type"] == "agent" else Need("branches", "", at)


def place(node: FrozenJson, path: Path) -> str:
    """Where a walk stands, for people: ``root.steps[1].body#2`` is in the second pass of a loop.

    Args:
        node: where it began.
        path: where it stands.
    """
    at: _Node = node
    said = "root"
    for number in path:
        if number < 0:
            break
        said = f"{said}.{_key(at, number)}"
        at = _below(at, at["type"], number)
    return said


def after(node: FrozenJson, path: Path, value: Json) -> Path | None:
    """Where a walk goes once it has what it waits for.

    Args:
        node: where it began.
        path: where it stands.
        value: whether the condition holds, or the variable's value; of anything else it does not matter.

    Returns:
        Where it stands then; None where it is over.
    """
    return _after(node, path, value)


def _after(node: _Node, path: Path, value: Json) -> Path | None:
    if not path:
        return None  # an agent, or branches
    kind, at = node["type"], path[0]
    if at < 0:
        return _entered(node, kind, -at, value)
    inner = _after(_below(node, kind, at), path[1:], value)
    if inner is not None:
        return (at, *inner)
    if kind == "loop":
        return (-at - 1,)
    if kind == "sequence" and at + 1 < len(node["steps"]):
        return (at + 1, *_begin(node["steps"][at + 1]))
    return None


def _entered(node: _Node, kind: str, number: int, value: Json) -> Path | None:
    """The way into what a condition or a value chooses; None where there is nothing."""
    if kind == "loop":
        goes_on = value is True and number <= node.get("max_loops", MAX_LOOPS)
        return (number, *_begin(node["body"])) if goes_on else None
    if kind == "if":
        at, body = (1, node["true_body"]) if value is True else (0, node.get("false_body"))
    else:
        names, case = list(node["cases"]), case_of(value)
        at = names.index(case) if case in node["cases"] else len(names)
        body = node["cases"][names[at]] if at < len(names) else node.get("default")
    return (at, *_begin(body)) if body is not None else None


def case_of(value: Json) -> str | None:
    """What a value is called among the cases of a switch; None for what cannot be one.

    Args:
        value: the variable's.
    """
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def _below(node: _Node, kind: str, at: int) -> _Node:
    """The node below one that a walk is in."""
    if kind == "sequence":
        return node["steps"][at]
    if kind == "loop":
        return node["body"]
    if kind == "if":
        return node["true_body"] if at else node["false_body"]
    cases = list(node["cases"].values())
    return cases[at] if at < len(cases) else node["default"]


def _key(node: _Node, at: int) -> str:
    """The key of that node, for people."""
    match node["type"]:
        case "sequence":
            return f"steps[{at}]"
        case "loop":
            return f"body#{at}"
        case "if":
            return "true_body" if at else "false_body"
        case _:
            names = list(node["cases"])
            return f"cases.{names[at]}" if at < len(names) else "default"
