"""`sulla service`: has systemd or launchd start the daemon, whether or not somebody looks."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit

_VERBS = {
    "install": "have it start now, and with each session of yours from now on",
    "start": "start it",
    "stop": "stop it in order, until the next session or `start`",
    "restart": "stop it in order and start it: settings that waited for that hold then",
    "uninstall": "stop it and start it no more; its home stays",
}


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands below it."""
    below = command.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    for verb, what in _VERBS.items():
        below.add_parser(verb, help=what)
    below.add_parser("status", help="is it installed, does it run, since when, where is its log, what is wrong")
    logs = below.add_parser("logs", help="show what it printed; `sulla logs` shows more")
    logs.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C")


def run(given: argparse.Namespace) -> Exit:
    """Do it, by the manager that this machine has."""
    from sulla.cli.service.actions import do

    return do(given)
