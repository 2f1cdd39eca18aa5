"""`sulla skills`: what there is, what it says, whether it is as it should be, and whom the owner trusts."""

from __future__ import annotations

import argparse
from pathlib import Path

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home

COMMANDS = {
    "list": "list the skills",
    "show": "print a skill, or one of its files",
    "check": "say what is wrong with skills, the home's or those in folders",
    "trust": "allow a skill as it is now; when it changes you are asked again",
    "forget": "take that back",
}
"""Every command below this one; docs/skills.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    parsers = {
        name: below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        for name, text in COMMANDS.items()
    }
    for one in parsers.values():
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
    for name in ("show", "trust", "forget"):
        parsers[name].add_argument("name", metavar="NAME", help="the skill")
    parsers["show"].add_argument("file", nargs="?", metavar="FILE", help="one of its files (else its SKILL.md)")
    parsers["check"].add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="a skill's folder")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    from sulla.skills.cli.look import LOOKS

    return LOOKS[given.below](given)
