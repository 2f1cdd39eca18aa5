"""People: who is there, and what they are told. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="people",
    state=("sulla.people.slice:NOTICES_TOLD",),
    methods=(
        "sulla.people.presence_rpc:METHODS",
        "sulla.people.notices_rpc:METHODS",
    ),
    build="sulla.people.build:build",
    commands={
        "notices": Command(
            "sulla.people.cli.commands",
            "list, mark and watch what you are told beside the answers",
            "talk",
            (
                "sulla notices",
                "sulla notices seen",
                "sulla notices watch",
            ),
        ),
    },
    compact="sulla.people.compact:compact",
)
