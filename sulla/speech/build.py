"""Speech in a daemon: who takes it down, with their settings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sulla.core.jsontypes import JsonObject
from sulla.host.host import Built, Host
from sulla.host.sections import LimitSettings
from sulla.speech.late_manager import LateStreamBufferManager
from sulla.speech.limits import SpeechLimits
from sulla.speech.rpc import METHODS
from sulla.speech.settings import SpeechSettings
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC

if TYPE_CHECKING:
    from sulla.speech.sessions.manager import StreamBufferManager


def build(host: Host) -> Built:
    """Make what takes down what people say; see `host.Built`."""
    wanted, bounds = host.settings.section(SpeechSettings), host.settings.section(LimitSettings)
    limits = SpeechLimits(
        ADAPTIVE if wanted.profile == "adaptive" else CLASSIC,
        wanted.max_live,
        wanted.ttl_s,
        turn_burst=bounds.message_burst,
        token_burst=bounds.token_burst,
        turn_window_s=bounds.message_window_s,
    )
    place = host.place

    async def make() -> StreamBufferManager:
        made = await asyncio.to_thread(_load)
        return made(host.store, host.threads, place.clock, place.owner, host.waker, limits)

    manager = LateStreamBufferManager(make, host.store, place.clock, limits.profile.name)

    async def status() -> JsonObject:
        return manager.status()

    return Built(
        methods=(METHODS.done_by(manager),),
        tasks={"speech": manager.run},
        at_gateways=frozenset({"speech"}),
        forget=manager.forget,
        status=status,
        troubles={"speech": manager.trouble},
    )


def _load() -> type[StreamBufferManager]:
    from sulla.speech.sessions.manager import StreamBufferManager

    return StreamBufferManager
