"""Remembers the newest messages that came, so that one which comes again does nothing again. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.ids import derived_id

MOST_SEEN: Final = 4_096
"""Messages of which it is remembered that they came, beside what the cursor says."""


class Seen:
    """It lives as long as the book that has it.

    Args:
        digests: those that are written already, the oldest first.
    """

    def __init__(self, digests: Iterable[str] = ()) -> None:
        self.digests = list(digests)
        """Of the newest messages, the oldest first."""
        self._known = set(self.digests)
        self._fresh: list[str] = []

    def __contains__(self, mark: str) -> bool:
        return _short(mark) in self._known

    def add(self, mark: str) -> None:
        """A message came.

        Args:
            mark: an id that is derived from all that tells it apart.
        """
        self.remember(_short(mark))

    def remember(self, digest: str) -> None:
        """A message came, by what `changes` said of it."""
        if digest in self._known:
            return
        self._known.add(digest)
        self.digests.append(digest)
        self._fresh.append(digest)
        if len(self.digests) > MOST_SEEN + MOST_SEEN // 4:  # not at each one: the list is moved as a whole
            gone = self.digests[:-MOST_SEEN]
            del self.digests[:-MOST_SEEN]
            self._known.difference_update(gone)

    def changes(self) -> list[str]:
        """What came since this was asked last; whoever remembers that has what is here."""
        fresh, self._fresh = self._fresh, []
        return fresh


def _short(mark: str) -> str:
    return derived_id("s", mark)[-16:]
