"""`sulla changes`."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from sulla.host.system import SystemClock
from sulla.terminal.chat.changes import change_lines, waiting, whole_id
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.framed import WHOLE_COLUMNS
from sulla.terminal.options import add_commands
from sulla.terminal.output import say, tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.questions import is_sure, somebody_is_there
from sulla.terminal.screen import short_id
from sulla.terminal.table import Table, columns_of_terminal, one_line, paper
from sulla.terminal.times import minute, zone_word

COMMANDS = {
    "list": "list what commands have changed and waits for your yes; the same without a command",
    "show": "print what one of them would change, line by line",
    "keep": "show it, ask, and put it into the workspace",
    "drop": "give it up: nothing of it gets into the workspace",
}
"""Every command below this one; docs/safety.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    for name, one in add_commands(command, COMMANDS).items():
        if name != "list":
            one.add_argument("id", metavar="ID", help="the changes, as list shows them; the beginning is enough")
        if name == "keep":
            one.add_argument("--yes", action="store_true", help="do not ask")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list what waits."""
    return asyncio.run(_DOES[given.below or "list"](given))


async def _list(given: argparse.Namespace) -> Exit:
    async with open_client(door(home_of(given))) as client:
        rows = await waiting(client)
    if not rows and not given.json:
        tell("no changes of commands wait for a yes")
        return Exit.OK
    table = Table(("CHANGES", f"SINCE ({zone_word()})", "THREAD", "WHAT"), (9, 16, 28), paper())
    if not given.json:
        print(table.head())
    for row in rows:
        cells = (short_id(row["changes"]), minute(row["held_at"]), row["thread_id"], row["told"])
        print(json.dumps(row) if given.json else table.row(cells))
    return Exit.OK


async def _show(given: argparse.Namespace) -> Exit:
    async with open_client(door(home_of(given))) as client:
        shown = await client.call("changes.show", changes=await whole_id(client, given.id))
    if given.json:
        print(json.dumps(shown))
        return Exit.OK
    _print_framed(shown, say)
    say(f"`{program()} changes keep {short_id(one_line(shown['changes']))}` puts it into the workspace")
    return Exit.OK


async def _keep(given: argparse.Namespace) -> Exit:
    async with open_client(door(home_of(given))) as client:
        changes = await whole_id(client, given.id)
        if not given.yes:
            if not somebody_is_there():
                tell(
                    f"not kept, since there is nobody to ask: `{program()} changes show {short_id(changes)}` shows it,"
                )
                tell(f"and `{program()} changes keep --yes {short_id(changes)}` puts it into the workspace")
                return Exit.USAGE
            _print_framed(await client.call("changes.show", changes=changes), tell)
            if not await is_sure("put this into the workspace?", SystemClock()):
                tell("it waits still")
                return Exit.CANCELLED
    # On a new connection: the question may have stood longer than one is kept.
    return await _decided(given, "changes.keep", changes)


async def _drop(given: argparse.Namespace) -> Exit:
    async with open_client(door(home_of(given))) as client:
        changes = await whole_id(client, given.id)
    return await _decided(given, "changes.drop", changes)


async def _decided(given: argparse.Namespace, method: str, changes: str) -> Exit:
    async with open_client(door(home_of(given))) as client:
        found = await client.call(method, changes=changes)
    if given.json:
        print(json.dumps(found))
    else:
        say(f"{short_id(one_line(found['changes']))}: {found['text']}")
    return Exit.OK


def _print_framed(shown: dict[str, Any], put: Callable[[str], None]) -> None:
    columns = columns_of_terminal() if sys.stdout.isatty() else WHOLE_COLUMNS
    for line in change_lines(shown, columns):
        put(line)


_DOES: dict[str, Callable[[argparse.Namespace], Coroutine[object, object, Exit]]] = {
    "list": _list,
    "show": _show,
    "keep": _keep,
    "drop": _drop,
}
