"""Makes a playbook of a workflow as Sulla Desktop keeps it: nodes and edges of React Flow, in YAML or JSON. Pure.

What comes out is a text to be read, checked and gone on with by a person. Whatever has no counterpart is told; nothing
is left out silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final, cast

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.definitions.yaml_text import YamlFault, plain, read_nodes
from sulla.playbooks.file.form import MAX_PLAYBOOK_BYTES
from sulla.playbooks.flow_import.kinds import (
    IGNORED,
    TRIGGERS,
    NodeSaid,
    broken_by,
    playbook_name,
    step_name,
    step_of,
    word_of,
)
from sulla.playbooks.flow_import.n8n import import_n8n, is_n8n
from sulla.playbooks.flow_import.text import Imported, brought_together, dicts, left_on, playbook_text

_MOST_NODES: Final = 500
_TEXTS: Final = ("agent", "tool-call", "orchestrator-prompt", "user-input", "response")
"""Kinds of which always text comes."""


@dataclass(slots=True)
class _Node:
    id: str
    step: str
    subtype: str
    label: str
    config: JsonObject
    before: list[tuple[str, str]] = field(default_factory=list)
    """Nodes that come before it, each with the handle that the edge leaves from."""


def import_flow(text: str, others: Mapping[str, str] | None = None) -> Imported:
    """Make a playbook of a workflow.

    Args:
        text: the original's file, YAML or JSON; one of n8n, too.
        others: the names of the playbooks that are made of the workflows beside it, by the ids of these.

    Raises:
        InvalidInput: it is neither, or has no nodes.
    """
    found = read_nodes(text, most_bytes=2 * MAX_PLAYBOOK_BYTES, most_deep=30)
    if isinstance(found, YamlFault):
        raise InvalidInput(f"line {found.line}, column {found.column}: {found.message}")
    said = None if found is None else plain(found)
    if not isinstance(said, dict) or not isinstance(said.get("nodes"), list):
        raise InvalidInput(
            "expected a workflow of Sulla Desktop (`nodes` and `edges`) or of n8n (`nodes`, `connections`)"
        )
    return import_n8n(said, others or {}) if is_n8n(said) else _Flow(said, others or {}).playbook()


def id_and_name(text: str) -> tuple[str, str] | None:
    """The id of a workflow, by which others of a folder refer to it, and the name that its playbook gets.

    Returns:
        None if it is no workflow.
    """
    found = read_nodes(text, most_bytes=2 * MAX_PLAYBOOK_BYTES, most_deep=30)
    try:
        said = None if found is None or isinstance(found, YamlFault) else plain(found)
    except InvalidInput:
        return None
    if not isinstance(said, dict) or not isinstance(said.get("nodes"), list):
        return None
    return str(said.get("id") or said.get("name") or ""), playbook_name(str(said.get("name") or said.get("id") or ""))


class _Flow:
    def __init__(self, said: JsonObject, others: Mapping[str, str]) -> None:
        self._said = said
        self._others = others
        self._notes: list[str] = []
        self._nodes: dict[str, _Node] = {}
        self._triggers: list[_Node] = []
        self._read_nodes()
        self._read_edges()

    def playbook(self) -> Imported:
        """The whole of it."""
        made: JsonObject = {"name": playbook_name(str(self._said.get("name") or self._said.get("id") or ""))}
        if self._said.get("description"):
            made["description"] = str(self._said["description"])
        made["on"] = self._on()
        made["inputs"] = {"message": {"type": "string", "default": ""}}
        bodies = {node.id: self._body(node) for node in self._nodes.values() if node.subtype == "loop"}
        inner = {node for body in bodies.values() for node in body}
        made["steps"] = self._steps([node for node in self._nodes.values() if node.id not in inner], bodies, None)
        return Imported(playbook_text(made), tuple(dict.fromkeys(self._notes)))

    # -------------------------------------------------------------------------------------------------------- reading

    def _read_nodes(self) -> None:
        taken: set[str] = set()
        nodes = dicts(self._said.get("nodes"))
        if len(nodes) > _MOST_NODES:
            raise InvalidInput(f"the workflow has {len(nodes)} nodes; {_MOST_NODES} are read")
        for said in nodes:
            data = said.get("data")
            subtype = str(data.get("subtype", "")) if isinstance(data, dict) else ""
            if said.get("type") in IGNORED or not isinstance(data, dict):
                continue
            label, id_ = str(data.get("label") or said.get("id")), str(said.get("id"))
            step = step_name(label, taken)
            config = data.get("config")
            node = _Node(id_, step, subtype, label, config if isinstance(config, dict) else {})
            if subtype in TRIGGERS or data.get("category") == "trigger":
                self._triggers.append(node)
            else:
                self._nodes[id_] = node

    def _read_edges(self) -> None:
        triggers = {node.id for node in self._triggers}
        for edge in dicts(self._said.get("edges")):
            source, target = str(edge.get("source")), str(edge.get("target"))
            if source in triggers or target not in self._nodes:
                continue
            if source not in self._nodes:
                self._notes.append(f"an edge begins at {source!r}, which is not there; it was left out")
                continue
            if edge.get("targetHandle") == "loop-back":
                continue
            self._nodes[target].before.append((source, str(edge.get("sourceHandle") or "")))
        self._cut_back_edges()

    def _cut_back_edges(self) -> None:
        """Leave out what leads back: here only loops do."""
        after: dict[str, list[str]] = {name: [] for name in self._nodes}
        for node in self._nodes.values():
            for source, _ in node.before:
                after[source].append(node.id)
        done: set[str] = set()
        for first in sorted(self._nodes, key=lambda name: bool(self._nodes[name].before)):
            path, on_path = [(first, iter(after[first]))], {first}
            while path:
                at, others = path[-1]
                target = next(others, None)
                if target is None:
                    path.pop()
                    on_path.discard(at)
                    done.add(at)
                elif target in on_path:
                    self._cut(at, target)
                elif target not in done:
                    path.append((target, iter(after[target])))
                    on_path.add(target)

    def _cut(self, source: str, target: str) -> None:
        node = self._nodes[target]
        node.before = [edge for edge in node.before if edge[0] != source]
        label = self._nodes[source].label
        self._notes.append(f"an edge leads back from {label!r} to {node.label!r}: put both into a loop with a break")

    def _body(self, loop: _Node) -> list[str]:
        """What stands in a loop: all that comes after its start, but not after its exit."""
        found: list[str] = []
        for node in self._nodes.values():
            for source, handle in node.before:
                if (source == loop.id and handle == "loop-start") and node.id not in found:
                    found.append(node.id)
        for id_ in found:  # grows while it is walked
            found += [
                node.id
                for node in self._nodes.values()
                if node.id not in found and node.id != loop.id and any(source == id_ for source, _ in node.before)
            ]
        return found

    # ---------------------------------------------------------------------------------------------------------- steps

    def _on(self) -> list[Json]:
        found: list[Json] = ["manual"]
        for node in self._triggers:
            read = TRIGGERS.get(node.subtype)
            made = None if read is None else read(node.config)
            if made is None:
                self._notes.append(
                    f"the trigger {node.label!r} ({node.subtype}) has no counterpart; `manual` starts it"
                )
            elif made not in found:
                found.append(made)
        # The original starts nothing by itself that does not say that it is on.
        return left_on(found, self._said.get("enabled") is True, self._notes)

    def _steps(self, nodes: Iterable[_Node], bodies: Mapping[str, list[str]], loop: str | None) -> list[Json]:
        found: list[Json] = []
        names = {name: node.step for node in self._nodes.values() for name in (node.id, node.label)}
        for node in nodes:
            if node.subtype == "parallel":
                continue  # what stands behind it begins side by side without it
            needs = list(dict.fromkeys(self._needs(node, loop)))
            said = NodeSaid(node.subtype, node.label, node.config, self._seen(node, loop, names, bodies), self._notes)
            made = step_of(said)
            if node.subtype in ("sub-workflow", "transfer"):
                made |= self._handed(node, made, needs)
            ways, needs = brought_together(node.step, node.label, needs, made, self._notes)
            found += ways
            if node.subtype == "loop":
                deeper = {id_ for other in bodies[node.id] for id_ in bodies.get(other, ())}
                inner = [self._nodes[id_] for id_ in bodies[node.id] if id_ not in deeper]
                loop_said = made["loop"]
                assert isinstance(loop_said, dict)  # noqa: S101  - `step_of` made it
                loop_said["steps"] = [*self._steps(inner, bodies, node.id), *self._breaks(node, inner, names)]
            found.append({"id": node.step, "title": node.label, "needs": cast("Json", needs), **made})
        return found

    def _seen(
        self, node: _Node, loop: str | None, names: Mapping[str, str], bodies: Mapping[str, list[str]]
    ) -> Mapping[str, str]:
        """What names stand for where a node is: in a loop, what comes later is that of the pass before."""
        later = {} if loop is None else {id_: "" for id_ in bodies[loop] if id_ not in self._before(node.id)}
        found = {name: f"steps.{step}.output" for name, step in names.items()}
        for id_ in later:
            found[id_] = found[self._nodes[id_].label] = "loop.last"
        return found

    def _before(self, id_: str) -> set[str]:
        found, waiting = set[str](), [id_]
        while waiting:
            for source, _ in self._nodes[waiting.pop()].before:
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def _handed(self, node: _Node, made: JsonObject, needs: list[str]) -> JsonObject:
        """What another workflow is given: what the last one before it came to, as the original has it."""
        of = str(node.config.get("workflowId") or node.config.get("targetWorkflowId") or "")
        kind = "playbook" if "playbook" in made else "transfer"
        if of in self._others:
            made[kind] = self._others[of]
        else:
            self._notes.append(
                f"{node.label!r} runs the workflow {of!r}: import its folder as a whole, or say which playbook"
            )
        if not needs:
            return {"with": {"message": "${{ inputs.message }}"}}
        if len(needs) > 1:
            return {"with": {"message": f"${{{{ steps.{node.step}_ways.output | tojson }}}}"}}
        before = needs[0].partition(".")[0]
        is_text = any(one.step == before and one.subtype in _TEXTS for one in self._nodes.values())
        return {"with": {"message": f"${{{{ steps.{before}.output{'' if is_text else ' | tojson'} }}}}"}}

    def _breaks(self, loop: _Node, inner: list[_Node], names: Mapping[str, str]) -> list[Json]:
        """What ends a loop by a condition on what was said in it."""
        test = broken_by(str(loop.config.get("condition") or ""), names)
        if test is None:
            return []
        last = next((node.step for node in reversed(inner) if node.subtype != "parallel"), "")
        return [
            {"id": f"{loop.step}_good", "needs": [last], "condition": f"${{{{ {test} }}}}"},
            {"id": f"{loop.step}_end", "needs": [f"{loop.step}_good.yes"], "break": True},
        ]

    def _needs(self, node: _Node, loop: str | None) -> Iterable[str]:
        for source, handle in node.before:
            before = self._nodes[source]
            if source == loop:
                continue
            if before.subtype == "parallel":
                yield from self._needs(before, loop)
            else:
                yield before.step + self._way(before, handle)

    def _way(self, node: _Node, handle: str) -> str:
        if handle in ("condition-true", "condition-false"):
            return ".yes" if handle == "condition-true" else ".no"
        routes = dicts(node.config.get("routes"))
        number = re.fullmatch(r"route-(\d{1,3})", handle)
        if number is not None and int(number[1]) < len(routes):
            return f".{word_of(str(routes[int(number[1])].get('label')), 'route')}"
        if node.subtype in ("router", "condition"):
            self._notes.append(f"an edge from {node.label!r} says no way: it is followed whichever was taken")
        return ""
