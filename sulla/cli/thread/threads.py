"""`sulla thread list`, `show` and `delete`: what a running daemon is asked for."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from itertools import islice

from sulla.cli.thread.event_lines import shown
from sulla.cli.thread.pages import Pages, all_events, all_threads
from sulla.host.system import SystemClock
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import is_sure, somebody_is_there
from sulla.terminal.table import Table, one_line, paper

_HEADS = ("THREAD", "CREATED (UTC)", "STATUS", "AGENT", "TITLE")
_WIDTHS = (28, 16, 9, 5)
"""Few enough that something of a title is seen in 80 columns."""


def _list(given: argparse.Namespace) -> Exit:
    table, found = Table(_HEADS, _WIDTHS, paper()), False
    with Pages(home_of(given)) as pages:
        for row in islice(all_threads(pages), given.limit):
            if given.json:
                print(json.dumps(row))
                continue
            if not found:
                print(table.head())
            found = True
            created = row["created_at"][:16].replace("T", " ")
            status = row["status"] + (f" +{row['waiting']}" if row["waiting"] else "")
            print(table.row((row["thread_id"], created, status, row["agent"], row["title"])))
    if not found and not given.json:
        print(f"there are no threads yet: `{program()} chat` begins one", file=sys.stderr)
    return Exit.OK


def _show(given: argparse.Namespace) -> Exit:
    sheet = paper()
    with Pages(home_of(given)) as pages:
        for event in all_events(pages, given.id, given.after, given.limit):
            if given.json:
                print(json.dumps(event))
                continue
            for line in shown(event, sheet):
                print(line)
    return Exit.OK


def _delete(given: argparse.Namespace) -> Exit:
    if not given.yes:
        if not somebody_is_there():
            given.wrong("there is nobody to ask: say --yes to delete the thread")
        if not _sure(given):
            print("nothing was deleted", file=sys.stderr)
            return Exit.CANCELLED
    asyncio.run(_ask_to_delete(given))
    print(json.dumps({"thread_id": given.id}) if given.json else f"deleted {one_line(given.id)}")
    return Exit.OK


def _sure(given: argparse.Namespace) -> bool:
    with Pages(home_of(given)) as pages:
        (first,) = pages.events(given.id, limit=1)
    title = one_line(first["data"].get("title", ""))
    named = f"{given.id} ({title})" if title else given.id
    return asyncio.run(is_sure(f"delete thread {named} for good?", SystemClock()))


async def _ask_to_delete(given: argparse.Namespace) -> None:
    async with open_client(door(home_of(given))) as client:
        await client.call("thread.delete", thread_id=given.id)


LOOKS = {"list": _list, "show": _show, "delete": _delete}
"""What does each command."""
