"""Skills: what agents can read up on. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="skills",
    methods=("sulla.skills.rpc:METHODS",),
    commands={
        "skills": Command(
            "sulla.skills.cli.commands",
            "list, show and check skills, and say which are trusted",
            "setup",
            (
                "sulla skills list",
                "sulla skills show plan-a-project",
                "sulla skills trust plan-a-project",
            ),
        ),
    },
    checks="sulla.skills.checks:CHECKS",
    build="sulla.skills.build:build",
)
