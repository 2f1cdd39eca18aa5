"""Speech in a daemon: who takes it down, with their settings. Pure."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.host.host import Built, Host
from sulla.host.sections import LimitSettings
from sulla.speech.limits import SpeechLimits
from sulla.speech.rpc import METHODS
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.settings import SpeechSettings
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC


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
    manager = StreamBufferManager(host.store, host.threads, place.clock, place.owner, host.waker, limits)

    async def status() -> JsonObject:
        return manager.status()

    return Built(
        methods=(METHODS.done_by(manager),),
        tasks={"speech": manager.run},
        forget=manager.forget,
        status=status,
        troubles={"speech": manager.trouble},
    )
