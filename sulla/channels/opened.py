"""Makes channels of what the settings say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from sulla.channels.base import Channel
from sulla.channels.kinds import ChannelKind, Wanted, maker
from sulla.channels.run.making import made
from sulla.channels.run.quiet import hush
from sulla.channels.settings import AccountSettings
from sulla.core.clock import Clock
from sulla.core.errors import SettingsError, SullaError, Unauthorized
from sulla.core.redact import Redactor
from sulla.host.capability import find


def kind_of(said: AccountSettings, known: Mapping[str, ChannelKind]) -> ChannelKind:
    """The kind of a channel.

    Args:
        said: what the settings say.
        known: all kinds, by name.

    Raises:
        SettingsError: there is none of that name, or what brings it is not installed.
    """
    kind = known.get(said.kind)
    if kind is None:
        raise SettingsError(f"channels: {said.name!r} is of the kind {said.kind!r}; there is: {', '.join(known)}")
    if kind.library and find_spec(kind.library) is None:
        raise SettingsError(
            f"channels: {said.name!r} needs what is not installed: pip install 'sulla-agent[{kind.extra}]'"
        )
    return kind


def options_of(said: AccountSettings, kind: ChannelKind, secrets: Mapping[str, str] | None = None) -> BaseModel:
    """The options of a channel, as its kind wants them.

    Args:
        said: what the settings say.
        kind: its kind.
        secrets: the channel's, which its options may have to fit: the model gets them as its context. None while they
            are not known.

    Raises:
        SettingsError: they do not fit it.
    """
    try:
        return _model_of(kind).model_validate(said.options, context=secrets)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f"channels: options.{where} of {said.name!r}: {_redactor(said).text(first['msg'])}"
        ) from None


def _redactor(said: AccountSettings) -> Redactor:
    """Knows what a kind's own words of an option must not show."""
    return Redactor(secret for _, secret in said.hidden())


def _model_of(kind: ChannelKind) -> type[BaseModel]:
    model = find(kind.options, f"the channel kind {kind.name!r}")
    if not isinstance(model, type) or not issubclass(model, BaseModel):
        raise SettingsError(f"{kind.options} is no pydantic model: mend its package")
    return model


def making(said: AccountSettings, kind: ChannelKind, clock: Clock) -> Callable[[], Channel]:
    """What makes a channel, as often as it is taken up; its options and secrets are looked at now.

    Args:
        said: what the settings say.
        kind: its kind.
        clock: all time.

    Raises:
        SettingsError: they do not fit the kind.
    """
    secrets = {name: kept.get_secret_value() for name, kept in said.secrets.items()}
    options = options_of(said, kind, secrets)
    if missing := [name for name in kind.secrets if not secrets.get(name)]:
        raise SettingsError(f"channels: {said.name!r} has no secrets.{missing[0]}: {kind.secrets[missing[0]]}")
    if unknown := [name for name in secrets if name not in kind.secrets and name not in kind.may]:
        known = ", ".join((*kind.secrets, *kind.may)) or "none"
        raise SettingsError(f"channels: {said.name!r} has secrets.{unknown[0]}; its kind knows: {known}")
    secrets = {name: kept for name, kept in secrets.items() if kept}

    def make() -> Channel:
        hush(kind)
        return maker(kind)(Wanted(said.name, options, secrets, clock))

    return make


def secret_options(said: AccountSettings, kind: ChannelKind) -> list[str]:
    """The options of a channel that its kind takes as secrets: what is secret stands open there.

    Args:
        said: what the settings say.
        kind: its kind.
    """
    return [name for name in said.options if name in kind.secrets or name in kind.may]


def fault_of(said: AccountSettings, kind: ChannelKind, option: str) -> str:
    """What is wrong with one option of a channel, while others may not be known yet; empty for nothing.

    Args:
        said: what the settings say.
        kind: its kind.
        option: which.
    """
    try:
        _model_of(kind).model_validate(said.options)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return _redactor(said).text(next((one["msg"] for one in found if one["loc"][:1] == (option,)), ""))
    return ""


class Tried(NamedTuple):
    """What came of seeing whether a service lets the daemon in."""

    account: str
    """As whom it does; empty where it does not."""
    why: str
    """Why it does not; empty where it does."""
    refused: bool = False
    """Whether that is for the secrets."""


async def tried(make: Callable[[], Channel], redact: Callable[[str], str]) -> Tried:
    """See whether a service lets the daemon in.

    Args:
        make: makes the channel.
        redact: takes the channel's secrets out of what the service and its library say.
    """
    channel = await made(make)
    try:
        account = await channel.open()
    except SullaError as error:
        return Tried("", redact(error.message), isinstance(error, Unauthorized))
    finally:
        await channel.close()
    return Tried(redact(account.name or account.id), "")
