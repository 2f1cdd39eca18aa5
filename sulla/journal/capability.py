"""The journal: copies of conversations as lines of JSON. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="journal",
    settings="sulla.journal.settings:JournalSettings",
    build="sulla.journal.build:build",
    compact="sulla.journal.compact:compact",
)
