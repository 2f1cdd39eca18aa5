"""What a capability sees of the settings."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class HomeSettings(Protocol):
    """The settings of a home, as capabilities are handed them. They are read once, and do not change."""

    @property
    def home(self) -> Path:
        """The folder where the daemon keeps what is its own."""
        ...

    @property
    def workspace(self) -> Path:
        """The folder that agents' file tools work in."""
        ...

    def place(self, path: str) -> Path:
        """A path as people write it: in the home, unless it begins with `/` or `~`.

        Raises:
            SettingsError: it begins with a `~` that stands for no folder.
        """
        ...
