"""Turns that are walked by flows. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="flows",
    state=("sulla.flows.slice:FLOWS",),
    build="sulla.flows.build:build",
    checks="sulla.flows.checks:CHECKS",
)
