"""Looks at when agents would work by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sulla.core.errors import SettingsError
from sulla.heartbeat.schedules import wanted_by
from sulla.heartbeat.settings import HeartbeatSettings
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, fault, ok
from sulla.schedules.spec import explain


async def heartbeat(of: CheckContext) -> list[Finding]:
    """The heartbeat: whether there is one, and whether it can be as the settings say."""
    team = await asyncio.to_thread(of.team)
    return judge_heartbeat(of.settings.section(HeartbeatSettings), team.ids)


def judge_heartbeat(settings: HeartbeatSettings, agents: Sequence[str]) -> list[Finding]:
    """What `[heartbeat]` comes to.

    Args:
        settings: say so.
        agents: who can be named, the home's own first.
    """
    try:
        wanted = wanted_by(settings, agents)
    except SettingsError as error:
        return [fault(error.message, "mend it in sulla.toml: docs/settings.md has every setting of [heartbeat]")]
    if not wanted:
        how = "heartbeat.enabled = true in sulla.toml switches it on"
        return ok(f"off: agents work by themselves only after `sulla beat now`; {how}")
    return ok("on: " + "; ".join(f"{name}: {explain(spec)}" for name, spec in wanted.items()))


CHECKS = (Check("heartbeat", heartbeat),)
