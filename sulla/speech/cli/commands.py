"""`sulla speech`: what becomes of recorded speech, and why."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home

COMMANDS = {"replay": "play a recording and print every decision with its reason; no daemon is needed"}
"""Every command below this one; docs/inside/speech.md explains it and what a recording is."""

PROFILES = ("classic", "adaptive")


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        one.add_argument("file", metavar="FILE", help="the recording, JSON lines; - reads it from standard input")
        one.add_argument("--profile", choices=PROFILES, help="when a turn ends (else both, beside each other)")
        one.add_argument("--question", metavar="TEXT", help="what the assistant had asked before it begins")
        one.add_argument("--json", action="store_true", help="print JSON, one decision per line")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    from sulla.speech.cli.replay import replay

    return replay(given)
