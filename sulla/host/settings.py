"""What a capability sees of the settings."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

S = TypeVar("S")


class HomeSettings(Protocol):
    """The settings of a home, as capabilities are handed them. They are read once, and do not change."""

    @property
    def home(self) -> Path:
        """The folder where the daemon keeps what is its own."""

    @property
    def workspace(self) -> Path:
        """The folder that agents' file tools work in."""

    def section(self, kind: type[S]) -> S:
        """A capability's own section.

        Args:
            kind: the class that its manifest names.

        Raises:
            SettingsError: no capability that is there brings it.
        """

    def place(self, path: str) -> Path:
        """A path as people write it: in the home, unless it begins with `/` or `~`.

        Raises:
            SettingsError: it begins with a `~` that stands for no folder.
        """
