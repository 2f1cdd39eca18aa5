"""Requests about the kill switch."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.gateway.wire_system import SwitchState, SystemPause, SystemResume
from sulla.work import SwitchOffice


async def perform_switch(office: SwitchOffice, params: SystemPause | SystemResume, by: str) -> JsonObject:
    """Have all work stand still, or go on.

    Args:
        office: does it.
        params: what is asked for.
        by: the name of the token that asks.
    """
    if isinstance(params, SystemResume):
        await office.resume(by)
        return SwitchState(paused=False, since=None, by="", reason="").model_dump()
    pause = await office.pause(by, params.reason)
    return {"paused": True, **pause.shown()}
