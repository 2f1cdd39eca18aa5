"""`sulla knowledge`: what the home's folder `knowledge/` holds. No daemon has to run: it reads the files itself."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home, count

COMMANDS = {
    "list": "list the files that answers come from, and those that none comes from",
    "search": "look for the passages that answer a question, as agents do",
}
"""Every command below this one; docs/knowledge.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    parsers = {
        name: below.add_parser(name, help=text, description=f"{text.capitalize()}.") for name, text in COMMANDS.items()
    }
    for one in parsers.values():
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
    parsers["search"].add_argument("words", nargs="+", metavar="WORD", help="the question")
    parsers["search"].add_argument(
        "--limit", type=count, metavar="N", help="passages at the most (else as many as agents get)"
    )


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    import asyncio

    from sulla.knowledge.cli.look import LOOKS

    return asyncio.run(LOOKS[given.below](given))
