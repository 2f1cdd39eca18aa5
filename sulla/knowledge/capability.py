"""Answers out of what the owner has written down, word for word and with where it stands. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="knowledge",
    settings="sulla.knowledge.settings:KnowledgeSettings",
    build="sulla.knowledge.build:build",
    commands={
        "knowledge": Command(
            "sulla.knowledge.cli.commands",
            "list and search what the home's folder knowledge/ holds",
            "see",
            (
                "sulla knowledge list",
                "sulla knowledge search how long may goods be returned",
            ),
        ),
    },
    checks="sulla.knowledge.checks:CHECKS",
)
