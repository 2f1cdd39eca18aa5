"""`sulla mcp`."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home
from sulla.terminal.output import say
from sulla.terminal.place import Door, door, home_of
from sulla.terminal.table import Table, harmless, one_line, paper

KINDS = {
    "list": "print each server, how it is, and its tools",
    "show": "print the tools of a server that came or changed since you took it in",
    "trust": "allow them as they are now",
    "serve": "be an MCP server for a host that starts this: agents, threads, playbooks and open questions as tools",
}
"""Every command below this one; docs/mcp.md explains them."""

BY_HOST = (
    "have the host's model answer what people are asked, approvals too, with a tool: then only the host stands between "
    "a model and its yes. Else people answer, at hosts that ask them or with `sulla approvals`"
)
"""What `serve --approvals-by-host` means."""

SAID_LINES = 5
"""How many lines are shown of what a lost server wrote at its end."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    kinds = command.add_subparsers(dest="kind", metavar="KIND", required=True)
    parsers = {name: kinds.add_parser(name, help=text) for name, text in KINDS.items()}
    for one in parsers.values():
        add_home(one, below=True)
    for name in ("list", "show", "trust"):
        parsers[name].add_argument("--json", action="store_true", help="print JSON")
    parsers["serve"].add_argument("--token", type=Path, metavar="FILE", help="holds the token (else the owner's)")
    parsers["serve"].add_argument("--approvals-by-host", action="store_true", help=BY_HOST)
    for name in ("show", "trust"):
        parsers[name].add_argument("name", metavar="NAME", help="the server")
    parsers["trust"].add_argument("digest", nargs="?", metavar="DIGEST", help="of what `show` printed (else of all)")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    if given.kind == "list":
        return _list(given)
    if given.kind == "serve":
        from sulla.mcp.cli.serve import run as serve

        return serve(given)
    from sulla.mcp.cli.trust import DOES

    return DOES[given.kind](given)


def _list(given: argparse.Namespace) -> Exit:
    servers = asyncio.run(_ask(door(home_of(given))))
    if given.json:
        print(json.dumps(servers))
        return Exit.OK
    if not servers:
        say("there are no MCP servers: name one in sulla.toml, in a section [mcp.servers.<name>] (docs/mcp.md)")
        return Exit.OK
    table = Table(("NAME", "STATE", "BY", "REACH", "TOOLS"), (24, 8, 5, 8), paper())
    print(table.head())
    for one in servers:
        print(table.row((one["name"], one["state"], one["transport"], one["reach"], len(one["tools"]))))
        for line in _more(one):
            say(f"  {line}")
    return Exit.OK


def _more(server: dict[str, Any]) -> Iterator[str]:
    if server["why"]:
        after = server["retry_after_s"]
        yield one_line(f"{server['why']}; {'tried again now' if after is None else f'tried again in {after:.0f} s'}")
        yield from (f"it said: {line}" for line in harmless(server["said"]).splitlines()[-SAID_LINES:])
    yield from (one_line(f"note: {note}") for note in server["notes"])
    yield from map(one_line, server["tools"])


async def _ask(where: Door) -> list[dict[str, Any]]:
    async with open_client(where) as client:
        report: dict[str, Any] = await client.call("system.status")
        servers: list[dict[str, Any]] = report["mcp"]
        return servers
