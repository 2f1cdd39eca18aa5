"""Messages that lead somewhere by their words. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="intents",
    needs=("handoffs", "playbooks"),
    checks="sulla.intents.checks:CHECKS",
    build="sulla.intents.build:build",
)
