"""Why a conversation is mistrusted, and going on from before it was. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="safety",
    methods=("sulla.safety.rpc:METHODS",),
    commands={
        "safety": Command(
            "sulla.safety.cli.commands",
            "say why a conversation is mistrusted; go on from before",
            "see",
            (
                "sulla safety explain thr_9b2d",
                "sulla safety forget thr_9b2d",
            ),
        ),
    },
    build="sulla.safety.build:build",
)
