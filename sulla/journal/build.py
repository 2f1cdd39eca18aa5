"""The journal as the settings want it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.core.jsontypes import JsonObject
from sulla.core.redact import Redactor
from sulla.daemon.settings.config import Settings
from sulla.journal.journal import Journal, journal_follower
from sulla.journal.runs import Training
from sulla.journal.settings import JournalSettings
from sulla.journal.shelf import Shelf
from sulla.journal.training import Frame
from sulla.store import Store
from sulla.threads import LogFollower, ThreadStore

FOLDER = "journal"


def make_journal(
    settings: Settings,
    threads: ThreadStore,
    store: Store,
    clock: Clock,
    redactor: Redactor,
    frames: Mapping[str, Frame],
) -> LogFollower | None:
    """What writes the journal, not begun yet; None if none is wanted.

    Args:
        settings: its section says what is written.
        threads: whose logs are read.
        store: where threads are found.
        clock: all time.
        redactor: takes secrets out.
        frames: each agent's prompt and tools.

    Raises:
        SettingsError: a training log is wanted without the journal that it is written beside.
    """
    wanted = settings.section(JournalSettings)
    if not wanted.enabled:
        if wanted.training:
            raise SettingsError(
                "journal.training is true and journal.enabled is false: the training log is written beside the "
                "journal, so set both to true, or both to false"
            )
        return None
    shelf = Shelf(settings.home / FOLDER, wanted.file_bytes, wanted.keep_files, training=wanted.training)
    training = Training(frames, wanted.training_outcomes) if wanted.training else None
    return journal_follower(Journal(threads, shelf, redactor, training), threads, store, clock)


def journal_status(journal: LogFollower | None, home: Path) -> JsonObject:
    """How it is, for people.

    Args:
        journal: what writes it.
        home: the folder that it is in.
    """
    return journal.status() | {"journal_folder": str(home / FOLDER)} if journal is not None else {"journal": "off"}
