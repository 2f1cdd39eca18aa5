"""Under which name Sulla is installed: `sulla` is somebody else's package on the index that pip asks. Pure."""

from __future__ import annotations

from typing import Final

DISTRIBUTION: Final = "sulla-agent"
"""The same as `project.name` of pyproject.toml (tests/core/test_distribution.py)."""


def install_hint(extra: str) -> str:
    """What installs an extra of it.

    Args:
        extra: as pyproject.toml names it.
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
