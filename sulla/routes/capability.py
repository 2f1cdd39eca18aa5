"""Turns whose way is decided by code before a model is asked. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="routes",
    needs=("skills", "handoffs", "flows", "intents"),
    state=("sulla.routes.slice:ROUTES",),
    build="sulla.routes.build:build",
    checks="sulla.routes.checks:CHECKS",
)
