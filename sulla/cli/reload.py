"""`sulla reload`."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from sulla.core.errors import NotAvailable
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import harmless, one_line


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Have the daemon read its settings and agents again."""

    async def ask() -> dict[str, Any]:
        async with open_client(door(home_of(given))) as client:
            return await client.call("system.reload")

    try:
        found: dict[str, Any] = asyncio.run(ask())
    except NotAvailable as error:
        raise NotAvailable(
            "a worker has no door for that, and takes up its settings when it starts: restart it, for example by "
            f"`systemctl restart sulla-worker@8201`; what it has under way, others go on with. Of the daemon: {error}"
        ) from None
    faults = list(map(str, found["faults"]))
    ended = Exit.REFUSED if faults else Exit.OK
    if given.json:
        print(json.dumps(found))
        return ended
    taken, waiting = list(map(str, found["taken"])), list(map(str, found["waiting"]))
    if taken:
        say(f"taken up: {', '.join(taken)}")
    if waiting:
        say(f"waits for a restart: {', '.join(waiting)} (`{program()} service restart`, or stop and start it)")
    if not taken and not waiting and not faults:
        say("nothing has changed")
    for said in map(str, found["doubtful"]):
        say(f"perhaps a slip: {one_line(said)}")
    for said in faults:
        tell(harmless(f"not taken up: {said}"))
    return ended
