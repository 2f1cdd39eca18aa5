"""Live: what goes on in all threads at this moment, and who waits for a person. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="live",
    needs=("finding", "playbooks"),
    methods=("sulla.live.rpc:METHODS",),
    build="sulla.live.build:build",
)
