"""Sets a channel up at a terminal, and takes it down."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from pydantic import BaseModel, SecretStr

from sulla.channels.cli.file import Plain, added, notices_by, removed, write
from sulla.channels.kinds import ChannelKind, kinds
from sulla.channels.opened import Tried, fault_of, kind_of, making, options_of, tried
from sulla.channels.run.quiet import hush_all
from sulla.channels.settings import AccountSettings
from sulla.core.errors import InvalidInput, NotFound, SettingsError
from sulla.core.redact import Redactor
from sulla.host.system import SystemClock
from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import read_line
from sulla.terminal.output import tell
from sulla.terminal.program import hint
from sulla.terminal.table import one_line

FILE = "sulla.toml"
TRIES = 3
"""So often a person is asked for the same."""


class Ask(Protocol):
    """Asks a person; `terminal.keyboard.read_line` is one."""

    async def __call__(self, prompt: str, /, *, hidden: bool) -> str | None:
        """The answer; None where there is nobody."""


async def add(given: argparse.Namespace, home: Path) -> Exit:
    """Ask what a channel needs, try it, and write it down.

    Args:
        given: what was typed.
        home: where `sulla.toml` is.

    Raises:
        SettingsError, InvalidInput, Conflict: it cannot be set up; the message says why.
    """
    hush_all()
    if not sys.stdin.isatty():
        raise InvalidInput("`sulla channel add` asks at a terminal: else write [[channels.accounts]] into sulla.toml")
    if not await asyncio.to_thread(home.is_dir):
        raise NotFound(f"there is no home at {home}: `sulla init` makes one")
    known = kinds()
    chosen = given.kind or ((await read_line(f"Which service ({', '.join(known)})? ")) or "").strip()
    kind = kind_of(AccountSettings(name="new", kind=chosen or "none"), known)
    name = given.name or kind.name
    return await set_up(kind, name, home / FILE, options=_options(given.option))


async def set_up(
    kind: ChannelKind, name: str, path: Path, ask: Ask = read_line, options: Mapping[str, str] = MappingProxyType({})
) -> Exit:
    """Ask until the service lets the daemon in, or it was asked for often enough.

    Args:
        kind: which service.
        name: what the channel is called.
        path: of `sulla.toml`; it is written once the service has let the daemon in.
        ask: asks a person.
        options: what is said of it already; the others are asked for.

    Raises:
        InvalidInput: a question was left open.
        SettingsError, Conflict: it cannot be written down.
    """
    text = _text_of(path)
    added(text, name, kind.name, options, {})  # before anybody is asked
    shown = {option: f"{what}: " for option, what in kind.asks.items() if option not in options}
    said = AccountSettings(name=name, kind=kind.name)
    secrets, asks = dict[str, str](), True
    chosen: dict[str, Plain] = dict(options)
    for _ in range(TRIES):
        try:
            if asks:
                chosen = await _chosen(ask, shown, said, kind, options)
                said = said.model_copy(update={"options": dict(chosen)})
                chosen = _meant(chosen, options_of(said, kind))  # before any secret is asked for
                asks = False
            hidden = _hidden(kind, chosen)
            secrets |= await _secrets(ask, {name: what for name, what in hidden.items() if name not in secrets})
            kept = {key: SecretStr(one) for key, one in secrets.items() if one}
            account, why, refused = await _tried(said.model_copy(update={"secrets": kept}), kind)
            asks = not refused  # else the secrets alone are wrong
        except SettingsError as error:
            account, why = "", error.message
        if not why:
            write(path, added(text, name, kind.name, chosen, {key: one for key, one in secrets.items() if one}))
            tell(
                hint(f"{kind.title} lets you in as {one_line(account)}. {name!r} begins with the next start of Sulla;")
            )
            tell(hint("then write to it, and confirm the code that it answers with: `sulla channel pair CODE NAME`"))
            return Exit.OK
        tell(f"it was not taken: {one_line(why, 300)}")
        secrets = _good(secrets, why)
    return Exit.FAILED


def _hidden(kind: ChannelKind, chosen: Mapping[str, Plain]) -> dict[str, str]:
    """How each secret is asked for."""
    may = {name: what for name, what in kind.may.items() if not chosen.get(kind.unless.get(name, ""))}
    needed = {name: f"Give {what} (it is not shown): " for name, what in kind.secrets.items()}
    return needed | {name: f"Give {what}, or nothing (it is not shown): " for name, what in may.items()}


async def _tried(said: AccountSettings, kind: ChannelKind) -> Tried:
    hides = Redactor(secret for _, secret in said.hidden())
    return await tried(making(said, kind, SystemClock()), hides.text)


def _text_of(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


async def _chosen(
    ask: Ask, wanted: Mapping[str, str], said: AccountSettings, kind: ChannelKind, options: Mapping[str, str]
) -> dict[str, Plain]:
    """All options, with those that were answered; an answer that cannot be is asked for again at once."""
    chosen: dict[str, Plain] = dict(options)
    for option, prompt in wanted.items():
        for _ in range(TRIES):
            answer = await _answer(ask, prompt, hidden=False)
            made = {**chosen, option: answer} if answer else chosen
            if not (why := fault_of(said.model_copy(update={"options": dict(made)}), kind, option)):
                break
            tell(f"it was not taken: {one_line(why, 300)}")
        else:
            raise InvalidInput("it was asked for often enough: nothing is set up, and nothing was written")
        chosen = made
    return chosen


def _meant(typed: Mapping[str, Plain], model: BaseModel) -> dict[str, Plain]:
    """What was typed, with numbers and yes or no as such."""
    made = model.model_dump(mode="json", include=set(typed))
    return {key: made[key] if isinstance(made.get(key), bool | int | float) else value for key, value in typed.items()}


def _good(secrets: Mapping[str, str], why: str) -> dict[str, str]:
    """Those that need not be asked for again: where one is named as the wrong one, the others."""
    wrong = {name for name in secrets if re.search(rf"\b{re.escape(name)}\b", why)}
    return {name: kept for name, kept in secrets.items() if name not in wrong} if wrong else {}


async def _secrets(ask: Ask, wanted: Mapping[str, str]) -> dict[str, str]:
    """What was answered, by what was asked for."""
    return {name: await _answer(ask, prompt, hidden=True) for name, prompt in wanted.items()}


async def _answer(ask: Ask, prompt: str, *, hidden: bool) -> str:
    if (answer := await ask(prompt, hidden=hidden)) is None:
        raise InvalidInput("it was left open: nothing is set up, and nothing was written")
    return answer.strip()


def _options(given: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            raise InvalidInput(f"--option: got {one[:60]!r}, expected NAME=VALUE")
        options[key] = value
    return options


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
    for notices in notices_by(text, given.channel):
        tell(f"the notices of {notices} went by it and reach nobody now: set another address in [[notify.channels]]")
    tell(hint(f"{given.channel} is no longer set; a daemon that runs has it until it is started again"))
    return Exit.OK
