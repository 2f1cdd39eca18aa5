"""Conversations that are handed between agents. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="handoffs",
    state=("sulla.handoffs.slice:HANDOFFS",),
    build="sulla.handoffs.build:build",
)
