"""Remembers the newest messages that came, so that one which comes again does nothing again. Pure."""

from __future__ import annotations

from sulla.channels.machine.values import MOST_SEEN
from sulla.core.ids import derived_id


class Seen:
    """It lives as long as the book that it looks into.

    Args:
        marks: those of the book, the oldest first; changed in place.
    """

    def __init__(self, marks: list[str]) -> None:
        self._marks = marks
        self._known = set(marks)

    def __contains__(self, mark: str) -> bool:
        return _short(mark) in self._known

    def add(self, mark: str) -> None:
        """A message came.

        Args:
            mark: an id that is derived from all that tells it apart.
        """
        short = _short(mark)
        if short in self._known:
            return
        self._known.add(short)
        self._marks.append(short)
        if len(self._marks) > MOST_SEEN + MOST_SEEN // 4:  # not at each one: the list is moved as a whole
            gone = self._marks[:-MOST_SEEN]
            del self._marks[:-MOST_SEEN]
            self._known.difference_update(gone)


def _short(mark: str) -> str:
    return derived_id("s", mark)[-16:]
