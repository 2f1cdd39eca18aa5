"""Which process of a run runs which test file next. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby


class Shares:
    """The files that nobody has taken yet. It lives as long as the run.

    Args:
        rooms: one for each test, in their order: the folder whose files are kept together as long as that leaves nobody
            idle, because they share servers.
        files: one for each test: its file.
        last: the rooms that everybody turns to at the end: their files take so little time that nobody waits long then.
        first: the rooms with slow files, which nobody is to begin when the others are done already.
    """

    def __init__(
        self,
        rooms: Sequence[str],
        files: Sequence[object],
        last: Collection[str] = (),
        first: Collection[str] = (),
    ) -> None:
        found: dict[str, list[list[int]]] = {}
        for _, tests in groupby(range(len(files)), key=files.__getitem__):
            mine = list(tests)
            found.setdefault(rooms[mine[0]], []).append(mine)
        order = sorted(found, key=lambda room: (room in last, room not in first, -len(found[room])))
        self._left = {room: found[room][::-1] for room in order}
        self._at: dict[int, str] = {}
        """The room where each process took its last file."""

    def take(self, who: int) -> list[int]:
        """The numbers of the tests of the next file for a process; none if no file is left.

        Args:
            who: the number of the process.
        """
        room = self._at.get(who, "")
        if room not in self._left:
            free = (name for name in self._left if name not in self._at.values())
            room = next(free, None) or max(self._left, key=lambda name: len(self._left[name]), default="")
        if room not in self._left:
            return []
        self._at[who] = room
        tests = self._left[room].pop()
        if not self._left[room]:
            del self._left[room]
        return tests

    def give_back(self, tests: list[int]) -> None:
        """Have somebody else run what a process leaves that has ended.

        Args:
            tests: the numbers of those that it had taken and not begun.
        """
        if tests:
            self._left.setdefault("given back", []).append(tests)
