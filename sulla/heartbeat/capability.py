"""Agents' own time: they wake by the clock and work on projects. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="heartbeat",
    needs=("projects", "people", "skills", "schedules", "playbooks"),
    state=("sulla.heartbeat.slice:BEATS",),
    kinds=("sulla.heartbeat.slice:HEARTBEAT_THREAD",),
    methods=("sulla.heartbeat.rpc:METHODS",),
    settings="sulla.heartbeat.settings:HeartbeatSettings",
    build="sulla.heartbeat.build:build",
    commands={
        "beat": Command(
            "sulla.heartbeat.cli.commands",
            "agents' own time: status, now, log, pause and resume",
            "work",
            (
                "sulla beat",
                "sulla beat now --watch",
                "sulla beat log --limit 5",
            ),
        ),
    },
    checks="sulla.heartbeat.checks:CHECKS",
)
