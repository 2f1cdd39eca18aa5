"""`sulla status`."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
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
    for trouble in report["troubles"]:
        effect = "; no turn is taken" if trouble["blocks"] else ""
        print(f"  degraded: {trouble['why']} (since {trouble['since']}{effect})")
    for line in _use(report):
        print(f"  {line}")
    if too_fast := sum(report["rate_limited"].values()):
        print(f"  messages refused as too fast: {too_fast}")
    print(f"  journal: {report['journal']}")
    if report.get("audit") == "failing":
        print(f"  audit: failing, {report['audit_missing']} entries are missing")
    if error := report.get("tokens_error"):
        print(f"  no token but the owner's is good: {error}")
    for key in report["failing"]:
        print(f"  cannot be worked on for now: {key}")
    if report["offline"]:
        print(report["how_to"])
    return Exit.OK


def _use(report: dict[str, Any]) -> Iterator[str]:
    """What was used today, and what is unusual about the model."""
    today = report["today"]
    yield f"today: {today['tokens']} of {today['tokens_limit']} tokens"
    if report["unpriced"]:
        yield "cost: unpriced (no price is set for this model: see [prices] in sulla.toml)"
    else:
        most = f" of {today['cost_limit']}" if today["cost_limit"] is not None else ""
        yield f"cost today: {today['cost']:.4f}{most}"
    if report["tokens_exact"] is False:
        yield "tokens near a limit are estimated: the tokenizer's file is missing or damaged"


async def _ask(where: Door) -> dict[str, Any]:
    async with open_client(where) as client:
        report: dict[str, Any] = await client.call("system.status")
        return report
