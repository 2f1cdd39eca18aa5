"""The settings of notices that go out, `[notify]`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

from sulla.core.errors import InvalidInput
from sulla.host.section import Count, Section
from sulla.schedules.hours import parse_hours

Kind = Literal["notice", "schedule", "beat", "playbook", "approval", "failed"]
"""`notice`: what an agent tells with `notify_user`. `schedule` and `playbook`: what these tell, their results included.
`beat`: what a heartbeat tells of its beats. `approval`: somebody is asked. `failed`: a turn that nobody watched
failed."""
KINDS: Final[tuple[Kind, ...]] = ("notice", "schedule", "beat", "playbook", "approval", "failed")
Level = Literal["low", "normal", "high"]
MAX_CHANNELS: Final = 20
_KEY_CHARS: Final = 10
_MOSTLY: Final = 25
"""The part of an address, in hundredths, that its longest key has at least for the whole to count as a secret."""
"""What of an address is at least so long, and no host, is hidden wherever it stands."""
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://.+", re.IGNORECASE | re.DOTALL)

ChannelName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]


def _hours(text: str) -> str:
    if text:
        try:
            parse_hours(text)
        except InvalidInput as error:
            raise ValueError(error.message) from None
    return text


def _address(secret: SecretStr) -> SecretStr:
    if secret.get_secret_value() and not _SCHEME.fullmatch(secret.get_secret_value()):
        raise ValueError("expected an Apprise address such as mailtos://user:password@example.org")
    return secret


class ChannelSettings(BaseModel):
    """One way to people."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: ChannelName
    address: Annotated[SecretStr, AfterValidator(_address)] = SecretStr("")
    """Where to, as Apprise writes it; it holds secrets, and is never shown."""
    secret: str = ""
    """In its place the name of one in `[notify.secrets]`."""
    kinds: tuple[Kind, ...] = KINDS
    """What goes there."""
    level: Level = "normal"
    """The least urgency that goes there."""

    @model_validator(mode="after")
    def _has_one(self) -> ChannelSettings:
        if bool(self.address.get_secret_value()) == bool(self.secret):
            raise ValueError("expected one of address and secret")
        return self


class NotifySettings(Section):
    """Notices out of the house (docs/notify.md)."""

    channels: Annotated[tuple[ChannelSettings, ...], Field(max_length=MAX_CHANNELS, repr=False)] = ()
    """The ways to people, each `[[notify.channels]]` with a `name`, an `address` or a `secret`, `kinds` and `level`."""
    secrets: Annotated[dict[str, Annotated[SecretStr, AfterValidator(_address)]], Field(repr=False)] = Field(default={})
    """Addresses by name, in a section of its own, `[notify.secrets]`."""
    quiet: Annotated[str, AfterValidator(_hours)] = ""
    """Hours in the home's time zone in which nothing is sent, e.g. `22:00-07:00`; it goes out when they end."""
    urgent_passes: bool = True
    """Whether urgent notices go out in them all the same."""
    join_min: Annotated[int, Field(ge=0, le=1440)] = 10
    """Minutes in which further news of the same matter are gathered for one message."""
    per_hour: Count = 30
    """Messages that a channel is sent in an hour; further ones wait."""

    @model_validator(mode="after")
    def _fits(self) -> NotifySettings:
        names = [one.name for one in self.channels]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"channels: two are called {twice[0]!r}: give each its own name")
        for one in self.channels:
            if one.secret and one.secret not in self.secrets:
                raise ValueError(
                    f"channels: {one.name!r} names the secret {one.secret[:60]!r}, and [notify.secrets] has none"
                )
        return self

    def address_of(self, channel: ChannelSettings) -> str:
        """The address of a channel."""
        kept = self.secrets[channel.secret] if channel.secret else channel.address
        return kept.get_secret_value()

    def more_secrets(self) -> Iterator[tuple[str, str]]:
        """What of the addresses is long enough to be a key or stands before the host, and such addresses as a whole.

        One without either says only where a service is, as the addresses of its other pages do: these are no secret.
        """
        every = [(f"channels.{one.name}", self.address_of(one)) for one in self.channels]
        every += [(f"secrets.{name}", kept.get_secret_value()) for name, kept in self.secrets.items()]
        for name, address in every:
            keys = [*_keys_in(address), *filter(None, [address.partition("://")[2].rpartition("@")[0]])]
            # Of an address that is mostly host, an address of the same host would pass for a piece of a secret.
            if keys and 100 * max(map(len, keys)) >= _MOSTLY * len(address):
                yield name, address
            yield from ((name, key) for key in keys)


def _keys_in(address: str) -> Iterator[str]:
    pieces = re.split(r"[/:@?&=]", address.partition("://")[2])
    yield from (piece for piece in pieces if len(piece) >= _KEY_CHARS and "." not in piece)
