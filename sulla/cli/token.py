"""`sulla token`."""

from __future__ import annotations

import argparse
import json

from sulla.cli.exits import Exit
from sulla.cli.place import home_of
from sulla.daemon import Home, random_token


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Print the owner's token, making it if the home is new."""
    token = Home(home_of(given)).token(random_token)
    print(json.dumps({"token": token}) if given.json else token)
    return Exit.OK
