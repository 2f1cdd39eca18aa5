"""What `sulla flow check`, `graph` and `dry-run` do with flows. No daemon has to run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.definitions.flow_options import read_flow_options
from sulla.definitions.yaml_text import YamlMap, read_nodes
from sulla.flows.begin import flags_of
from sulla.flows.conditions import SessionContext
from sulla.flows.drawing import mermaid
from sulla.flows.reading import MOST_BYTES, FlowFault, read_flow
from sulla.flows.rehearsal import Rehearsal
from sulla.flows.roles import read_roles
from sulla.flows.schema import MOST_DEEP, AgentFlow
from sulla.flows.shelf import ENDINGS, FlowShelf, ShelvedFlow
from sulla.host.host import Host
from sulla.terminal.exits import Exit
from sulla.terminal.table import harmless, one_line

DEFAULT = "default"
"""The name of the shipped flow, unless the home has one of that name."""


class FlowFiles:
    """The flows of a home, and those in files that somebody names.

    Args:
        host: of a home on which no daemon has to run.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._shelf = host.needed(FlowShelf)
        self._shelf.read()

    def all(self) -> list[ShelvedFlow]:
        """Those of the home."""
        return list(self._shelf.flows.values())

    def find(self, name: str) -> ShelvedFlow | None:
        """The flow that a name means, or that a file holds; None if it is none.

        Args:
            name: of the home's, or a file's.
        """
        if name in self._shelf.flows:
            return self._shelf.flows[name]
        if name == DEFAULT:
            return ShelvedFlow(Path(DEFAULT), self._shelf.default(None))
        file = Path(name)
        if file.suffix not in ENDINGS or not file.is_file():
            return None
        text = file.read_text("utf-8", errors="replace")
        found = read_nodes(text, most_bytes=MOST_BYTES, most_deep=2 * MOST_DEEP + 2)
        if not isinstance(found, YamlMap) or not any(key.text == "root" for key, _ in found.items):
            return None  # a playbook has steps
        return ShelvedFlow(file, read_flow(text, self._shelf.known))

    def check(self, flows: Sequence[ShelvedFlow], *, as_json: bool) -> int:
        """Print what is wrong with flows; how many faults there are."""
        errors = 0
        for flow in flows:
            for fault in flow.found if isinstance(flow.found, tuple) else ():
                errors += 1
                print(json.dumps(_row(flow, fault)) if as_json else one_line(fault.told(str(flow.file))))
        return errors

    def graph(self, flow: ShelvedFlow, *, as_json: bool) -> Exit:
        """Draw one."""
        text = mermaid(_whole(flow))
        print(json.dumps({"name": flow.name, "mermaid": text}) if as_json else harmless(text), end="")
        print(end="\n" if as_json else "")
        return Exit.OK

    def dry_run(self, flow: ShelvedFlow, given: argparse.Namespace) -> Exit:
        """Print every way that one can go."""
        options = read_flow_options(dict(_inputs(given.input)), turn=True)
        context = SessionContext(options.system_context, flags_of(options))
        rehearsal = Rehearsal([spec.id for spec in self._host.agents.team.specs], read_roles(), context)
        for line in rehearsal.lines(_whole(flow)):
            print(json.dumps({"line": line}) if given.json else harmless(line))
        return Exit.OK


def _whole(flow: ShelvedFlow) -> AgentFlow:
    if isinstance(flow.found, tuple):
        lines = "\n".join(fault.told(str(flow.file)) for fault in flow.found)
        raise InvalidInput(f"the flow {flow.name!r} has faults:\n{lines}")
    return flow.found


def _row(flow: ShelvedFlow, fault: FlowFault) -> JsonObject:
    place: JsonObject = {"line": fault.line, "column": fault.column, "path": fault.path}
    return {"file": str(flow.file), "severity": "error", **place, "message": fault.message}


def _inputs(given: Sequence[str]) -> Iterator[tuple[str, Json]]:
    """``--input K=V``: a flag or a mode of the turn; whatever else is a value that conditions and switches look at."""
    more: JsonObject = {}
    for one in given:
        key, equals, text = one.partition("=")
        if not equals:
            raise InvalidInput(f"--input {one}: expected NAME=VALUE")
        value: Json = {"true": True, "false": False}.get(text, text)
        if key in ("agent_mode", "deep_thinking", "plan", "more_suggest"):
            yield key, value
        else:
            more[key] = value
    yield "system_context", more
