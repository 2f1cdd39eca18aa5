"""`sulla notices`: what people are told beside the answers."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands

COMMANDS = {
    "list": "list what you have not seen, the newest first; the same without a command",
    "seen": "mark as seen those that are named, or all where none is",
    "watch": "print each as it comes, and mark it as seen; Ctrl-C leaves",
}
"""Every command below this one; docs/presence.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    parsers = add_commands(command, COMMANDS)
    command.add_argument("--all", action="store_true", help="those that you have seen, too")
    for name, one in parsers.items():
        if name == "list":
            said = "those that you have seen, too"
            one.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help=said)
        if name == "seen":
            one.add_argument("id", metavar="ID", nargs="*", help="the notice, as list shows it; none for all")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list what was not seen."""
    from sulla.people.cli.notices import DOES

    return DOES[given.below or "list"](given)
