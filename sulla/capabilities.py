"""What Sulla can do: one name for each capability, whose folder has all of it (CONTRIBUTING.md, *A capability*).
Pure.
"""

from __future__ import annotations

from sulla.host.capability import Capability, manifests

CAPABILITIES = (
    "skills",
    "projects",
    "people",
    "memory",
    "mcp",
    "journal",
    "speech",
    "schedules",
    "heartbeat",
    "playbooks",
)
"""The folders that bring one. To add one: its folder, and its name here."""


def capabilities(*, installed: bool = True) -> tuple[Capability, ...]:
    """All of them, each behind what it needs.

    Args:
        installed: whether those of other installed packages too. To look for them takes some hundredths of a second.

    Raises:
        SettingsError: one of them cannot be used.
    """
    return manifests(CAPABILITIES, installed=installed)
