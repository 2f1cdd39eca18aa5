"""`sulla chat`."""

from __future__ import annotations

import argparse
import asyncio
import sys

from sulla.cli.exits import Exit
from sulla.cli.follow import Asking, run_turn
from sulla.cli.place import door, home_of
from sulla.core.errors import Refused


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--thread", metavar="ID", help="go on in this thread instead of a new one")


def run(given: argparse.Namespace) -> Exit:
    """Talk until end of input."""
    home = home_of(given)
    door(home)  # fail before the first prompt, not after it
    thread_id = given.thread
    if sys.stdin.isatty():
        print("Ctrl-C stops an answer; Ctrl-D, or Ctrl-C at the prompt, leaves.", file=sys.stderr)
    with asyncio.Runner() as runner:
        while True:
            try:
                text = input("you> " if sys.stdin.isatty() else "")
            except (EOFError, KeyboardInterrupt):
                print(file=sys.stderr)
                return Exit.OK
            if not text.strip():
                continue
            asking = Asking(home, thread_id, text, as_json=False)
            try:
                run_turn(asking, runner)
            except Refused as error:
                print(f"refused: {error.message}", file=sys.stderr)
            thread_id = asking.thread_id
