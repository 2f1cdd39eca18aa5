"""`sulla schedule`: what is done at its time."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands, duration_s, json_object

COMMANDS = {
    "list": "list the schedules, when they fire next and what happened last; the same without a command",
    "add": "make one",
    "remove": "end one for good",
    "run": "fire one now",
    "pause": "have one fire no more until it is resumed",
    "resume": "have one fire again",
}
"""Every command below this one; docs/schedules.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    for name, one in add_commands(command, COMMANDS).items():
        if name == "add":
            _add_arguments(one)
        elif name != "list":
            one.add_argument("id", metavar="ID", help="the schedule, as list shows it")


def _add_arguments(add: argparse.ArgumentParser) -> None:
    add.add_argument("--id", metavar="ID", help="what to call it (else one is made up)")
    when = add.add_mutually_exclusive_group(required=True)
    when.add_argument("--every", type=duration_s, metavar="TIME", help="again and again, e.g. 30m, 2h or 1d")
    when.add_argument("--cron", metavar="EXPR", help='by the clock, e.g. "0 9 * * 1-5" or @daily')
    when.add_argument(
        "--at", metavar="WHEN", nargs="+", help='once, e.g. 2027-12-01T09:00, "tomorrow 9:00" or "in 20 minutes"'
    )
    add.add_argument("--zone", metavar="ZONE", help="the time zone, e.g. Europe/Berlin (else the home's)")
    add.add_argument("--hours", metavar="HOURS", help='only then, e.g. "mon-fri 09:00-18:00"')
    add.add_argument("--jitter", type=duration_s, metavar="TIME", help="by up to how much to put each off, for --every")
    add.add_argument(
        "--missed",
        choices=("skip", "once"),
        help="what becomes of times at which no daemon ran (else skip; with --at, once)",
    )
    what = add.add_mutually_exclusive_group(required=True)
    what.add_argument("--message", metavar="TEXT", nargs="+", help="say this to an agent")
    what.add_argument("--tool", metavar="NAME", help="call this tool")
    what.add_argument("--playbook", metavar="NAME", help="begin this playbook")
    add.add_argument("--args", type=json_object, metavar="JSON", help="with what, for --tool and --playbook")
    where = add.add_mutually_exclusive_group()
    where.add_argument("--thread", metavar="ID", help="where to say it (else in a thread of the schedule's own)")
    where.add_argument("--agent", metavar="ID", help="who answers there (else the home's own agent)")
    add.add_argument("--title", metavar="TEXT", help="shown in lists")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list the schedules."""
    from sulla.schedules.cli.ask import DOES

    return DOES[given.below or "list"](given)
