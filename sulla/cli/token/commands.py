"""`sulla token`: the owner's, and the commands below it."""

from __future__ import annotations

import argparse
import json
import re

from sulla.host.home import Home
from sulla.host.system import random_token
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_commands
from sulla.terminal.place import home_of

COMMANDS = {
    "create": "make a token for somebody else, and print it this once",
    "list": "list the tokens; nobody can print them again",
    "revoke": "take a token back, and close what was opened with it",
    "ticket": "print an address that opens the daemon's /hub once, within a minute",
}
"""Every command below this one; docs/cli.md explains them."""

SCOPES = ("read", "write", "approve", "admin")
"""What a token can allow; a test holds them against `sulla.access`, which is not loaded for `--help`."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments, and the commands below it."""
    parsers = add_commands(command, COMMANDS, rows=False)
    for name in ("create", "revoke"):
        parsers[name].add_argument("name", metavar="NAME", help="what it is called")
    create = parsers["create"]
    create.add_argument(
        "--scope", action="append", required=True, choices=SCOPES, help="what it allows; may be given several times"
    )
    create.add_argument(
        "--expires", type=_seconds, metavar="TIME", help="how long it is good, e.g. 12h, 30d (else until it is revoked)"
    )


def run(given: argparse.Namespace) -> Exit:
    """Do what was chosen, or print the owner's token, making it if the home is new."""
    if given.below is not None:
        from sulla.cli.token.tokens import CHANGES

        return CHANGES[given.below](given)
    token = Home(home_of(given)).token(random_token)
    print(json.dumps({"token": token}) if given.json else token)
    return Exit.OK


def _seconds(word: str) -> int:
    """A length of time, as an argument's type."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})([smhdw])", word)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a number and s, m, h, d or w, e.g. 30d; found {word!r}")
    return int(found[1]) * _UNITS[found[2]]
