"""Makes a playbook of a workflow of n8n: its nodes, by kind, and the connections between them. Pure.

What has no counterpart stands in the file as a step that a check finds fault with, or that fails and says why; and it
is told. A workflow that is switched off stays off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final, cast

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.flow_import.kinds import playbook_name, step_name
from sulla.playbooks.flow_import.n8n_kinds import PASSED, N8nNode, on_of, step_of_n8n, values_of
from sulla.playbooks.flow_import.n8n_values import NodeNames, condition_of
from sulla.playbooks.flow_import.text import Imported, brought_together, dicts, left_on, playbook_text

_MOST_NODES: Final = 500
_FOR_THE_EYE: Final = "stickyNote"


def is_n8n(said: JsonObject) -> bool:
    """Whether a file with nodes is one of n8n."""
    return isinstance(said.get("connections"), dict)


def import_n8n(said: JsonObject, others: Mapping[str, str]) -> Imported:
    """Make a playbook of a workflow.

    Args:
        said: the whole file.
        others: the names of the playbooks that are made of the workflows beside it, by the ids of these.

    Raises:
        InvalidInput: it has too many nodes.
    """
    return _Workflow(said, others).playbook()


@dataclass(slots=True)
class _Node:
    of: N8nNode
    step: str
    before: list[tuple[str, int]] = field(default_factory=list)
    """Nodes that come before it, each with the number of the output that leads here."""


class _Workflow:
    def __init__(self, said: JsonObject, others: Mapping[str, str]) -> None:
        self._said = said
        self._others = others
        self._notes: list[str] = []
        self._nodes: dict[str, _Node] = {}
        self._triggers: dict[str, N8nNode] = {}
        self._read_nodes()
        self._read_connections()

    def playbook(self) -> Imported:
        """The whole of it."""
        made: JsonObject = {"name": playbook_name(str(self._said.get("name") or self._said.get("id") or ""))}
        found = [on_of(node, self._notes) for node in self._triggers.values() if not node.disabled]
        on: list[Json] = ["manual", *(one for one in found if one is not None and one != "manual")]
        made["on"] = on = left_on(on, self._said.get("active"), self._notes)
        self._tell_of_disabled()
        hooks = [str(one["webhook"]) for one in dicts(on) if "webhook" in one]
        if hooks:
            made["secrets"] = cast("Json", hooks)
        made["inputs"] = {"message": {"type": "string", "default": ""}}
        made["steps"] = [step for node in self._nodes.values() for step in self._steps(node)]
        if not made["steps"]:
            made["steps"] = [{"id": "nothing", "fail": "TODO: the workflow has no nodes that do anything"}]
            self._notes.append("it has no nodes that do anything")
        return Imported(playbook_text(made), tuple(dict.fromkeys(self._notes)))

    def _tell_of_disabled(self) -> None:
        for node in self._triggers.values():
            if node.disabled:
                made = on_of(node, [])
                again = f"; to switch it on add to `on`: {json.dumps(made, ensure_ascii=False)}" if made else ""
                self._notes.append(f"the trigger {node.name!r} ({node.kind}) was switched off; it was left out{again}")

    # -------------------------------------------------------------------------------------------------------- reading

    def _read_nodes(self) -> None:
        said = dicts(self._said.get("nodes"))
        if len(said) > _MOST_NODES:
            raise InvalidInput(f"the workflow has {len(said)} nodes; {_MOST_NODES} are read")
        taken: set[str] = set()
        for one in said:
            node = N8nNode.of(one)
            if node.kind == _FOR_THE_EYE:
                continue
            if node.is_trigger:
                self._triggers[node.name] = node
                continue
            if node.disabled:
                self._notes.append(
                    f"{node.name!r} was switched off; it was left out, and what came after it follows what came before"
                )
            self._nodes[node.name] = _Node(node, step_name(node.name, taken))

    def _read_connections(self) -> None:
        said = self._said.get("connections")
        for source, kinds in said.items() if isinstance(said, dict) else ():
            outputs = kinds.get("main") if isinstance(kinds, dict) else None
            others = [kind for kind in kinds if kind != "main"] if isinstance(kinds, dict) else []
            if others:
                self._notes.append(
                    f"{source!r} is part of another node ({', '.join(others)}): say in that one what it was for"
                )
                self._nodes.pop(source, None)
            for number, targets in enumerate(outputs if isinstance(outputs, list) else ()):
                for target in dicts(targets):
                    self._connect(source, number, str(target.get("node")))

    def _connect(self, source: str, number: int, target: str) -> None:
        if source in self._triggers or target not in self._nodes:
            return
        if source not in self._nodes:
            self._notes.append(f"a connection begins at {source!r}, which is not there; it was left out")
        elif source == target or source in self._after(target):
            self._notes.append(f"a connection leads back from {source!r} to {target!r}: put both into a loop")
        else:
            self._nodes[target].before.append((source, number))

    def _after(self, name: str) -> set[str]:
        found, waiting = set[str](), [name]
        while waiting:
            at = waiting.pop()
            for node in self._nodes.values():
                if node.of.name not in found and any(source == at for source, _ in node.before):
                    found.add(node.of.name)
                    waiting.append(node.of.name)
        return found

    # ---------------------------------------------------------------------------------------------------------- steps

    def _passes(self, node: _Node) -> bool:
        return node.of.disabled or node.of.kind in PASSED

    def _steps(self, node: _Node) -> Iterator[JsonObject]:
        if self._passes(node):
            return
        needs = list(dict.fromkeys(self._needs(node)))
        names = self._names(node)
        head: JsonObject = {"id": node.step, "title": node.of.name}
        if node.of.kind == "switch":
            yield from self._switch(node, needs, names)
            return
        made = step_of_n8n(node.of, names, self._others, self._notes)
        ways, needs = brought_together(node.step, node.of.name, needs, made, self._notes)
        yield from ways
        yield {**head, "needs": cast("Json", needs), **made}

    def _switch(self, node: _Node, needs: list[str], names: NodeNames) -> Iterator[JsonObject]:
        """One condition after another: the first that holds is the way."""
        rules = node.of.parameters.get("rules")
        listed = dicts(rules.get("values", rules.get("rules"))) if isinstance(rules, dict) else []
        for number, rule in enumerate(listed):
            test = condition_of(rule, names)
            if test is None:
                self._notes.append(
                    f"the rule {number + 1} of {node.of.name!r} has to be written anew; it asks a model until then"
                )
            asked = f"Does this hold? {json.dumps(rule, ensure_ascii=False)[:500]}".replace("${{", "$ {{")
            yield {
                "id": f"{node.step}_{number}",
                "title": node.of.name,
                "needs": cast("Json", needs),
                "condition": {"ask": asked} if test is None else f"${{{{ {test} }}}}",
            }
            needs = [f"{node.step}_{number}.no"]
        if not listed:
            self._notes.append(
                f"{node.of.name!r} has no rules that can be read: write a router or conditions in its place"
            )
            yield {"id": f"{node.step}_0", "needs": cast("Json", needs), "fail": "TODO: which way"}

    def _needs(self, node: _Node) -> Iterator[str]:
        for source, number in node.before:
            before = self._nodes[source]
            if self._passes(before):
                yield from self._needs(before)
            elif before.of.kind == "switch":
                rules = before.of.parameters.get("rules")
                count = len(dicts(rules.get("values", rules.get("rules")))) if isinstance(rules, dict) else 0
                yield f"{before.step}_{number}.yes" if number < count else f"{before.step}_{max(0, count - 1)}.no"
            elif before.of.kind in ("if", "filter"):
                yield f"{before.step}.{'yes' if number == 0 else 'no'}"
            else:
                yield before.step

    def _names(self, node: _Node) -> NodeNames:
        nodes = {name: values_of(one.of, one.step) for name, one in self._nodes.items()}
        nodes |= {name: "run" if one.kind == "webhook" else "" for name, one in self._triggers.items()}
        return NodeNames(nodes, self._before(node, nodes))

    def _before(self, node: _Node, nodes: Mapping[str, str]) -> str:
        """Where the values of what comes before are: n8n hands them through what only chooses a way."""
        if not node.before:
            return next((nodes[name] for name in self._triggers if nodes[name]), "")
        sources = {source for source, _ in node.before}
        if len(sources) > 1:
            return ""
        before = self._nodes[sources.pop()]
        through = self._passes(before) or before.of.kind in ("if", "switch", "filter", "wait")
        return self._before(before, nodes) if through else nodes[before.of.name]
