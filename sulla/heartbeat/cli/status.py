"""What `sulla beat` shows of heartbeats: how they are, and what became of each wake."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import say
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line, paper
from sulla.terminal.times import moment

Row = dict[str, Any]

PAGE: Final = 100
"""Wakes that are asked for at once."""
INDENT: Final = "    "


def _status(given: argparse.Namespace) -> Exit:
    return _print_rows(given, "heartbeat.status")


def _pause(given: argparse.Namespace) -> Exit:
    return _print_rows(given, "heartbeat.pause")


def _resume(given: argparse.Namespace) -> Exit:
    return _print_rows(given, "heartbeat.resume")


def _print_rows(given: argparse.Namespace, method: str) -> Exit:
    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await client.call(method, agent=getattr(given, "agent", None))

    for row in asyncio.run(ask())["heartbeats"]:
        if given.json:
            print(json.dumps(row))
            continue
        for line in heartbeat_lines(row):
            print(_cut(line))
    return Exit.OK


def heartbeat_lines(row: Row) -> Iterator[str]:
    """How one agent's heartbeat is, for people."""
    name = paper().bold(one_line(row["agent"]))
    if row["enabled"]:
        yield f"{name}: next {moment(row['next'])}" if row["next"] else f"{name}: no time is left to wake it"
    elif row["schedules"]:
        yield f"{name}: paused; `{program()} beat resume` has it woken again"
    else:
        yield f"{name}: nothing wakes it by itself; set heartbeat.enabled = true in sulla.toml"
    for one in row["schedules"]:
        state = ", paused" if one["paused"] else f", {one['why']}" if one["why"] else ""
        project = f", for {one_line(one['project'])}" if one["project"] else ""
        yield f"  when: {one_line(one['explain'])} ({one_line(one['schedule'])}{project}{state})"
    if row["quiet_until"]:
        why = f"{row['failures']} failed in a row" if row["failures"] else f"{row['standing']} in a row changed nothing"
        yield f"  pauses by itself until {moment(row['quiet_until'])}: {why}"
    if row["running"]:
        yield f"  at work: {row['running']} ({program()} beat now --watch)"
    last, beat = row["last"], row["beat"]
    if beat is not None:
        yield f"  last beat: {tick_head(beat)}"
        yield from (f"  {line}" for line in tick_body(beat))
    if last is not None and not last["fired"]:
        yield f"  last wake: {tick_head(last)}"
    if row["thread_id"]:
        yield f"  thread: {row['thread_id']}"
    for budget in row["budgets"]:
        cost = "no price known" if budget["cost"] is None else f"{budget['cost']:.4g}"
        money = f", {cost} of {budget['cost_limit']:g}" if budget["cost_limit"] is not None else ""
        yield f"  this {budget['span']}: {budget['tokens']} of {budget['tokens_limit']} tokens{money}"


def heartbeat_line(row: Row) -> str:
    """The same in one line."""
    name, beat = one_line(row["agent"]), row["beat"]
    last = f"; last beat {moment(beat['at'])}, {beat['status']}" if beat is not None else ""
    if row["next"]:
        return f"{name} is woken next at {moment(row['next'])}{last}"
    if row["schedules"] and not row["enabled"]:
        return f"paused for {name} ({program()} beat resume){last}"
    return f"off for {name}; set heartbeat.enabled = true in sulla.toml, or `{program()} beat now` for one beat{last}"


def _log(given: argparse.Namespace) -> Exit:
    shown = 0
    for tick in asyncio.run(_ticks(given)):
        shown += 1
        if given.json:
            print(json.dumps(tick))
            continue
        print(_cut(tick_head(tick)))
        for line in tick_body(tick):
            print(_cut(line))
    if not shown and not given.json:
        say(f"it was never woken; `{program()} beat now` begins a beat")
    return Exit.OK


async def _ticks(given: argparse.Namespace) -> list[Row]:
    async with open_client(door(home_of(given))) as client:
        return [tick async for tick in _pages(client, given.agent, given.limit)]


async def _pages(client: Client, agent: str | None, limit: int) -> AsyncIterator[Row]:
    before: int | None = None
    while limit > 0:
        page = await client.call("heartbeat.log", agent=agent, limit=min(limit, PAGE), before=before)
        for tick in page["ticks"]:
            yield tick
        limit -= len(page["ticks"])
        before = page["next"]
        if before is None:
            return


def tick_head(tick: Row) -> str:
    """One wake in a line: when, what came of it, how much it was."""
    parts = [f"{moment(tick['at'])}", tick["status"]]
    if tick["status"] == "skipped":
        return f"{' '.join(parts)} ({tick['reason']}): {one_line(tick['why'])}"
    if tick["reason"] and tick["reason"] != tick["status"]:
        parts.append(f"({one_line(tick['reason'])})")
    used = [f"{len(tick['cycles'])} cycle{'' if len(tick['cycles']) == 1 else 's'}"]
    if tick["duration_s"] is not None:
        used.append(_span(tick["duration_s"]))
    used.append(f"{tick['tokens']} tokens")
    if tick["cost"]:
        used.append(f"cost {tick['cost']:.4g}")
    return f"{' '.join(parts)}: {', '.join(used)}"


def tick_body(tick: Row) -> Iterator[str]:
    """The rest of a beat, indented; nothing for a wake that was none."""
    if not tick["fired"]:
        return
    if tick["focus"]:
        why = f": {one_line(tick['focus_reason'])}" if tick["focus_reason"] else ""
        yield f"{INDENT}worked on {one_line(tick['focus'])}{why}"
    if tick["status"] != "running":
        yield f"{INDENT}changed: {one_line(tick['changed']) or 'nothing'}"
    if said := one_line(tick["summary"], 300):
        yield f"{INDENT}said: {said}"


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _cut(line: str) -> str:
    """A line that fits a terminal."""
    columns = paper().columns
    if columns is None or "\x1b" in line:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return indent + one_line(line, max(20, columns - len(indent)))


DOES = {"status": _status, "log": _log, "pause": _pause, "resume": _resume}
"""What does each command."""
