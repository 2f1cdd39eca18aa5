"""What Sulla can do: one name for each capability, whose folder has all of it (CONTRIBUTING.md, *A capability*).
Pure.
"""

from __future__ import annotations

from functools import cache

from sulla.host.capability import Capability, manifests

CAPABILITIES = (
    "skills",
    "handoffs",
    "flows",
    "safety",
    "changes",
    "projects",
    "people",
    "memory",
    "knowledge",
    "finding",
    "mcp",
    "journal",
    "speech",
    "schedules",
    "heartbeat",
    "playbooks",
    "live",
    "intents",
    "procedures",
    "routes",
    "notify",
    "channels",
    "browser",
    "console",
)
"""The folders that bring one. To add one: its folder, and its name here."""


@cache
def capabilities(*, installed: bool = True) -> tuple[Capability, ...]:
    """All of them, each behind what it needs. They are looked for once in a process: what is installed does not change.

    Args:
        installed: whether those of other installed packages too. To look for them takes some hundredths of a second.

    Raises:
        SettingsError: one of them cannot be used.
    """
    return manifests(CAPABILITIES, installed=installed)
