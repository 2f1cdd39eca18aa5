"""`sulla project`: the projects of a home."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home

COMMANDS = {
    "list": "list the projects",
    "show": "print a project with its tasks",
    "plan": "have a goal planned: as tasks, and what each of them needs",
    "work": "have the tasks of a project's plan done",
}
"""Every command below this one; docs/projects.md explains them."""

PLANNER = "planner"
"""Who plans unless somebody else is named."""
_STRATEGIES = ("sequential", "parallel", "dag")
_RUNS = ("plan", "work")
"""Those that need the daemon."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
        if name != "list":
            one.add_argument("name", metavar="NAME", help="the project")
        if name == "plan":
            one.add_argument("goal", metavar="GOAL", help="what is to be reached")
            one.add_argument("--agent", default=PLANNER, metavar="ID", help=f"who plans (else {PLANNER})")
            one.add_argument("--remark", metavar="TEXT", help="what else is to be thought of")
        if name == "work":
            one.add_argument("--strategy", choices=_STRATEGIES, help="how tasks follow each other (else as planned)")
            one.add_argument("--plan", metavar="FILE", help="a plan as JSON; - reads it from standard input")
            one.add_argument(
                "--tasks", type=_count, metavar="N", help="how many of the open tasks, where there is no plan (else 1)"
            )
            one.add_argument(
                "--minutes", type=_count, metavar="N", help="minutes after which it is given up (else 120)"
            )
            one.add_argument("--tokens", type=_count, metavar="N", help="of models, that all of it may use")
        if name in _RUNS:
            one.add_argument("--detach", action="store_true", help="print the run's id and leave it at work")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:12]) <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: expected a whole number from 1")
    return int(text)


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    if given.below in _RUNS:
        from sulla.playbooks.cli.project_runs import RUNS

        return RUNS[given.below](given)
    from sulla.projects.cli.files import LOOKS

    return LOOKS[given.below](given)
