"""`sulla beat`: agents' own time."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands, count

COMMANDS = {
    "status": "when agents wake up next, what they did last and what they may still use; the same without a command",
    "now": "begin a beat now",
    "log": "what became of each wake, the newest first: a beat, or why there was none",
    "pause": "have the clock wake agents no more until they are resumed",
    "resume": "have the clock wake agents again",
}
"""Every command below this one; docs/heartbeat.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    for name, one in add_commands(command, COMMANDS).items():
        one.add_argument("--agent", metavar="ID", help=_WHOSE[name])
        if name == "now":
            one.add_argument("--project", metavar="NAME", help="the only project that it is for")
            one.add_argument("--watch", action="store_true", help="show what it does, until it is over")
        elif name == "log":
            one.add_argument("--limit", type=count, default=20, metavar="N", help="how many at the most (else 20)")


_WHOSE = {
    "status": "of this agent (else of all that have a heartbeat)",
    "now": "of this agent (else of the home's own)",
    "log": "of this agent (else of the home's own)",
    "pause": "this agent (else all)",
    "resume": "this agent (else all)",
}


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or say how heartbeats are."""
    if given.below == "now":
        from sulla.heartbeat.cli.watch import begin

        return begin(given)
    from sulla.heartbeat.cli.status import DOES

    return DOES[given.below or "status"](given)
