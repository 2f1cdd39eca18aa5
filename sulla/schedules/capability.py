"""Schedules: what happens at its time, whichever daemon is there, and happens once. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="schedules",
    needs=("people",),
    methods=("sulla.schedules.rpc:METHODS",),
    commands={
        "schedule": Command("sulla.schedules.cli.commands", "list, add, remove, run, pause and resume schedules")
    },
    build="sulla.schedules.build:build",
)
