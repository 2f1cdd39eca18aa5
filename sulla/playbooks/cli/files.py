"""What the commands of `sulla flow` about files do: list, check and draw them. No daemon has to run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict

from sulla.flows.cli.files import FlowFiles
from sulla.flows.shelf import ShelvedFlow
from sulla.playbooks.cli.create import import_all, new
from sulla.playbooks.cli.edit import serve
from sulla.playbooks.cli.home_playbooks import HomePlaybooks, Opened, text_of
from sulla.playbooks.cli.rehearse import dry_run_one, test_some
from sulla.playbooks.drawing import mermaid
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.playbook_rows import listed
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.table import Table, harmless, one_line, paper

_HEADS = ("NAME", "STEPS", "STARTED BY", "DESCRIPTION")
_WIDTHS = (22, 5, 30)


def _list(given: argparse.Namespace) -> Exit:
    playbooks = HomePlaybooks(given)
    rows = [listed(shelved) for shelved in playbooks.catalog.playbooks.values()]
    table = Table(_HEADS, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    for row in rows:
        on = ", ".join(row.on)
        steps = row.steps if not row.trouble else "-"
        fields = asdict(row)
        told = json.dumps({"name": fields.pop("playbook"), "kind": "playbook", **fields})
        print(told if given.json else table.row((row.playbook, steps, on, row.description)))
    flows = FlowFiles(playbooks.home.host)
    for flow in flows.listed():
        told = json.dumps({"name": flow.name, "kind": "flow", **asdict(flow)})
        about = f"a flow of {', '.join(flow.agents)}" if flow.agents else "a flow"
        print(told if given.json else table.row((flow.name, flow.nodes or "-", "turns", about)))
    for row in rows:
        if row.trouble and not given.json:
            tell(one_line(f"cannot be run: {row.trouble}"))
    if not given.json:
        flows.tell_faults()
    for said in playbooks.catalog.troubles:
        tell(one_line(said))
    return Exit.OK


def _check(given: argparse.Namespace) -> Exit:
    """The exit code says whether every playbook can be run, and every test; a name of both kinds means both."""
    playbooks = HomePlaybooks(given)
    flows, all_of_them = FlowFiles(playbooks.home.host), given.names in ([], ["all"])
    named = {name: flow for name in given.names if not all_of_them and (flow := flows.find(name))}
    chosen = flows.all() if all_of_them else list(named.values())
    errors, warnings = flows.check(chosen, as_json=given.json), 0
    others = [name for name in given.names if name not in named or name in playbooks.catalog.playbooks]
    opened = playbooks.some(others) if others or not named else []
    for one in opened:
        for file, fault in [(str(one.file), fault) for fault in one.faults] + _of_tests(playbooks, one):
            errors, warnings = errors + (fault.severity == "error"), warnings + (fault.severity == "warning")
            _tell(given, file, fault)
        if one.trouble:
            errors += 1
            row = {"file": str(one.file), "severity": "error", "message": one.trouble}
            print(json.dumps(row) if given.json else one_line(one.told[-1]))
    for said in playbooks.catalog.troubles if given.names in ([], ["all"]) else ():
        errors += 1
        print(json.dumps({"severity": "error", "message": said}) if given.json else one_line(f"error: {said}"))
    if not given.json:
        counts = (_counted(len(opened), "playbook"), *([_counted(len(chosen), "flow")] if chosen else []))
        print(f"{', '.join(counts)}, {_counted(errors, 'error')}, {_counted(warnings, 'warning')}")
    return Exit.FAILED if errors else Exit.OK


def _of_tests(playbooks: HomePlaybooks, one: Opened) -> list[tuple[str, PlaybookFault]]:
    """What is wrong with its tests; nothing is said of them while it is not whole itself."""
    tests = one.tests()
    if one.definition is None or tests is None:
        return []
    _, faults = read_cases(text_of(tests), one.definition, lambda name: playbooks.find(one, name))
    return [(str(tests), fault) for fault in faults]


def _tell(given: argparse.Namespace, file: str, fault: PlaybookFault) -> None:
    if given.json:
        print(json.dumps({"file": file, "severity": fault.severity, **asdict(fault)}))
    else:
        print(one_line(fault.told(file)))


def _graph(given: argparse.Namespace) -> Exit:
    playbooks = HomePlaybooks(given)
    flows = FlowFiles(playbooks.home.host)
    if (flow := _flow(playbooks, flows, given.name)) is not None:
        return flows.graph(flow, as_json=given.json)
    opened = playbooks.open(given.name)
    text = mermaid(opened.whole())
    print(json.dumps({"name": opened.name, "mermaid": text}) if given.json else harmless(text), end="")
    print(end="\n" if given.json else "")
    return Exit.OK


def _dry_run(given: argparse.Namespace) -> Exit:
    playbooks = HomePlaybooks(given)
    flows = FlowFiles(playbooks.home.host)
    flow = _flow(playbooks, flows, given.name)
    return flows.dry_run(flow, given) if flow is not None else dry_run_one(given)


def _flow(playbooks: HomePlaybooks, flows: FlowFiles, name: str) -> ShelvedFlow | None:
    """The flow that a name means: a playbook of that name comes before it."""
    return None if name in playbooks.catalog.playbooks else flows.find(name)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


DOES: Mapping[str, Callable[[argparse.Namespace], Exit]] = {
    "new": new,
    "list": _list,
    "check": _check,
    "graph": _graph,
    "dry-run": _dry_run,
    "test": test_some,
    "import": import_all,
    "lsp": serve,
}
"""What does each command."""
