"""`sulla route`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sulla.definitions.file_fault import FileFault
from sulla.routes.faults import KnownNames
from sulla.routes.plan import RouteTable
from sulla.routes.reading import read_routes
from sulla.routes.schema import json_schema
from sulla.routes.service import Before, tried_in_a_row
from sulla.routes.shelf import ROUTES_FILE, text_of
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home
from sulla.terminal.output import tell
from sulla.terminal.place import home_of
from sulla.terminal.program import hint
from sulla.terminal.table import harmless
from sulla.tools.nearest import did_you_mean

COMMANDS = {
    "check": "say all that is wrong with the home's routes.yaml, or with another file",
    "try": "say which route a message would take, and by which words; needs no daemon",
    "schema": "print the JSON Schema of routes.yaml, for editors",
}
"""Every command below `route`; docs/routes.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name == "schema":
            continue
        add_home(one, below=True)
        if name == "try":
            one.add_argument(
                "text", metavar="TEXT", nargs="+", help="the message; several are those of one conversation"
            )
            one.add_argument("--last-route", metavar="NAME", help="the route that the turn before took")
            one.add_argument("--procedure", metavar="NAME", help="the procedure that is under way")
        one.add_argument("--file", metavar="FILE", type=Path, help=f"a file; else {ROUTES_FILE} of the home")
        one.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    if given.below == "schema":
        print(json.dumps(json_schema(), indent=2))
        return Exit.OK
    file: Path = given.file if given.file is not None else home_of(given) / ROUTES_FILE
    try:
        text = text_of(file)
    except FileNotFoundError:
        tell(f"there is no {file}: docs/routes.md shows one")
        return Exit.USAGE
    except OSError as error:
        tell(f"{file} cannot be read: {error}")
        return Exit.USAGE
    if isinstance(text, FileFault):
        tell(harmless(text.told(str(file))))
        return Exit.FAILED
    found = read_routes(text, KnownNames())
    for fault in found.faults:
        tell(harmless(fault.told(str(file))))
    if found.table is None:
        return Exit.FAILED
    if given.below == "check":
        table = found.table
        said = {"routes": len(table.routes), "gates": len(table.gates), "faults": len(found.faults)}
        print(json.dumps(said) if given.json else f"{said['routes']} routes, {said['gates']} gates")
        if not given.json:
            tell(hint("the agents, tools, skills and procedures that it names are looked up by `sulla doctor`"))
        return Exit.OK
    return _try(found.table, given)


def _try(table: RouteTable, given: argparse.Namespace) -> Exit:
    """Say which routes messages would take."""
    last: str = given.last_route or ""
    if last and last not in table.routes:
        tell(f"there is no route {last!r}.{did_you_mean(last, table.routes)}")
        return Exit.USAGE
    for seen in tried_in_a_row(table, given.text, Before((last,) if last else (), given.procedure or "")):
        if given.json:
            print(json.dumps({"route": seen.route, "kind": seen.kind, "gate": seen.gate, "why": list(seen.why)}))
        elif not seen.route:
            print("no route: the agent answers")
        else:
            by = f" by the gate {seen.gate!r} ({', '.join(seen.why)})" if seen.gate else ""
            print(f"{seen.route} ({seen.kind}){by}")
    return Exit.OK
