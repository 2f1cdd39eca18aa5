"""`sulla thread list`, `search`, `show`, `rename` and `delete`: what a running daemon is asked for."""

from __future__ import annotations

import argparse
import asyncio
import json
from itertools import islice
from typing import Any

from sulla.cli.thread.event_lines import shown
from sulla.cli.thread.pages import Pages, all_events, all_threads
from sulla.host.system import SystemClock
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import is_sure, somebody_is_there
from sulla.terminal.screen import status_word
from sulla.terminal.table import Paper, Table, one_line, paper
from sulla.terminal.times import minute, zone_word

_WIDTHS = (28, 16, 12, 5)
"""Few enough that something of a title is seen in 100 columns."""
_KIND_COLUMNS = 8
_FOUND = 20
"""Conversations that a search shows if nobody says how many."""


def _list(given: argparse.Namespace) -> Exit:
    table: Table | None = None
    with Pages(home_of(given)) as pages:
        for row in islice(all_threads(pages, given.kind), given.limit):
            if given.json:
                print(json.dumps(row))
                continue
            if table is None:  # only once the daemon was asked is it known whose clocks count
                table = _table(given.kind)
                print(table.head())
            print(table.row(_cells(row, given.kind)))
    if table is None and not given.json:
        every = "" if given.kind == "all" else "; `--all` lists what agents do by themselves, too"
        tell(f"there are no threads yet: `{program()} chat` begins one{every}")
    return Exit.OK


def _search(given: argparse.Namespace) -> Exit:
    with Pages(home_of(given)) as pages:
        answer = pages.search(" ".join(given.words), given.kind, given.limit or _FOUND)
    if given.json:
        for one in answer["found"]:
            where = {"at": one["at"], "asked": one["asked"], "said": one["said"], "words_tainted": one["tainted"]}
            print(json.dumps(one["thread"] | where))  # a row as `thread list` has it, and where it fits
        return Exit.OK
    sheet = paper()
    for one in answer["found"]:
        row = one["thread"]
        say(f"{sheet.bold(one_line(row['thread_id']))}  {minute(one['at'])}  {_title(row)}")
        for who, text in (("asked", one["asked"]), ("said", one["said"])):
            if text:
                print(f"  {who}: {one_line(text, _excerpt_columns(sheet))}")
        if one["tainted"]:
            print("  " + sheet.faint("these words may come from outside"))
    if answer["more"]:
        tell("there are more: name more words, or ask for more with --limit")
    if answer["searched"] == "titles":
        tell("only titles and first words were searched: no memory is kept (memory.enabled)")
    if not answer["found"]:
        tell(
            "no conversation fits these words: what was said is found by whole words, any of them, once its turn has "
            "ended; a title by how its words begin",
        )
    return Exit.OK


def _rename(given: argparse.Namespace) -> Exit:
    with Pages(home_of(given)) as pages:
        row = pages.rename(pages.whole(given.id), " ".join(given.title))
    print(json.dumps(row) if given.json else f"{one_line(row['thread_id'])} is called {_title(row) or 'nothing yet'}")
    return Exit.OK


def _table(kind: str) -> Table:
    """Of threads of one kind, that kind has no column."""
    heads = ["THREAD", f"LAST ({zone_word()})", "STATUS", "AGENT", "TITLE"]
    widths = list(_WIDTHS)
    if kind == "all":
        heads.insert(2, "KIND")
        widths.insert(2, _KIND_COLUMNS)
    return Table(heads, widths, paper())


def _cells(row: dict[str, Any], kind: str) -> list[str]:
    status = status_word(row["status"]) + (f" +{row['waiting']}" if row["waiting"] else "")
    status += " held" if row["held"] else ""
    cells = [row["thread_id"], minute(row["active_at"]), status, row["agent"], _title(row)]
    if kind == "all":
        cells.insert(2, row["kind"])
    return cells


def _title(row: dict[str, Any]) -> str:
    """The title, with the first words behind it where somebody gave it."""
    title, words = one_line(row["title"]), one_line(row["words"])
    return f"{title} · {words}" if words and row["titled_by"] in ("person", "client") else title


def _excerpt_columns(sheet: Paper) -> int:
    return 200 if sheet.columns is None else max(20, sheet.columns - 10)


def _show(given: argparse.Namespace) -> Exit:
    sheet = paper()
    with Pages(home_of(given)) as pages:
        for event in all_events(pages, pages.whole(given.id), given.after, given.limit):
            if given.json:
                print(json.dumps(event))
                continue
            for line in shown(event, sheet):
                say(line)
    return Exit.OK


def _delete(given: argparse.Namespace) -> Exit:
    if not given.yes and not somebody_is_there():
        given.wrong("there is nobody to ask: say --yes to delete the thread")
    with Pages(home_of(given)) as pages:
        thread_id = pages.whole(given.id)
        if not given.yes and not _sure(pages, thread_id):
            tell("nothing was deleted")
            return Exit.CANCELLED
    asyncio.run(_ask_to_delete(given, thread_id))
    print(json.dumps({"thread_id": thread_id}) if given.json else f"deleted {one_line(thread_id)}")
    return Exit.OK


def _sure(pages: Pages, thread_id: str) -> bool:
    title = one_line(pages.row(thread_id)["title"])
    named = f"{thread_id} ({title})" if title else thread_id
    return asyncio.run(is_sure(f"delete thread {named} for good?", SystemClock()))


async def _ask_to_delete(given: argparse.Namespace, thread_id: str) -> None:
    async with open_client(door(home_of(given))) as client:
        await client.call("thread.delete", thread_id=thread_id)


LOOKS = {"list": _list, "search": _search, "show": _show, "rename": _rename, "delete": _delete}
"""What does each command."""
