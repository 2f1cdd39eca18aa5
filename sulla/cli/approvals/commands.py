"""`sulla approvals`: what agents ask before they act, and what they need not ask."""

from __future__ import annotations

import argparse

from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands

COMMANDS = {
    "list": "list the questions that turns wait for; the same without a command",
    "show": "print one whole, with all that the call would be given",
    "answer": "answer one: approve, reject, or what it asks for",
    "always": "say yes, and allow calls like it for a while",
    "rules": "list what was allowed with always",
    "forget": "take one of those back",
}
"""Every command below this one; docs/safety.md explains them."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The commands and their arguments."""
    parsers = add_commands(command, COMMANDS)
    which = "the question, as list shows it; its beginning is enough, with or without approval:"
    for name in ("show", "answer", "always"):
        parsers[name].add_argument("id", metavar="ID", help=which)
    help_ = "yes, no, a choice or its number, or your words; list shows what fits"
    parsers["answer"].add_argument("answer", metavar="ANSWER", nargs="+", help=help_)
    parsers["answer"].add_argument("--text", default="", help="beside `reject`, why; beside `result`, what it came to")
    parsers["forget"].add_argument("rule", metavar="RULE", help="the rule, as rules shows it")


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or list the questions."""
    from sulla.cli.approvals.actions import DOES

    return DOES[given.below or "list"](given)
