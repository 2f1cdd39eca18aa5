"""`sulla channel`: the channels that people write by."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands
from sulla.terminal.place import door, home_of

COMMANDS = {
    "list": "list the channels, and how they do; the same without a command",
    "add": "set one up: asks what it needs, tries it, and writes it into sulla.toml",
    "remove": "take one out of sulla.toml",
    "test": "see whether its service lets the daemon in",
    "pair": "let somebody in who was given a code",
    "codes": "list who was given a code and waits",
    "refuse": "let somebody not in who was given a code",
    "people": "list who may write",
    "forget": "let somebody in no longer",
}
"""Every command below this one; docs/channels.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    parsers = add_commands(command, COMMANDS)
    parsers["add"].add_argument("kind", metavar="KIND", nargs="?", help="which service, e.g. telegram")
    parsers["add"].add_argument("--name", help="what the channel is called; the service's name if it is left out")
    parsers["add"].add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="one of its options, e.g. api=https://…"
    )
    for name in ("remove", "test"):
        parsers[name].add_argument("channel", metavar="NAME", help="the channel")
    parsers["pair"].add_argument("code", metavar="CODE", help="what the person was told")
    parsers["pair"].add_argument("person", metavar="PERSON", help="who that is; of a known one, one more identity")
    may = "what the person may by all channels, e.g. read,write; else what it is, or read, write and approve"
    parsers["pair"].add_argument("--scopes", help=may)
    parsers["pair"].add_argument("--less", action="store_true", help="also where a known person loses something by it")
    parsers["refuse"].add_argument("code", metavar="CODE", help="which code is good no longer")
    parsers["forget"].add_argument("person", metavar="PERSON", help="who")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list the channels."""
    import asyncio

    from sulla.channels.cli import asked, setup

    if given.below == "add":
        return asyncio.run(setup.add(given, home_of(given)))
    if given.below == "remove":
        return setup.remove(given, home_of(given))
    return asyncio.run(asked.ask(given, door(home_of(given))))
