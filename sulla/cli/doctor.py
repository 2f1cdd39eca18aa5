"""`sulla doctor`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path

from sulla.capabilities import capabilities
from sulla.cli.settings import examined_of, settings_of
from sulla.core.jsontypes import JsonObject
from sulla.daemon.doctor.doctor import checks, examine
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.doctor.within import check_row
from sulla.daemon.settings.config import Examined
from sulla.host.findings import Finding, counted
from sulla.host.home import Home
from sulla.host.system import SystemClock
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door, home_of
from sulla.terminal.program import hint
from sulla.terminal.table import Paper, one_line, paper
from sulla.terminal.wrap import wrapped

_NAME_COLUMNS = 9
_LEAST_COLUMNS = 30
"""So wide a finding's rows are also where the terminal is narrower."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")
    gone = "check nothing: remove for good what is left of deleted threads (the daemon has to be stopped for it)"
    command.add_argument("--compact", action="store_true", help=gone)


def run(given: argparse.Namespace) -> Exit:
    """Make every check and print what it found, at once."""
    if given.compact:
        from sulla.cli.compact import compact

        return compact(settings_of(given), as_json=given.json)
    home, examined = home_of(given), examined_of(given)
    findings = asyncio.run(_examine(home, examined, None if given.json else paper()))
    faults = sum(finding.result == "fault" for _, finding in findings)
    warnings = sum(finding.result == "warning" for _, finding in findings)
    if given.json:
        rows = [check_row(name, finding) for name, finding in findings]
        print(json.dumps({"home": str(home), "faults": faults, "warnings": warnings, "checks": rows}))
    else:
        print(f"{counted(faults, 'fault')}, {counted(warnings, 'warning')}")
    return Exit.FAILED if faults else Exit.OK


async def _examine(home: Path, examined: Examined, shown_on: Paper | None) -> list[tuple[str, Finding]]:
    async def ask(method: str) -> JsonObject:
        async with open_client(door(home)) as client:
            return await client.call(method)

    place = Home(home)
    patient = Patient(place, examined, SystemClock(), os.geteuid(), place.whereabouts(), ask)
    findings: list[tuple[str, Finding]] = []
    async for name, finding in examine(patient, checks(capabilities())):
        findings.append((name, finding))
        if shown_on is not None:
            print(finding_lines(name, finding, shown_on), flush=True)
    return findings


def finding_lines(name: str, finding: Finding, on: Paper) -> str:
    """A finding as people read it.

    Args:
        name: of the check.
        finding: what it found.
        on: what it is printed on.
    """
    result = f"{finding.result:<7}"
    head = f"{on.bold(result) if finding.result != 'ok' else on.faint(result)}  {name:<{_NAME_COLUMNS}}  "
    aside = " " * (len(result) + 2 + _NAME_COLUMNS + 2)
    room = None if on.columns is None else max(_LEAST_COLUMNS, on.columns - len(aside))
    rows = _rows(hint(finding.found), room)
    if finding.remedy:
        first, *more = _rows(hint(finding.remedy), room and room - 2)
        rows += [f"→ {first}", *(f"  {row}" for row in more)]
    return head + f"\n{aside}".join(rows)


def _rows(text: str, room: int | None) -> list[str]:
    return [one_line(text)] if room is None else list(wrapped(one_line(text), room))
