"""`sulla token`."""

from __future__ import annotations

import argparse

from sulla.cli.exits import Exit
from sulla.cli.place import home_of
from sulla.daemon import Home, random_token


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments: none."""


def run(given: argparse.Namespace) -> Exit:
    """Print the owner's token, making it if the home is new."""
    print(Home(home_of(given)).token(random_token))
    return Exit.OK
