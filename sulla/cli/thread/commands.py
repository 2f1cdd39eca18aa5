"""`sulla thread`: the commands below it, and which of them takes what."""

from __future__ import annotations

import argparse
from pathlib import Path

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home, count, place_in_log

COMMANDS = {
    "list": "list conversations, the one that something happened in last on top",
    "search": "find conversations by their titles and by what was said in them",
    "show": "print what was said and done in a thread",
    "rename": "give a thread a name; without one it is called by its first words again",
    "delete": "remove a thread with everything in it",
    "export": "write threads to files that another home can take in",
    "import": "take threads in from files; the daemon has to be stopped for it",
}
"""Every command below this one; docs/cli.md explains them."""

KINDS = ("chat", "schedule", "beat", "playbook", "step", "child")
"""What a thread can be; docs/cli.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    below = command.add_subparsers(dest="below", metavar="COMMAND", required=True)
    parsers = {name: below.add_parser(name, help=text, description=_sentence(text)) for name, text in COMMANDS.items()}
    for one in parsers.values():
        one.set_defaults(wrong=one.error)
        add_home(one, below=True)
        one.add_argument("--json", action="store_true", help="print JSON, one object per line")
    for name in ("show", "rename", "delete"):
        parsers[name].add_argument("id", metavar="ID", help="the thread; the beginning of its id is enough")
    parsers["rename"].add_argument(
        "title", metavar="NAME", nargs="*", help="what to call it; nothing takes its name back"
    )
    parsers["search"].add_argument(
        "words",
        metavar="WORD",
        nargs="+",
        help="what was said, in whole words, any of them; of a title, how they begin",
    )
    for name in ("list", "search"):
        which = parsers[name].add_mutually_exclusive_group()
        which.add_argument("--kind", choices=KINDS, default="chat", help="only these (else people's conversations)")
        every = "also schedules, beats, playbooks, their steps, and what agents asked each other for"
        which.add_argument("--all", action="store_const", const="all", dest="kind", help=every)
    for name, what in (("list", "threads"), ("search", "conversations"), ("show", "records")):
        parsers[name].add_argument("--limit", type=count, metavar="N", help=f"at most so many {what}")
    after = "only what comes after record SEQ"
    parsers["show"].add_argument("--after", type=place_in_log, default=0, metavar="SEQ", help=after)
    parsers["delete"].add_argument("--yes", action="store_true", help="do not ask")
    _files(parsers["export"], parsers["import"])


def _files(out: argparse.ArgumentParser, into: argparse.ArgumentParser) -> None:
    which = out.add_mutually_exclusive_group(required=True)
    which.add_argument("id", nargs="?", metavar="ID", help="the thread; with a daemon, its beginning is enough")
    which.add_argument("--all", action="store_true", help="every thread, each in a file of its own")
    target = "the file (else standard output), or with --all the folder"
    out.add_argument("--out", type=Path, metavar="PATH", help=target)
    into.add_argument("files", nargs="+", type=Path, metavar="FILE", help="what `sulla thread export` wrote")
    into.add_argument("--as-new", action="store_true", help="make a copy under a new id instead of the thread itself")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen."""
    match given.below:
        case "export":
            from sulla.cli.thread.export import run_export

            return run_export(given)
        case "import":
            from sulla.cli.thread.restore import run_import

            return run_import(given)
        case _:
            from sulla.cli.thread.threads import LOOKS

            return LOOKS[given.below](given)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
