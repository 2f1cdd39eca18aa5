"""`sulla speech replay`: why a turn ended when it did, or did not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, Final

from sulla.speech.cli.decision_text import Row, seconds, why, words
from sulla.speech.cli.recording import recording
from sulla.speech.cli.trace import Totals, Trace, told
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.table import Paper, Table, one_line, paper

_PROFILES: Final = {profile.name: profile for profile in (CLASSIC, ADAPTIVE)}


def replay(given: argparse.Namespace) -> Exit:
    """Play a recording and print what is decided. The exit code says whether it could be played."""
    found = recording(given.file)
    if found.faults:
        for fault in found.faults:
            tell(one_line(fault))
        return Exit.REFUSED
    profiles = [_PROFILES[given.profile]] if given.profile else list(_PROFILES.values())
    traces = [Trace(profile, given.question) for profile in profiles]
    if given.json:
        for trace, line, row in told(traces, found.heard):
            for one in traces if trace is None else (trace,):
                print(json.dumps({"profile": one.name, "line": line or None, **row}))
        for one in traces:
            print(json.dumps({"profile": one.name, "what": "totals", **_totals(one.totals)}))
        return Exit.OK
    on = paper()
    for trace, line, row in told(traces, found.heard):
        who = f"{trace.name if trace else '':<10}" if len(traces) > 1 else ""
        print(_line(f"{row['at_ms'] / 1000:9.3f}  {who}", line, row, on))
    print()
    for text in _summary(traces, on):
        print(text)
    return Exit.OK


def _line(lead: str, line: int, row: Row, on: Paper) -> str:
    said = words(row)
    match row["what"]:
        case "end" | "cut_off":
            return f"{on.faint(lead)}{on.bold(said)}\n{' ' * len(lead)}  {why(row)}"
        case "cancelled":
            return on.faint(lead) + on.bold(said)
        case "ignored":
            return f"{on.faint(lead)}line {line}: {said}"
        case _:
            return on.faint(lead) + said


def _totals(totals: Totals) -> dict[str, Any]:
    silent = totals.silent_ms
    return {
        "turns": totals.turns,
        "cut_off": totals.cut_off,
        "cancelled": totals.cancelled,
        "ignored": totals.ignored,
        "dead_air_ms": sum(silent),
        "longest_ms": max(silent, default=0),
    }


def _summary(traces: Sequence[Trace], on: Paper) -> list[str]:
    heads = ("PROFILE", "TURNS", "CUT OFF", "DROPPED", "DEAD AIR", "LONGEST")
    table = Table(heads, (8, 5, 7, 7, 8), on)
    rows = [table.head()]
    for trace in traces:
        all_ = _totals(trace.totals)
        times = seconds(all_["dead_air_ms"]), seconds(all_["longest_ms"])
        rows.append(table.row((trace.name, all_["turns"], all_["cut_off"], all_["cancelled"], *times)))
    return rows
