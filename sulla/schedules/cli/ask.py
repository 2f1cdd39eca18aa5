"""What each command of `sulla schedule` does, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.ids import rows_of, whole_schedule
from sulla.terminal.output import say
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line, paper
from sulla.terminal.times import moment

Row = dict[str, Any]


def _list(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_all(given))
    for row in rows:
        show(given, row)
    if not rows and not given.json:
        say(f'no schedules; make one with e.g. `{program()} schedule add --every 30m --message "what is new?"`')
    return Exit.OK


async def _all(given: argparse.Namespace) -> list[Row]:
    async with open_client(door(home_of(given))) as client:
        return [row async for row in rows_of(client, "schedule.list", "schedules")]


def _add(given: argparse.Namespace) -> Exit:
    made = _ask(
        given,
        "schedule.add",
        schedule=given.id,
        title=given.title,
        every_s=given.every,
        jitter_s=given.jitter,
        cron=given.cron,
        at=" ".join(given.at) if given.at else None,
        zone=given.zone,
        active_hours=given.hours,
        missed=given.missed,
        message=" ".join(given.message) if given.message else None,
        thread_id=given.thread,
        agent=given.agent,
        tool=given.tool,
        args=None if given.playbook else given.args,
        playbook=given.playbook,
        inputs=given.args if given.playbook else None,
    )
    show(given, made)
    return Exit.OK


def _remove(given: argparse.Namespace) -> Exit:
    gone = _ask_of(given, "schedule.remove")
    print(json.dumps(gone) if given.json else f"removed {one_line(gone['schedule'])}")
    return Exit.OK


def _run(given: argparse.Namespace) -> Exit:
    fired = _ask_of(given, "schedule.run")
    print(json.dumps(fired) if given.json else f"fired {one_line(fired['schedule'])}")
    return Exit.OK


def _pause(given: argparse.Namespace) -> Exit:
    show(given, _ask_of(given, "schedule.pause"))
    return Exit.OK


def _resume(given: argparse.Namespace) -> Exit:
    show(given, _ask_of(given, "schedule.resume"))
    return Exit.OK


def _ask_of(given: argparse.Namespace, method: str) -> Row:
    """Ask something of the schedule whose id begins as it was typed."""

    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await client.call(method, schedule=await whole_schedule(client, given.id))

    return asyncio.run(ask())


def _ask(given: argparse.Namespace, method: str, **params: object) -> Row:
    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await client.call(method, **params)

    return asyncio.run(ask())


def show(given: argparse.Namespace, row: Row) -> None:
    """Print a schedule.

    Args:
        given: whether as JSON.
        row: it, as the daemon gives it.
    """
    if given.json:
        print(json.dumps(row))
        return
    title = f" ({one_line(row['title'])})" if row["title"] else ""
    state = row["status"] + (f": {one_line(row['why'])}" if row["why"] not in ("", row["status"]) else "")
    say(paper().bold(one_line(row["schedule"])) + f"{title} {state}")
    say(f"  {one_line(row['explain'])}: {one_line(row['action'], 200)}")
    if row["next"]:
        say(f"  next: {', '.join(map(moment, row['next']))}")
    if last := _last(row):
        say(f"  last: {last}")


_WHAT_CAME = ("begun", "succeeded", "failed", "cancelled")
"""What is noted of a firing later."""


def _last(row: Row) -> str:
    """The newest firing and what came of it, or why there was none; one before it may have ended since."""
    lately = [note for note in row["notes"] if note["what"] not in ("set", "paused", "resumed")]
    if not lately:
        return ""
    newest = next((note for note in reversed(lately) if note["what"] not in _WHAT_CAME), lately[-1])
    note = [one for one in lately if one is newest or (newest["slot"] and one["slot"] == newest["slot"])][-1]
    fired = [one["at"] for one in lately if one["slot"] == note["slot"] and one["what"] == "fired"]
    said = f" ({one_line(note['said'], 200)})" if note["said"] else ""
    return f"{moment((fired or [note['at']])[-1])} {note['what']}{said}"


DOES = {"list": _list, "add": _add, "remove": _remove, "run": _run, "pause": _pause, "resume": _resume}
"""What does each command."""
