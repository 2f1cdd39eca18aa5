"""What `sulla doctor` says of channels."""

from __future__ import annotations

from sulla.channels.kinds import kinds
from sulla.channels.opened import kind_of, making
from sulla.channels.settings import ChannelsSettings
from sulla.core.errors import SettingsError
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, fault, ok, warning


async def channels(of: CheckContext) -> list[Finding]:
    """The channels: that what they need is there, and how they do. Nothing is sent."""
    wanted = of.settings.section(ChannelsSettings).accounts
    if not wanted:
        return ok("no channels: people write by the terminal, the console and apps")
    known = kinds()
    found: list[Finding] = []
    for one in wanted:
        try:
            making(one, kind_of(one, known), of.clock)
        except SettingsError as error:
            found.append(fault(error.message, "set it in [[channels.accounts]] as docs/channels.md says"))
    if found:
        return found
    names = ", ".join(one.name for one in wanted)
    if of.where is None or of.silent:
        return ok(f"{counted(len(wanted), 'channel')} ({names}); no daemon runs that could say how they do")
    rows = (await of.ask("channel.list")).get("channels")
    broken = [
        warning(f"{row.get('channel')}: {row.get('why')}", f"sulla channel test {row.get('channel')}")
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and row.get("state") in ("failing", "refused")
    ]
    return broken or ok(f"{counted(len(wanted), 'channel')}: {names}")


CHECKS = (Check("channels", channels),)
