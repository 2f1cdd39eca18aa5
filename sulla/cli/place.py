"""Where the daemon is, for commands that talk to it."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from sulla.core.errors import Unavailable
from sulla.daemon import Home, load_settings


@dataclass(frozen=True, slots=True)
class Door:
    """How to get in."""

    url: str
    token: str


def home_of(arguments: argparse.Namespace) -> Path:
    """The home that the command line, the environment or the default names."""
    return load_settings(os.environ, {}, arguments.home).home


def door(home: Path) -> Door:
    """The door of the daemon that runs on `home`.

    Raises:
        Unavailable: none runs there, or it has never run.
    """
    place = Home(home)
    where = place.whereabouts()
    token = place.known_token()
    if where is None or token is None:
        raise Unavailable(
            f"no daemon runs on the home {home}: start one with `sulla up`, or name another with --home DIR"
        )
    return Door(where.url, token)
