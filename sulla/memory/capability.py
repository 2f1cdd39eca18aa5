"""What agents remember of earlier conversations. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="memory",
    settings="sulla.memory.settings:MemorySettings",
    build="sulla.memory.build:build",
    commands={
        "memory": Command(
            "sulla.memory.cli.commands",
            "list, search, forget and export what agents remember, and whom it is about",
            "see",
            (
                "sulla memory list",
                "sulla memory search dentist",
                "sulla memory entity Ana",
                'sulla memory correct Ana "lives in" Malmö',
                "sulla memory export",
            ),
        ),
    },
    methods=("sulla.memory.entities.rpc:METHODS",),
    metrics=("sulla.memory.metrics:PLACED", "sulla.memory.metrics:BY_WORDS_ALONE", "sulla.memory.metrics:ENTITIES"),
    checks="sulla.memory.checks:CHECKS",
    compact="sulla.memory.compact:compact",
)
