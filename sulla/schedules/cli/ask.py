"""What each command of `sulla schedule` does, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line, paper

Row = dict[str, Any]


def _list(given: argparse.Namespace) -> Exit:
    rows = asyncio.run(_all(given))
    for row in rows:
        _print(given, row)
    if not rows and not given.json:
        print(f'no schedules; make one with e.g. `{program()} schedule add --every 30m --message "what is new?"`')
    return Exit.OK


async def _all(given: argparse.Namespace) -> list[Row]:
    async with open_client(door(home_of(given))) as client:
        return [row async for row in _pages(client)]


async def _pages(client: Client) -> AsyncIterator[Row]:
    after: str | None = None
    while True:
        page = await client.call("schedule.list", after=after)
        for row in page["schedules"]:
            yield row
        after = page["next"]
        if after is None:
            return


def _add(given: argparse.Namespace) -> Exit:
    made = _ask(
        given,
        "schedule.add",
        schedule=given.id,
        title=given.title,
        every_s=given.every,
        jitter_s=given.jitter,
        cron=given.cron,
        at=given.at,
        zone=given.zone,
        active_hours=given.hours,
        missed=given.missed,
        message=given.message,
        thread_id=given.thread,
        agent=given.agent,
        tool=given.tool,
        args=None if given.playbook else given.args,
        playbook=given.playbook,
        inputs=given.args if given.playbook else None,
    )
    _print(given, made)
    return Exit.OK


def _remove(given: argparse.Namespace) -> Exit:
    gone = _ask(given, "schedule.remove", schedule=given.id)
    print(json.dumps(gone) if given.json else f"removed {one_line(given.id)}")
    return Exit.OK


def _run(given: argparse.Namespace) -> Exit:
    fired = _ask(given, "schedule.run", schedule=given.id)
    print(json.dumps(fired) if given.json else f"fired {one_line(given.id)}")
    return Exit.OK


def _pause(given: argparse.Namespace) -> Exit:
    _print(given, _ask(given, "schedule.pause", schedule=given.id))
    return Exit.OK


def _resume(given: argparse.Namespace) -> Exit:
    _print(given, _ask(given, "schedule.resume", schedule=given.id))
    return Exit.OK


def _ask(given: argparse.Namespace, method: str, **params: object) -> Row:
    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await client.call(method, **params)

    return asyncio.run(ask())


def _print(given: argparse.Namespace, row: Row) -> None:
    if given.json:
        print(json.dumps(row))
        return
    title = f" ({one_line(row['title'])})" if row["title"] else ""
    state = row["status"] + (f": {one_line(row['why'])}" if row["why"] not in ("", row["status"]) else "")
    print(paper().bold(one_line(row["schedule"])) + f"{title} {state}")
    print(f"  {one_line(row['explain'])}: {one_line(row['action'], 200)}")
    if row["next"]:
        print(f"  next: {', '.join(map(_second, row['next']))} UTC")
    if last := _last(row):
        print(f"  last: {last}")


def _last(row: Row) -> str:
    """The last firing and what came of it, or why there was none."""
    lately = [note for note in row["notes"] if note["what"] not in ("set", "paused", "resumed")]
    if not lately:
        return ""
    note = lately[-1]
    fired = [one["at"] for one in lately if one["slot"] == note["slot"] and one["what"] == "fired"]
    said = f" ({one_line(note['said'], 200)})" if note["said"] else ""
    return f"{_second((fired or [note['at']])[-1])} UTC {note['what']}{said}"


def _second(at: str) -> str:
    return at[:19].replace("T", " ")


DOES = {"list": _list, "add": _add, "remove": _remove, "run": _run, "pause": _pause, "resume": _resume}
"""What does each command."""
