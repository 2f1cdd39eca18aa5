"""`sulla notices`: what people are told beside the answers."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home

COMMANDS = {
    "list": "list what you have not seen, the newest first; the same without a command",
    "seen": "mark as seen those that are named, or all where none is",
    "watch": "print each as it comes, and mark it as seen; Ctrl-C leaves",
}
"""Every command below this one; docs/presence.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    command.add_argument("--json", action="store_true", help="print JSON, one object per line")
    command.add_argument("--all", action="store_true", help="those that you have seen, too")
    below = command.add_subparsers(dest="below", metavar="COMMAND")
    for name, text in COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        # A default here would undo what was given before the command's name.
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, one per line")
        if name == "list":
            said = "those that you have seen, too"
            one.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help=said)
        if name == "seen":
            one.add_argument("id", metavar="ID", nargs="*", help="the notice, as list shows it; none for all")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list what was not seen."""
    from sulla.people.cli.notices import DOES

    return DOES[given.below or "list"](given)
