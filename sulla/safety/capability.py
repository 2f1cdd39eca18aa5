"""Why a conversation or a file is mistrusted, and what a person can do about it. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="safety",
    needs=("projects", "knowledge"),
    methods=("sulla.safety.rpc:METHODS",),
    commands={
        "safety": Command(
            "sulla.safety.cli.commands",
            "say why a conversation is mistrusted; go on from before; trust files",
            "see",
            (
                "sulla safety explain thr_9b2d",
                "sulla safety forget thr_9b2d",
                "sulla safety trust notes/rome.md",
            ),
        ),
    },
    build="sulla.safety.build:build",
)
