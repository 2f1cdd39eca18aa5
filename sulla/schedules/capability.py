"""Schedules: what happens at its time, whichever daemon is there, and happens once. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="schedules",
    needs=("people",),
    methods=("sulla.schedules.rpc:METHODS",),
    commands={
        "schedule": Command(
            "sulla.schedules.cli.commands",
            "list, add, remove, run, pause and resume schedules",
            "work",
            (
                'sulla schedule add --cron "0 9 * * mon-fri" --message "what is due today?"',
                "sulla schedule add --every 2h --playbook nightly-backup-check",
                "sulla schedule list",
                "sulla schedule pause sch_4f2a",
            ),
        ),
    },
    build="sulla.schedules.build:build",
)
