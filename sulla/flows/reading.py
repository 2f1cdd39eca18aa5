"""Reads a flow from a file or a request, and says all that is wrong with it, each with its place. Pure.

JSON is YAML, so there is one reader for both. A name that nothing has is refused: what is skipped in silence would be
missed by nobody.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson
from sulla.definitions.file_fault import FileFault
from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlScalar, read_nodes
from sulla.flows import schema as s
from sulla.tools.nearest import did_you_mean

MOST_BYTES: Final = 64 * 1024
MOST_NAME: Final = 64
BOM: Final = "\ufeff"
"""What some editors put before a text; it means nothing."""
_MOST_TOLD: Final = 20
_DEEP: Final = 2 * s.MOST_DEEP + 2
"""Levels of YAML: a node and its list of steps are two."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a flow may name."""

    agents: Collection[str]
    """The agents and roles."""
    conditions: Collection[str]

    def with_agents(self, more: Collection[str]) -> Known:
        """The same, and these agents.

        Args:
            more: their keys.
        """
        return Known((*self.agents, *more), self.conditions)


def read_flow(text: str, known: Known) -> s.AgentFlow | tuple[FileFault, ...]:
    """The flow that a text holds, or all that is wrong with it, in the order of the text.

    Args:
        text: YAML or JSON.
        known: what it may name.
    """
    text = text.removeprefix(BOM)
    found = read_nodes(text, most_bytes=MOST_BYTES, most_deep=_DEEP)
    if isinstance(found, YamlFault):
        return (FileFault("the file", found.line, found.column, found.message),)
    reader = _Reader(known)
    flow = reader.flow(found)
    faults = sorted(reader.faults, key=lambda fault: (fault.line, fault.column))[:_MOST_TOLD]
    return tuple(faults) if faults or flow is None else flow


def flow_of(value: FrozenJson, known: Known) -> s.AgentFlow:
    """The flow that a request holds.

    Args:
        value: as `AgentFlow.to_json` gives it.
        known: what it may name.

    Raises:
        InvalidInput: it is none; the message says all that is wrong, each with its place in the flow.
    """
    found = read_flow(json.dumps(value, ensure_ascii=False), known)
    if isinstance(found, s.AgentFlow):
        return found
    raise InvalidInput("; ".join(f"{fault.path}: {fault.message}" for fault in found))


class _Reader:
    """Reads one text and collects what is wrong with it.

    Args:
        known: what it may name.
    """

    def __init__(self, known: Known) -> None:
        self.faults: list[FileFault] = []
        self._known = known
        self._nodes = 0

    def flow(self, node: YamlNode | None) -> s.AgentFlow | None:
        """The flow at the top of a text; None where there is none."""
        if not isinstance(node, YamlMap):
            at = (node.place.line, node.place.column) if node is not None else (1, 1)
            self.faults.append(FileFault("the flow", *at, "expected `name` and `root`"))
            return None
        values = self._keys(node, "the flow", ("name", "root"), ("name", "root"))
        name = self._word(values["name"], "name") if "name" in values else ""
        root = self._node(values["root"], "root", 1) if "root" in values else None
        if len(name) > MOST_NAME:
            self._wrong(values["name"], "name", f"{len(name)} characters; {MOST_NAME} are allowed")
        if self._nodes > s.MOST_NODES:
            self._wrong(node, "the flow", f"{self._nodes} nodes; {s.MOST_NODES} are allowed")
        return s.AgentFlow(name, root) if name and root is not None else None

    def _node(self, node: YamlNode, path: str, depth: int) -> s.FlowNode | None:
        self._nodes += 1
        if depth > s.MOST_DEEP:
            self._wrong(node, path, f"nodes go {s.MOST_DEEP} deep at the most")
            return None
        if isinstance(node, YamlScalar) and isinstance(node.value, str):
            key = self._name(node, path, self._known.agents, "agent")
            return s.AgentNode(key) if key else None
        if not isinstance(node, YamlMap):
            self._wrong(node, path, f"expected a node: the name of an agent, or a `type` of {_types()}")
            return None
        kind = next((value for key, value in node.items if key.text == "type"), None)
        if kind is None:
            self._wrong(node, path, f"the key `type` is missing; expected one of {_types()}")
            return None
        name = kind.text if isinstance(kind, YamlScalar) else ""
        if name not in s.KEYS:
            self._wrong(
                kind,
                f"{path}.type",
                f"there is no node {name!r}; expected one of {_types()}.{did_you_mean(name, s.KEYS)}",
            )
            return None
        if name == "parallel" and path.count(".branches[") >= s.MOST_PARALLEL:
            said = f"parallel nodes go {s.MOST_PARALLEL} deep at the most: each branch is a run that another one began"
            self._wrong(node, path, said)
            return None
        keys = {key.name: key for key in s.KEYS[name]}
        values = self._keys(node, path, ("type", *keys), tuple(key.name for key in keys.values() if key.required))
        del values["type"]
        given = {key: self._value(value, f"{path}.{key}", keys[key], depth) for key, value in values.items()}
        missing = {key.name for key in keys.values() if key.required and given.get(key.name) is None}
        if missing or None in given.values():
            return None
        make: Any = s.CLASSES[name]
        made: s.FlowNode = make(**given)
        return made

    def _value(self, node: YamlNode, path: str, key: s.Key, depth: int) -> object:
        """What stands behind a key; None where it is wrong."""
        match key.takes:
            case "node":
                return self._node(node, path, depth + 1)
            case "nodes":
                return self._several(node, path, depth, s.MOST_BRANCHES if key.name == "branches" else s.MOST_STEPS)
            case "cases":
                return self._cases(node, path, depth)
            case "loops":
                return self._count(node, path, s.MOST_LOOPS)
            case "concurrency":
                return self._count(node, path, s.MOST_BRANCHES)
            case "agent":
                return self._name(node, path, self._known.agents, "agent")
            case "condition":
                return self._name(node, path, self._known.conditions, "condition")
            case "failure":
                return self._name(node, path, ("fail", "collect", "ignore"), "way to fail")
            case _:
                return self._word(node, path) or None

    def _several(self, node: YamlNode, path: str, depth: int, most: int) -> tuple[s.FlowNode, ...] | None:
        if not isinstance(node, YamlList) or not node.items:
            self._wrong(node, path, "expected a list of one node or more")
            return None
        if len(node.items) > most:
            self._wrong(node, path, f"{len(node.items)} nodes; {most} are allowed here")
            return None
        found = [self._node(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(node.items)]
        good = tuple(one for one in found if one is not None)
        return good if len(good) == len(found) else None

    def _cases(self, node: YamlNode, path: str, depth: int) -> Mapping[str, s.FlowNode] | None:
        if not isinstance(node, YamlMap) or not node.items:
            self._wrong(node, path, "expected a node for each value, such as `simple: {type: agent, …}`")
            return None
        names = [key.text for key, _ in node.items]
        if len(names) > s.MOST_STEPS:
            self._wrong(node, path, f"{len(names)} cases; {s.MOST_STEPS} are allowed")
            return None
        values = self._keys(node, path, names, ())
        found = {name: self._node(value, f"{path}.{name}", depth + 1) for name, value in values.items()}
        good = {name: one for name, one in found.items() if one is not None}
        return good if len(good) == len(found) else None

    def _keys(
        self, node: YamlMap, path: str, allowed: Collection[str], required: Collection[str]
    ) -> dict[str, YamlNode]:
        """The values of a map by their keys, of those that may stand there."""
        found: dict[str, YamlNode] = {}
        for key, value in node.items:
            if key.text in found:
                self._wrong(key, path, f"the key {key.text!r} stands here a second time")
            elif key.text not in allowed:
                self._wrong(
                    key,
                    path,
                    f"there is no key {key.text[:MOST_NAME]!r} here; expected {_listed(allowed)}."
                    f"{did_you_mean(key.text, allowed)}",
                )
            else:
                found[key.text] = value
        for name in required:
            if name not in found and not any(key.text == name for key, _ in node.items):
                self._wrong(node, path, f"the key `{name}` is missing")
        return found

    def _name(self, node: YamlNode, path: str, known: Collection[str], what: str) -> str | None:
        name = self._word(node, path)
        if name and name not in known:
            said = f"there is no {what} {name[:MOST_NAME]!r}."
            self._wrong(node, path, f"{said}{did_you_mean(name, known) or f' There is {_listed(sorted(known))}'}")
            return None
        return name or None

    def _count(self, node: YamlNode, path: str, most: int) -> int | None:
        value = node.value if isinstance(node, YamlScalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
            return value
        said = repr(node.text[:MOST_NAME]) if isinstance(node, YamlScalar) else "this"
        self._wrong(node, path, f"{said} is no whole number from 1 to {most}")
        return None

    def _word(self, node: YamlNode, path: str) -> str:
        if isinstance(node, YamlScalar) and isinstance(node.value, str) and node.value.strip():
            return node.value
        self._wrong(node, path, "expected a text of one character or more")
        return ""

    def _wrong(self, node: YamlNode, path: str, message: str) -> None:
        self.faults.append(FileFault(path, node.place.line, node.place.column, message))


def _types() -> str:
    return _listed(s.KEYS)


def _listed(names: Collection[str]) -> str:
    told = ", ".join(f"`{name}`" for name in list(names)[:_MOST_TOLD])
    return f"{told} and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else told


def names_in(flow: s.AgentFlow) -> Iterator[tuple[str, str, str]]:
    """What a flow names: the place, the kind (``agent`` or ``condition``) and the name.

    Args:
        flow: the flow.
    """
    for place, node in s.every(flow.root):
        for key in s.KEYS[node.type]:
            if key.takes in ("agent", "condition"):
                yield place, key.takes, getattr(node, key.name)
