"""`sulla status`."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from sulla.cli.client import open_client
from sulla.cli.exits import Exit
from sulla.cli.place import Door, door, home_of


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Ask the daemon how it is."""
    where = door(home_of(given))
    report = asyncio.run(_ask(where))
    if given.json:
        print(json.dumps(report))
        return Exit.OK
    print(f"sulla {report['version']} at {where.url}")
    for name in ("home", "workspace", "store", "model", "model_why", "running", "queued"):
        print(f"  {name.replace('_', ' ')}: {report[name]}")
    if too_fast := sum(report["rate_limited"].values()):
        print(f"  messages refused as too fast: {too_fast}")
    print(f"  journal: {report['journal']}")
    if error := report.get("journal_error"):
        print(f"  the journal cannot be written for now: {error}")
    for key in report["failing"]:
        print(f"  cannot be worked on for now: {key}")
    if report["offline"]:
        print(report["how_to"])
    return Exit.OK


async def _ask(where: Door) -> dict[str, Any]:
    async with open_client(where) as client:
        report: dict[str, Any] = await client.call("system.status")
        return report
