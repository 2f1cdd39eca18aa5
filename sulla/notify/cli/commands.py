"""`sulla notify`: the channels that notices go out by."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands
from sulla.terminal.place import door, home_of

COMMANDS = {
    "list": "list the channels, with what goes there and how they do; the same without a command",
    "test": "send a test by one of them, and say whether it was taken",
}
"""Every command below this one; docs/notify.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    parsers = add_commands(command, COMMANDS)
    parsers["test"].add_argument("channel", metavar="NAME", help="the channel")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list the channels."""
    import asyncio
    import json

    from sulla.terminal.client import open_client
    from sulla.terminal.output import tell
    from sulla.terminal.table import Table, one_line, paper

    async def ask(method: str, **params: str) -> dict[str, object]:
        async with open_client(door(home_of(given))) as client:
            found: dict[str, object] = await client.call(method, **params)
        return found

    if given.below == "test":
        tested = asyncio.run(ask("notify.test", channel=given.channel))
        if given.json:
            print(json.dumps(tested))
        else:
            why = one_line(str(tested["why"]), 400)
            tell(f"{given.channel} did not take it: {why}" if why else f"{given.channel} took it")
        return Exit.FAILED if tested["why"] else Exit.OK
    rows = asyncio.run(ask("notify.list"))["channels"]
    table = Table(("CHANNEL", "LEVEL", "WAITING", "KINDS", "STATE"), (16, 7, 7, 48), paper())
    for number, row in enumerate(rows if isinstance(rows, list) else []):
        if given.json:
            print(json.dumps(row))
            continue
        if not number:
            print(table.head())
        took = f"{row['failures']} failures" if row["failures"] else "takes no messages"
        state = f"{took}: {row['why']}" if row["why"] else "well"
        print(table.row((row["channel"], row["level"], str(row["waiting"]), ", ".join(row["kinds"]), state)))
    if not rows and not given.json:
        tell("no channels: docs/notify.md says how to set one")
    return Exit.OK
