"""`sulla pause`: the kill switch."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--reason", metavar="TEXT", default="", help="why, in a line; people are shown it")
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Have all work stand still."""
    from sulla.cli.switch_turn import pause

    return pause(given)
