"""`sulla resume`: the end of a pause."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Have work go on where it was."""
    from sulla.cli.switch_turn import resume

    return resume(given)
