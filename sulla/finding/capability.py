"""Finding conversations again: by when something happened in them, by their names, and by their words. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="finding",
    needs=("memory",),
    state=("sulla.finding.title:NAMES",),
    methods=("sulla.finding.rpc:METHODS",),
    build="sulla.finding.build:build",
)
