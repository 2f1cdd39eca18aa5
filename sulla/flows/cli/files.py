"""What `sulla flow list`, `check`, `graph` and `dry-run` do with flows. No daemon has to run."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.definitions.file_fault import FileFault
from sulla.definitions.flow_options import read_flow_options
from sulla.flows.begin import flags_of
from sulla.flows.conditions import SessionContext
from sulla.flows.drawing import mermaid
from sulla.flows.reading import BOM, names_in, read_flow
from sulla.flows.rehearsal import Rehearsal
from sulla.flows.roles import read_roles
from sulla.flows.schema import AgentFlow, SwitchNode, every
from sulla.flows.shelf import DEFAULT, ENDINGS, FlowShelf, ShelvedFlow
from sulla.host.host import Host
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.table import harmless, one_line
from sulla.tools.nearest import did_you_mean

_ROOT: Final = re.compile(r"""(?m)^["']?root["']?[ \t]*:|\A\s*\{(?:.*[{,\s])?["']?root["']?[ \t]*:""")
"""What a flow has at its top, also one that cannot be read."""


_FLAGS: Final = ("agent_mode", "deep_thinking", "plan", "more_suggest")
"""How a turn is to be walked, as `--input` can say it."""


@dataclass(frozen=True, slots=True)
class ListedFlow:
    """A flow of the home, as a list shows it."""

    name: str
    file: str
    agents: tuple[str, ...]
    """Whom it sets to work, each once; empty if it has faults."""
    nodes: int
    """How many it has; 0 if it has faults."""
    trouble: str
    """What is wrong with it; empty if it can be walked."""


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

    def listed(self) -> list[ListedFlow]:
        """Those of the home, as a list shows them."""
        return [_listed(flow) for flow in self.all()]

    def tell_faults(self) -> None:
        """Say on standard error which of the home's cannot be walked."""
        for flow in self.listed():
            if flow.trouble:
                tell(one_line(f"cannot be walked: {flow.trouble}"))

    def find(self, name: str) -> ShelvedFlow | None:
        """The flow that a name means, or that a file holds; None if it is none.

        Args:
            name: of the home's, or a file's.
        """
        if name == DEFAULT:
            return ShelvedFlow(Path(DEFAULT), self._shelf.default(None))
        if name in self._shelf.flows:
            return self._shelf.flows[name]
        file = Path(name)
        if file.suffix not in ENDINGS or not file.is_file():
            return None
        text = file.read_text("utf-8", errors="replace")
        if not _ROOT.search(text.removeprefix(BOM)):
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
        found = _whole(flow)
        options = read_flow_options(dict(_inputs(given.input, found)), turn=True)
        context = SessionContext(options.system_context, flags_of(options))
        rehearsal = Rehearsal([spec.id for spec in self._host.agents.team.specs], read_roles(), context)
        for line in rehearsal.lines(found):
            print(json.dumps({"line": line}) if given.json else harmless(line))
        return Exit.OK


def _listed(flow: ShelvedFlow) -> ListedFlow:
    if isinstance(flow.found, tuple):
        told = "; ".join(fault.told(flow.file.name) for fault in flow.found)
        return ListedFlow(flow.name, flow.file.name, (), 0, told)
    nodes = [node for _, node in every(flow.found.root)]
    agents = dict.fromkeys(name for _, kind, name in names_in(flow.found) if kind == "agent")
    return ListedFlow(flow.name, flow.file.name, tuple(agents), len(nodes), "")


def _whole(flow: ShelvedFlow) -> AgentFlow:
    if isinstance(flow.found, tuple):
        lines = "\n".join(fault.told(str(flow.file)) for fault in flow.found)
        raise InvalidInput(f"the flow {flow.name!r} has faults:\n{lines}")
    return flow.found


def _row(flow: ShelvedFlow, fault: FileFault) -> JsonObject:
    place: JsonObject = {"line": fault.line, "column": fault.column, "path": fault.path}
    return {"file": str(flow.file), "severity": "error", **place, "message": fault.message}


def _inputs(given: Sequence[str], flow: AgentFlow) -> Iterator[tuple[str, Json]]:
    """``--input K=V``: a flag or a mode of the turn, or a value that a switch of the flow looks at."""
    more: JsonObject = {}
    looked_at = {node.variable.partition(".")[0] for _, node in every(flow.root) if isinstance(node, SwitchNode)}
    known = (*_FLAGS, *sorted(looked_at.difference(_FLAGS)))
    for one in given:
        key, equals, text = one.partition("=")
        if not equals:
            raise InvalidInput(f"--input {one}: expected NAME=VALUE")
        if key not in known:
            said = f"--input {one}: nothing in the flow {flow.name!r} looks at {key!r}"
            raise InvalidInput(f"{said}; expected one of {', '.join(known)}.{did_you_mean(key, known)}")
        value: Json = {"true": True, "false": False}.get(text, text)
        if key in _FLAGS:
            yield key, value
        else:
            more[key] = value
    yield "system_context", more
