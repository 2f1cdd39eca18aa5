"""`sulla project`: the projects of a home."""

from __future__ import annotations

import argparse

from sulla.cli.exits import Exit
from sulla.cli.options import add_home

COMMANDS = {
    "list": "list the projects",
    "show": "print a project with its tasks",
}
"""Every command below this one; docs/projects.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
        if name == "show":
            one.add_argument("name", metavar="NAME", help="the project")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    from sulla.cli.project_look import LOOKS

    return LOOKS[given.below](given)
