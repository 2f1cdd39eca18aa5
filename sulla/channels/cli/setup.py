"""Sets a channel up at a terminal, and takes it down."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from sulla.channels.cli.file import added, removed, write
from sulla.channels.kinds import ChannelKind, kinds
from sulla.channels.opened import kind_of, making, tried
from sulla.channels.settings import AccountSettings
from sulla.core.errors import InvalidInput, SettingsError
from sulla.host.system import SystemClock
from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import read_line
from sulla.terminal.output import tell
from sulla.terminal.program import hint
from sulla.terminal.table import one_line

FILE = "sulla.toml"
TRIES = 3
"""So often a person is asked for the same."""


async def add(given: argparse.Namespace, home: Path) -> Exit:
    """Ask what a channel needs, try it, and write it down.

    Args:
        given: what was typed.
        home: where `sulla.toml` is.

    Raises:
        SettingsError, InvalidInput, Conflict: it cannot be set up; the message says why.
    """
    if not sys.stdin.isatty():
        raise InvalidInput("`sulla channel add` asks at a terminal: else write [[channels.accounts]] into sulla.toml")
    known = kinds()
    chosen = given.kind or ((await read_line(f"Which service ({', '.join(known)})? ")) or "").strip()
    kind = kind_of(AccountSettings(name="new", kind=chosen or "none"), known)
    name = given.name or kind.name
    options = _options(given.option)
    path = home / FILE
    text = path.read_text("utf-8") if path.exists() else ""
    added(text, name, kind.name, options, {})  # before anybody is asked
    for _ in range(TRIES):
        secrets = await _secrets(kind)
        kept = {key: SecretStr(one) for key, one in secrets.items()}
        said = AccountSettings(name=name, kind=kind.name, options=dict(options), secrets=kept)
        try:
            account, why = await tried(making(said, kind, SystemClock()))
        except SettingsError as error:
            account, why = "", error.message
        if not why:
            write(path, added(text, name, kind.name, options, secrets))
            tell(hint(f"{kind.title} lets you in as {one_line(account)}. `sulla restart` begins the channel {name!r};"))
            tell(hint("then write to it, and confirm the code that it answers with: `sulla channel pair CODE NAME`"))
            return Exit.OK
        tell(f"it was not taken: {one_line(why, 300)}")
    return Exit.FAILED


def _options(given: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            raise InvalidInput(f"--option: got {one[:60]!r}, expected NAME=VALUE")
        options[key] = value
    return options


async def _secrets(kind: ChannelKind) -> dict[str, str]:
    return {
        name: ((await read_line(f"Give {what} (it is not shown): ", hidden=True)) or "").strip()
        for name, what in kind.secrets.items()
    }


def remove(given: argparse.Namespace, home: Path) -> Exit:
    """Take a channel out of `sulla.toml`.

    Raises:
        NotFound: there is none.
        SettingsError: the file cannot be read or written.
    """
    path = home / FILE
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{FILE} cannot be read: {error.strerror}") from None
    write(path, removed(text, given.channel))
    tell(hint(f"{given.channel} is no longer set; a daemon that runs has it until `sulla restart`"))
    return Exit.OK
