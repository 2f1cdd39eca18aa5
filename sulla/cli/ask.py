"""`sulla ask`."""

from __future__ import annotations

import argparse
import asyncio
import sys

from sulla.host.system import SystemClock
from sulla.terminal.exits import Exit
from sulla.terminal.place import home_of
from sulla.terminal.questions import somebody_is_there
from sulla.terminal.turn import Asking, fault_in, run_turn


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("text", nargs="+", metavar="TEXT", help="the question; - reads it from standard input")
    command.add_argument("--thread", metavar="ID", help="go on in this thread instead of a new one")
    command.add_argument("--agent", metavar="ID", help="ask this agent instead of the thread's own")
    command.add_argument("--json", action="store_true", help="print every event as a line of JSON")


def run(given: argparse.Namespace) -> Exit:
    """Ask and print."""
    text = sys.stdin.read() if given.text == ["-"] else " ".join(given.text)
    if fault := fault_in(text):
        given.wrong(fault)
    by_hand = somebody_is_there()
    where, clock = home_of(given), SystemClock()
    asking = Asking(where, given.thread, text, clock, as_json=given.json, agent=given.agent, by_hand=by_hand)
    with asyncio.Runner() as runner:
        return run_turn(asking, clock, runner)
