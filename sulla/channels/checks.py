"""What `sulla doctor` says of channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sulla.channels.addresses import is_by_channel, no_channel
from sulla.channels.kinds import ChannelKind, kinds
from sulla.channels.opened import kind_of, making, secret_options
from sulla.channels.settings import AccountSettings, ChannelsSettings
from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.core.stamp import stamp
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.notify.settings import NotifySettings

RECENT_S: Final = 86_400.0
"""How long it is told that a message was given up; `sulla channel list` tells it on."""


async def channels(of: CheckContext) -> list[Finding]:
    """The channels: that what they need is there, and how they do. Nothing is sent."""
    wanted = of.settings.section(ChannelsSettings).accounts
    # A daemon that runs says this itself, and of places besides.
    open_ = _lost_notices(of.settings.section(NotifySettings), wanted) if of.where is None or of.silent else []
    if not wanted:
        return open_ or ok("no channels: people write by the terminal, the console and apps")
    known = kinds()
    found: list[Finding] = []
    for one in wanted:
        try:
            kind = kind_of(one, known)
            making(one, kind, of.clock)
            open_.extend(_open(one, kind))
        except SettingsError as error:
            found.append(fault(error.message, "set it in [[channels.accounts]] as docs/channels.md says"))
    if found:
        return found + open_
    names = ", ".join(one.name for one in wanted)
    if of.where is None or of.silent:
        return open_ or ok(f"{counted(len(wanted), 'channel')} ({names}); no daemon runs that could say how they do")
    rows = (await of.ask("channel.list")).get("channels")
    found = open_ + judge_channels(
        rows if isinstance(rows, list) else [], stamp(round((of.clock.now() - RECENT_S) * 1_000))
    )
    return found or ok(f"{counted(len(wanted), 'channel')}: {names}")


def _open(one: AccountSettings, kind: ChannelKind) -> Iterator[Finding]:
    """Secrets that stand among a channel's options: whoever reads the file takes them for something to be shown."""
    for name in secret_options(one, kind):
        where = f"take it out of the options of [[channels.accounts]], and write it to its secrets, as {name}"
        yield warning(
            f"{one.name}: options.{name} is a secret, and whoever is shown the settings' file may know it", where
        )


def judge_channels(rows: Sequence[Json], since: str) -> list[Finding]:
    """What is wrong with some channels. Pure.

    Args:
        rows: as `channel.list` tells them.
        since: messages that were given up before this are an old matter, UTC as rows have it.
    """
    found: list[Finding] = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        name, last = row.get("channel"), row.get("last_given_up")
        if row.get("state") in ("failing", "refused"):
            found.append(warning(f"{name}: {row.get('why')}", f"sulla channel test {name}"))
        if isinstance(last, dict) and str(last.get("at")) >= since:
            place = f"{last.get('called') or ''} ({last.get('place')})".strip()
            found.append(
                warning(
                    f"{name}: a message for {place} was given up at {last.get('at')}: {last.get('why')}",
                    "see to it at the service; `sulla channel list` says how many there were",
                )
            )
    return found


def _lost_notices(notices: NotifySettings, wanted: Sequence[AccountSettings]) -> list[Finding]:
    """The notices that are to go by channels that there are not."""
    names, addresses = [one.name for one in wanted], ((one.name, notices.address_of(one)) for one in notices.channels)
    every = ((name, no_channel(address, names)) for name, address in addresses if is_by_channel(address))
    remedy = "set it by `sulla channel add`, or give the notices of {} another address in [[notify.channels]]"
    return [warning(f"the notices of {name} reach nobody: {why}", remedy.format(name)) for name, why in every if why]


CHECKS = (Check("channels", channels),)
