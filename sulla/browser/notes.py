"""What happens beside the calls, until somebody is told of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.tools.builtin.charsets import seen

MAX_NOTES: Final = 10
"""Things that are told one by one."""
NOTE_CHARS: Final = 300
MAX_REASONS: Final = 3
"""Reasons for refusals that are told."""


class PageNotes:
    """What pages have done by themselves."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._more = 0

    @property
    def said(self) -> tuple[str, ...]:
        """What was noted and not told yet."""
        return tuple(self._notes)

    def add(self, said: str) -> None:
        """Note something.

        Args:
            said: a sentence.
        """
        if len(self._notes) < MAX_NOTES:
            self._notes.append(" ".join(seen(said).split())[:NOTE_CHARS])
        else:
            self._more += 1

    def take(self, refused: Sequence[str]) -> tuple[str, ...]:
        """All of it, in sentences; from then on it is told.

        Args:
            refused: why requests were refused, one by one.
        """
        notes, more = self._notes, self._more
        self._notes, self._more = [], 0
        if refused:
            reasons = "; ".join(list(dict.fromkeys(refused))[:MAX_REASONS])
            many = "1 of its requests was" if len(refused) == 1 else f"{len(refused)} of its requests were"
            notes.append(f"{many} refused: {seen(reasons)}")
        if more:
            notes.append(f"and {more} more such things")
        return tuple(notes)
