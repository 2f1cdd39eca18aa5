"""`sulla flow`: playbooks, written, looked at and tried out without a daemon, and their runs with one."""

from __future__ import annotations

import argparse
from pathlib import Path

from sulla.playbooks.cli.run_commands import RUN_COMMANDS, add_run_commands, run_command
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home

FILE_COMMANDS = {
    "new": "write a playbook to begin with",
    "list": "list the playbooks and flows, and what starts them",
    "check": "say what is wrong with playbooks and their tests, with line and column",
    "graph": "draw one, as Mermaid",
    "dry-run": "show the ways that one can go and what it would do, without doing anything",
    "test": "run the tests of playbooks: nothing is done, and no time passes",
    "lsp": "tell an editor what is wrong, and what can stand there, while a playbook is written",
    "import": "make playbooks of workflows of Sulla Desktop or n8n",
}
"""The commands about the files; docs/playbooks.md explains them."""

COMMANDS = {**FILE_COMMANDS, **RUN_COMMANDS}
"""Every command below this one."""

_WHICH = "a playbook or a flow of the home, or a file"


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    parsers = {
        name: below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        for name, text in FILE_COMMANDS.items()
    }
    for one in parsers.values():
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
    _new(parsers["new"])
    _which(parsers["check"], "all of the home's")
    parsers["graph"].add_argument("name", metavar="NAME", help=_WHICH)
    _dry_run(parsers["dry-run"])
    _which(parsers["test"], "all of the home's that have tests")
    parsers["test"].add_argument("--only", metavar="TEXT", help="the tests alone whose name has this in it")
    _import(parsers["import"])
    add_run_commands(below)


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    if given.below in RUN_COMMANDS:
        return run_command(given)
    from sulla.playbooks.cli.files import DOES

    return DOES[given.below](given)


def _new(one: argparse.ArgumentParser) -> None:
    one.add_argument("name", metavar="NAME", help="what to call it")
    one.add_argument("--from", dest="starter", metavar="STARTER", help="begin with this one of those brought along")
    one.add_argument("--out", type=Path, metavar="FILE", help="where to (else NAME.yaml among the home's)")


def _which(one: argparse.ArgumentParser, otherwise: str) -> None:
    one.add_argument("names", nargs="*", metavar="NAME", help=f"{_WHICH} (else {otherwise}, as with `all`)")


def _dry_run(one: argparse.ArgumentParser) -> None:
    one.add_argument("name", metavar="NAME", help=_WHICH)
    for flag, metavar, text in (
        ("--input", "K=V", "what it is started with; placeholders stand for what is missing"),
        ("--choose", "STEP=WAY", "which way a step goes (else all of them are shown)"),
        ("--output", "STEP=JSON", "what a step comes to (else a placeholder)"),
        ("--header", "K=V", "one of `run.headers`"),
        ("--query", "K=V", "one of `run.query`"),
    ):
        one.add_argument(flag, action="append", default=[], metavar=metavar, help=f"{text}; more than once for several")
    one.add_argument("--trigger", default="", metavar="KIND", help="what starts it, such as webhook (manual)")
    one.add_argument("--payload", metavar="JSON", help="`run.payload`; what is no JSON is text (else nobody knows it)")


def _import(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="the workflow, YAML or JSON; or a folder of them, which refer to each other",
    )
    one.add_argument(
        "--out", type=Path, metavar="FILE", help="where to, a folder for a folder (else <name>.yaml among the home's)"
    )
