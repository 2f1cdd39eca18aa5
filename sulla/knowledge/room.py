"""How much of a folder is read: what is over is named, never just left out. Pure."""

from __future__ import annotations

from typing import Protocol


class Bounds(Protocol):
    """How much is read; `settings.KnowledgeSettings` says how much that is."""

    @property
    def files(self) -> int:
        """Files."""

    @property
    def file_bytes(self) -> int:
        """The largest one."""

    @property
    def total_bytes(self) -> int:
        """All of them, or their text where that is longer."""

    @property
    def sections(self) -> int:
        """Of all of them."""


class Room:
    """What is left while the files of a folder are gone through in their order. It lives as long as that.

    Args:
        bounds: how much is read.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._files = bounds.files
        self._bytes = bounds.total_bytes
        self._sections = bounds.sections

    def refuses(self, size_bytes: int) -> str:
        """Why a file is not to be read; empty if it may be.

        Args:
            size_bytes: how long it is.
        """
        if size_bytes > self._bounds.file_bytes:
            most = self._bounds.file_bytes
            return f"has {size_bytes} bytes, and {most} are read at the most (knowledge.file_bytes): split it"
        if not self._files:
            return f"is more than the {self._bounds.files} files that are read (knowledge.files)"
        if size_bytes > self._bytes:
            return f"is more than the {self._bounds.total_bytes} bytes that are read in all (knowledge.total_bytes)"
        if not self._sections:
            return self._too_many
        return ""

    def takes(self, cost_bytes: int, sections: int) -> str:
        """Count a file that was read; why it is too much, or empty if it was counted.

        Args:
            cost_bytes: how long it is, or its text where that is longer.
            sections: how many it has.
        """
        if cost_bytes > self._bytes:
            most = self._bounds.total_bytes
            return f"has text that is more than the {most} bytes that are read in all (knowledge.total_bytes)"
        if sections > self._sections:
            return self._too_many
        self._files -= 1
        self._bytes -= cost_bytes
        self._sections -= sections
        return ""

    @property
    def _too_many(self) -> str:
        return f"has more than is left of the {self._bounds.sections} sections that are read (knowledge.sections)"
