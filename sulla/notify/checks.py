"""What `sulla doctor` says of the channels that notices go out by."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.notify.sending import fault_of
from sulla.notify.settings import ChannelSettings, NotifySettings
from sulla.notify.ways import OWN


async def notify(of: CheckContext) -> list[Finding]:
    """The channels: that there is what sends, and that each takes what it is sent."""
    wanted = of.settings.section(NotifySettings)
    if not wanted.channels:
        return ok("no channels: notices stay in this home")
    if find_spec("apprise") is None and not all(_is_own(wanted, one) for one in wanted.channels):
        return [warning("channels are set, and Apprise is not installed", "pip install 'sulla-agent[notify]'")]
    faults = await asyncio.to_thread(_faults, wanted)
    if faults:
        return faults
    if of.where is None or of.silent:
        return ok(f"{counted(len(wanted.channels), 'channel')}; no daemon runs that could say how they do")
    rows = (await of.ask("notify.list")).get("channels")
    found: list[Finding] = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("why"):
            often = f"{row.get('failures')} failures in a row: " if row.get("failures") else ""
            said = f"{row.get('channel')}: {often}{row.get('why')}"
            found.append(warning(said, f"sulla notify test {row.get('channel')}"))
    return found or ok(f"{counted(len(wanted.channels), 'channel')}: {', '.join(one.name for one in wanted.channels)}")


def _is_own(wanted: NotifySettings, one: ChannelSettings) -> bool:
    return wanted.address_of(one).startswith(OWN)


def _faults(wanted: NotifySettings) -> list[Finding]:
    every = ((one.name, fault_of(wanted.address_of(one))) for one in wanted.channels if not _is_own(wanted, one))
    remedy = "write its address as docs/notify.md says, then `sulla notify test {}`"
    return [fault(f"{name}: {why}", remedy.format(name)) for name, why in every if why]


CHECKS = (Check("notify", notify),)
