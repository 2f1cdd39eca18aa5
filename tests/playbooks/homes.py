"""The playbooks of a home on which no daemon runs."""

from __future__ import annotations

from pathlib import Path

from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import Settings, load_settings
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames
from sulla.testing.clock import ManualClock


def catalog_in(settings: Settings) -> PlaybookCatalog:
    """Its catalog; nothing is read yet."""
    return offline_core(settings, ManualClock()).host.needed(PlaybookCatalog)


def known_in(settings: Settings) -> KnownNames:
    """What its playbooks are held against."""
    catalog = catalog_in(settings)
    catalog.look_now()
    return catalog.known


def known_nowhere() -> KnownNames:
    """What those of a home are held against that has nothing of its own."""
    return known_in(load_settings({}, {}, Path("/nonexistent")))
