"""The settings of channels, `[channels]`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

from sulla.host.section import Address, Count, Section
from sulla.store.url import likely_secrets_in_url

MAX_CHANNELS: Final = 20
ChannelName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
PersonName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,39}$")]


class AccountSettings(BaseModel):
    """One account at one service."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: ChannelName
    """What it is called here: files that come by it lie in a folder of this name."""
    kind: ChannelName
    """Which service: `telegram`, or what an installed package brings."""
    secrets: Annotated[dict[str, SecretStr], Field(repr=False)] = Field(default={})
    """What the kind needs and nobody may see, by its names, e.g. `secrets.token`."""
    options: dict[str, str | int | float | bool | list[str]] = Field(default={})
    """What the kind can be told beside that."""
    places: tuple[str, ...] = ()
    """The groups in which it talks, by the service's ids; private talks need none."""
    people: dict[str, PersonName] = Field(default={})
    """Who may write without a code: people by the service's ids, never by names that anybody can choose."""
    strangers: bool = False
    """Whether words of a group's members whom nobody has let in reach the agent, as from outside, where it is meant.
    They are answered in the group: whoever writes there can have told what the agent remembers and what lies in its
    workspace."""

    def hidden(self) -> Iterator[tuple[str, str]]:
        """What of it is never shown, each with its name there: its secrets, the options that its kind takes as such
        (also where it does not take them among the options), and what is secret in addresses among the options.

        Raises:
            SettingsError: an installed package brings what is no kind.
        """
        yield from ((name, kept.get_secret_value()) for name, kept in self.secrets.items())
        if not self.options:
            return
        from sulla.channels.kinds import KINDS, kinds  # noqa: PLC0415 - without channels nothing of them is loaded

        own = {one.name: one for one in KINDS}
        kind = own.get(self.kind) or kinds().get(self.kind)
        secret = {*kind.secrets, *kind.may} if kind is not None else frozenset[str]()
        for name, value in self.options.items():
            for text in value if isinstance(value, list) else (str(value),):
                found = (text,) if name in secret else likely_secrets_in_url(text) if "://" in text else ()
                yield from ((f"options.{name}", one) for one in found if one)


class ChannelsSettings(Section):
    """Channels: people write from the messenger that they have open (docs/channels.md)."""

    accounts: Annotated[tuple[AccountSettings, ...], Field(max_length=MAX_CHANNELS, repr=False)] = ()
    """The channels, each `[[channels.accounts]]` with `name`, `kind` and `secrets`. Without any nothing runs."""
    recognizer: Address = ""
    """Where voice notes are written down: an OpenAI-compatible `/audio/transcriptions`; empty for nowhere."""
    recognizer_key: SecretStr = SecretStr("")
    """The key for it; empty where it takes none."""
    recognizer_model: str = "whisper-1"
    """What it is asked for."""
    file_bytes: Count = 20_000_000
    """The largest file that is taken in."""
    message_files: Annotated[int, Field(ge=0, le=20)] = 10
    """The most files of one message."""
    total_bytes: Count = 1_000_000_000
    """The most that the folder of one channel may hold, in bytes; beyond it files are not saved."""

    @model_validator(mode="after")
    def _fits(self) -> ChannelsSettings:
        names = [one.name for one in self.accounts]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"accounts: two are called {twice[0]!r}: give each its own name")
        return self

    def more_secrets(self) -> Iterator[tuple[str, str]]:
        """What the channels come with."""
        yield "recognizer_key", self.recognizer_key.get_secret_value()
        for one in self.accounts:
            yield from ((f"accounts.{one.name}.{name}", secret) for name, secret in one.hidden())
