"""The files that Sulla brings along: skills, projects and playbooks to begin with."""

from __future__ import annotations

from pathlib import Path

import sulla


def shipped(what: str) -> Path:
    """A folder that Sulla brings along: within the package where it was installed, beside it in the repository.

    Args:
        what: its name, e.g. ``skills``.
    """
    package = Path(sulla.__file__).parent
    installed = package / "starter" / what
    return installed if installed.is_dir() else package.parent / what
