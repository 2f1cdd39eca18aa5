"""Arguments that more than one command takes. Light, because `--help` needs it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

_HOME_HELP = "the daemon's home (else SULLA_HOME, else ~/.sulla)"


def add_home(parser: argparse.ArgumentParser, *, below: bool) -> None:
    """Let a parser know `--home DIR`.

    Args:
        parser: gets it.
        below: whether it belongs to a command, and not to the program. `--home` is given before the command or after
            it, and a default after it would undo what was given before.
    """
    default: Any = argparse.SUPPRESS if below else None
    parser.add_argument("--home", type=_folder, metavar="DIR", default=default, help=_HOME_HELP)


def count(word: str) -> int:
    """A number of things, as an argument's type."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more, found {word!r}")
    return int(word)


def place_in_log(word: str) -> int:
    """A record's number, or 0 for before the first, as an argument's type."""
    if not word.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a record's number, found {word!r}")
    return int(word)


def _folder(word: str) -> Path:
    if not word:
        raise argparse.ArgumentTypeError("expected a folder, found an empty word")
    return Path(word)
