"""Arguments that more than one command takes. Light, because `--help` needs it."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
_DURATION = "".join(rf"(?:(?P<{letter}>\d{{1,9}}){letter})?" for letter in _SECONDS)
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


def add_commands(
    command: argparse.ArgumentParser, commands: Mapping[str, str], *, rows: bool = True
) -> dict[str, argparse.ArgumentParser]:
    """Let a command know the commands below it; each of them, and the command itself, takes `--json`.

    Args:
        command: gets them.
        commands: what each does, by name.
        rows: whether their JSON is one object per line.

    Returns:
        Their parsers, by name.
    """
    command.add_argument("--json", action="store_true", help=f"print JSON{', one object per line' if rows else ''}")
    below = command.add_subparsers(dest="below", metavar="COMMAND")
    found: dict[str, argparse.ArgumentParser] = {}
    for name, text in commands.items():
        found[name] = one = below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_home(one, below=True)
        said = f"print JSON{', one per line' if rows else ''}"
        # A default here would undo what was given before the command's name.
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=said)
    return found


def count(word: str) -> int:
    """A number of things, as an argument's type."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more, found {word!r}")
    return int(word)


def duration_s(word: str) -> int:
    """A time such as ``30m``, ``2h`` or ``1h30m`` in whole seconds, as an argument's type."""
    form = re.fullmatch(_DURATION, word, re.ASCII)
    found = sum(int(form[letter] or 0) * size for letter, size in _SECONDS.items()) if form else 0
    if not found:
        raise argparse.ArgumentTypeError(f"expected a time such as 45s, 30m, 2h, 1d or 1h30m, found {word!r}")
    return found


def json_object(word: str) -> dict[str, Any]:
    """A JSON object, as an argument's type."""
    import json

    try:
        found = json.loads(word)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f'expected a JSON object such as \'{{"path": "."}}\', found {word!r}')
    return found


def place_in_log(word: str) -> int:
    """A record's number, or 0 for before the first, as an argument's type."""
    if not word.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a record's number, found {word!r}")
    return int(word)


def _folder(word: str) -> Path:
    if not word:
        raise argparse.ArgumentTypeError("expected a folder, found an empty word")
    from pathlib import Path

    return Path(word)
