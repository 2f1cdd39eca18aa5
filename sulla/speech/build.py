"""Speech in a daemon: who takes it down, with their settings."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.ids import ThreadId
from sulla.daemon.health import Health
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.speech.limits import SpeechLimits
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.settings import SpeechSettings
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC
from sulla.store import Store
from sulla.threads import ThreadStore


def make_speech(
    settings: Settings, store: Store, threads: ThreadStore, place: Place, wake: Callable[[ThreadId], None]
) -> StreamBufferManager:
    """Who takes down what people say.

    Args:
        settings: its bounds, and when a turn ends.
        store: where it is kept.
        threads: where conversations are.
        place: clock and name.
        wake: has a thread worked on soon.
    """
    section = settings.section(SpeechSettings)
    limits = SpeechLimits(
        ADAPTIVE if section.profile == "adaptive" else CLASSIC,
        section.max_live,
        section.ttl_s,
        turn_burst=settings.limits.message_burst,
        token_burst=settings.limits.token_burst,
        turn_window_s=settings.limits.message_window_s,
    )
    return StreamBufferManager(store, threads, place.clock, place.owner, wake, limits)


def look_after_speech(health: Health, speech: StreamBufferManager) -> None:
    """Tell people what is wrong with it.

    Args:
        health: tells them. Whoever speaks is told by themselves, so nothing is blocked.
        speech: who takes it down.
    """
    health.watch("speech", speech.trouble, blocks=False)
