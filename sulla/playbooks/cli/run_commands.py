"""The commands of `sulla flow` that are about runs: their arguments, and who does them."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home, count

RUN_COMMANDS = {
    "run": "begin a playbook and show how it gets on; Ctrl-C leaves it at work",
    "runs": "list the runs, the newest first",
    "show": "show a run, step by step",
    "step": "have a paused run begin what it can now, and pause again",
    "pause": "have a run begin no further step until it is resumed",
    "resume": "have a run go on: after a pause, or from what failed",
    "cancel": "end a run",
    "fork": "begin another run that takes over what this one has done",
    "history": "list the texts of a playbook with which its runs began",
    "diff": "show what has changed in a playbook since a run began",
    "rollback": "put the text with which a run began in the place of what its playbook says",
}
"""Every command about runs; docs/playbooks.md explains them."""

_STATUS = ("queued", "running", "waiting", "paused", "completed", "failed", "cancelled", "transferred")


def add_run_commands(below: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Let the group's parser know them.

    Args:
        below: where the commands of `sulla flow` are added.
    """
    for name, text in RUN_COMMANDS.items():
        one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
        _ARGUMENTS[name](one)


def run_command(given: argparse.Namespace) -> Exit:
    """Do the command that was chosen, `given.below`."""
    from sulla.playbooks.cli.runs import DOES
    from sulla.terminal.ids import meant
    from sulla.terminal.place import home_of

    if begins := getattr(given, "run", ""):
        given.run = meant(home_of(given), begins)
    return DOES[given.below](given)


_PASS = "in a loop in every pass or, as STEP[2], in the third"


def _run(one: argparse.ArgumentParser) -> None:
    one.add_argument("name", metavar="NAME", help="a playbook of the home, or a file")
    one.add_argument("--thread", metavar="ID", help="the conversation that hears of it, and is asked")
    one.add_argument("--step", metavar="STEP", help="do this step alone")
    _outputs(one)
    one.add_argument("--agent", metavar="ID", help="who does the steps that name nobody (else the home's own agent)")
    _inputs(one)
    _detach(one)


def _runs(one: argparse.ArgumentParser) -> None:
    one.add_argument("--status", choices=_STATUS, help="those alone that stand like this")
    one.add_argument("--limit", type=count, default=20, metavar="N", help="how many at the most (else 20)")


def _show(one: argparse.ArgumentParser) -> None:
    _which(one)
    help_ = f"this step alone ({_PASS}), with all that it was given and what came of it, whole"
    one.add_argument("--step", metavar="STEP", help=help_)
    one.add_argument("--watch", action="store_true", help="show what it did and does, until it is over")


def _resume(one: argparse.ArgumentParser) -> None:
    _which(one)
    help_ = f"from this step, {_PASS}, if it has ended; more than once for several (else from those that failed)"
    one.add_argument("--from", dest="steps", action="append", default=[], metavar="STEP", help=help_)
    _outputs(one)
    one.add_argument("--watch", action="store_true", help="show what it does, until it is over")


def _outputs(one: argparse.ArgumentParser) -> None:
    help_ = "take a step for done that came to this, and do not do it; more than once for several"
    one.add_argument("--output", action="append", default=[], metavar="STEP=JSON", help=help_)


def _cancel(one: argparse.ArgumentParser) -> None:
    _which(one)
    one.add_argument("--why", metavar="TEXT", help="kept with it")


def _fork(one: argparse.ArgumentParser) -> None:
    _which(one)
    help_ = f"do this step again, {_PASS}, and all that comes after it; more than once for several"
    one.add_argument("--from", dest="steps", action="append", required=True, metavar="STEP", help=help_)
    _inputs(one)
    _detach(one)


def _which(one: argparse.ArgumentParser) -> None:
    one.add_argument("run", metavar="RUN", help="the run, as `sulla flow runs` shows it, or the beginning of its id")


def _inputs(one: argparse.ArgumentParser) -> None:
    help_ = "what it is started with; more than once for several. What is no text is written as JSON"
    one.add_argument("--input", dest="input", action="append", default=[], metavar="K=V", help=help_)
    one.add_argument("--inputs", metavar="FILE", help="the same as a JSON object; - reads it from standard input")


def _history(one: argparse.ArgumentParser) -> None:
    one.add_argument("name", metavar="NAME", help="a playbook; also one that the home has no more")


def _diff(one: argparse.ArgumentParser) -> None:
    _history(one)
    help_ = "since this run (else the newest one that began with another text)"
    one.add_argument("run", nargs="?", default="", metavar="RUN", help=help_)


def _rollback(one: argparse.ArgumentParser) -> None:
    _history(one)
    _which(one)


def _detach(one: argparse.ArgumentParser) -> None:
    one.add_argument("--detach", action="store_true", help="print the run's id and leave it at work")
    help_ = "tell nothing of steps that go well: failures, questions, notices and the end alone"
    one.add_argument("--quiet", action="store_true", help=help_)


_ARGUMENTS = {
    "run": _run,
    "runs": _runs,
    "show": _show,
    "step": _which,
    "pause": _cancel,
    "resume": _resume,
    "cancel": _cancel,
    "fork": _fork,
    "history": _history,
    "diff": _diff,
    "rollback": _rollback,
}
