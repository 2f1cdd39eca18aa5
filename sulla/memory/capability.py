"""What agents remember of earlier conversations. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="memory",
    settings="sulla.memory.settings:MemorySettings",
    build="sulla.memory.build:build",
)
