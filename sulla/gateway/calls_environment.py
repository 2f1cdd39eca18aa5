"""Requests about what a person looks at."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire_environment as wire
from sulla.gateway.commands import Commands
from sulla.gateway.infos import SeenInfo


async def report_environment(commands: Commands, params: wire.EnvironmentReport, caller: str) -> JsonObject:
    """Take what a client tells.

    Args:
        commands: does it.
        params: what it tells.
        caller: the name of the token that it came with.
    """
    seen = [SeenInfo(event.kind, event.title, event.url, event.text, event.ago_s) for event in params.events]
    known = await commands.report_environment(params.thread_id, seen, caller)
    return wire.EnvironmentReported(known=known).model_dump()
