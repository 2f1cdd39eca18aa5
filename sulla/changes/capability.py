"""Changes of commands that wait for a person, who decides on them without asking a model. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="changes",
    methods=("sulla.changes.rpc:METHODS",),
    commands={
        "changes": Command(
            "sulla.changes.cli.commands",
            "list, show, keep and drop changes of commands that wait for a yes",
            "talk",
            (
                "sulla changes",
                "sulla changes show u99n",
                "sulla changes keep u99n",
                "sulla changes drop u99n",
            ),
        ),
    },
    build="sulla.changes.build:build",
)
