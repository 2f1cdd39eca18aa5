"""Which kinds of channels there are: a line for each, and what installed packages bring. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from sulla.channels.base import Channel
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.host.capability import find
from sulla.host.installed import entry_points_of

GROUP: Final = "sulla.channels"
"""The entry-point group by which installed packages bring kinds of their own; each names a `ChannelKind`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a channel is made of."""

    name: str
    """What its people call it in the settings."""
    options: object
    """Those of its kind, checked: an instance of `ChannelKind.options`."""
    secrets: Mapping[str, str]
    """What the kind's `secrets` ask for, and of `may` what was given, by their names. Never shown, never logged."""
    clock: Clock


class ChannelKind(NamedTuple):
    """A kind of channel. What is named as ``module:NAME`` is imported when a channel of it is opened, or set up."""

    name: str
    title: str
    """For people."""
    make: str
    """``module:FUNCTION``, takes a `Wanted` and gives a `base.Channel`. The service's library is imported there. It
    runs in a thread beside the event loop, so what needs that begins in `Channel.open`."""
    options: str
    """``module:CLASS``, a pydantic model of what the settings may say, which forbids all else."""
    secrets: Mapping[str, str] = MappingProxyType({})
    """What has to be known and not shown, by its name, with what the wizard asks for it."""
    library: str = ""
    """The module that has to be installed; empty for none."""
    extra: str = ""
    """What brings it: an extra of Sulla, or the name of a package."""
    loggers: tuple[str, ...] = ()
    """The loggers of its library that write addresses or contents; they are hushed below warnings."""
    may: Mapping[str, str] = MappingProxyType({})
    """Secrets that it knows and can do without, as `secrets`: the wizard takes an empty answer for none."""
    asks: Mapping[str, str] = MappingProxyType({})
    """Options that the wizard asks for before any secret, by their names, with what it asks; an empty answer leaves one
    out. What is typed is shown."""
    unless: Mapping[str, str] = MappingProxyType({})
    """Of `may`, secrets for which the wizard does not ask where this option is given."""


KINDS: Final = (
    ChannelKind(
        "telegram",
        "Telegram",
        "sulla.channels.telegram.channel:make",
        "sulla.channels.telegram.settings:TelegramOptions",
        MappingProxyType({"token": "the bot's token, as @BotFather gave it"}),
        "telegram",
        "telegram",
        ("httpx", "httpcore", "telegram"),
    ),
    ChannelKind(
        "slack",
        "Slack",
        "sulla.channels.slack.channel:make",
        "sulla.channels.slack.settings:SlackOptions",
        MappingProxyType(
            {
                "bot_token": "the bot token (xoxb-…), which the app's page shows under OAuth & Permissions",
                "app_token": "the app-level token (xapp-…) with connections:write, from Basic Information",
            }
        ),
        "slack_sdk",
        "slack",
        ("slack_sdk", "aiohttp"),
    ),
    ChannelKind(
        "discord",
        "Discord",
        "sulla.channels.discord.channel:make",
        "sulla.channels.discord.settings:DiscordOptions",
        MappingProxyType({"token": "the bot's token, as the developer portal gave it"}),
        "discord",
        "discord",
        ("discord", "aiohttp"),
    ),
    ChannelKind(
        "mail",
        "E-mail",
        "sulla.channels.mail.channel:make",
        "sulla.channels.mail.settings:MailOptions",
        MappingProxyType({"password": "the mailbox's password, one for programs where the provider has those"}),
        "imap_tools",
        "mail",
        asks=MappingProxyType(
            {
                "address": "the mailbox's address, which is the daemon's alone",
                "imap": "where it is read, such as imaps://imap.example.org (empty for imaps://imap.DOMAIN)",
                "smtp": "where mail is handed in, such as smtps://smtp.example.org (empty for smtps://smtp.DOMAIN)",
                "authserv": "the name under which its server writes Authentication-Results (empty if it writes none)",
            }
        ),
        may=MappingProxyType(
            {
                "word": "the word that people write behind a + in the address, 16 to 40 small letters and digits by "
                "chance"
            }
        ),
        unless=MappingProxyType({"word": "authserv"}),
    ),
    ChannelKind(
        "matrix",
        "Matrix",
        "sulla.channels.matrix.channel:make",
        "sulla.channels.matrix.settings:MatrixOptions",
        MappingProxyType({"token": "the account's access token"}),
        "mautrix",
        "matrix",
        ("mau", "aiohttp"),
        asks=MappingProxyType({"homeserver": "the homeserver's address, such as https://matrix.example.org"}),
    ),
)
"""Sulla's own. To add one: its folder, and its line here."""


def kinds(*, installed: bool = True) -> Mapping[str, ChannelKind]:
    """All kinds, by name.

    Args:
        installed: whether those of other packages too.

    Raises:
        SettingsError: a package brings what is none, or one that is there already.
    """
    found = {one.name: one for one in KINDS}
    for point in entry_points_of(GROUP) if installed else ():
        brought = find(point.value, f"the package {point.dist.name if point.dist else '?'!r}")
        if not isinstance(brought, ChannelKind):
            raise SettingsError(f"{point.value} is no ChannelKind but {type(brought).__name__}: mend its package")
        if any(not isinstance(words, Mapping) for words in (brought.secrets, brought.may, brought.asks)):
            raise SettingsError(
                f"{point.value}: `secrets`, `may` and `asks` are mappings, of each name what the wizard asks for it"
            )
        if brought.name in found:
            raise SettingsError(f"there are two kinds of channels named {brought.name!r}: uninstall one")
        found[brought.name] = brought
    return found


def maker(kind: ChannelKind) -> Callable[[Wanted], Channel]:
    """What makes channels of a kind; its library is imported.

    Raises:
        SettingsError: it cannot be.
    """
    made = find(kind.make, f"the channel kind {kind.name!r}")
    if not callable(made):
        raise SettingsError(f"{kind.make} is no function: mend its package")
    return made
