"""`sulla completion`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import shtab

from sulla.cli.grammar import CommandParser
from sulla.cli.main import commands, parser
from sulla.terminal.exits import Exit

SHELLS = ("bash", "zsh", "fish")

_COMPLETED = {"DIR": shtab.DIRECTORY, "FILE": shtab.FILE}
"""How an argument is completed that the help shows like this."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("shell", choices=SHELLS, help="the shell to print it for; docs/cli.md says where to put it")


def run(given: argparse.Namespace) -> Exit:
    """Print the script that completes every command and option there is."""
    whole = parser(commands())
    for action in _actions(whole):
        if isinstance(action.metavar, str) and action.metavar in _COMPLETED:
            action.complete = _COMPLETED[action.metavar]  # type: ignore[attr-defined]  # how the library is told
    print(shtab.complete(whole, given.shell))
    return Exit.OK


def _actions(of: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in of._actions:  # argparse shows its grammar in no other way
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                if isinstance(below, CommandParser):
                    below.fill()
                yield from _actions(below)
