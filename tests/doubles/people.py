"""People who come and go, and what they are told, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from sulla.core.errors import NotFound
from sulla.people.inbox import NoticeInbox
from sulla.people.notices import NoticeInfo
from sulla.people.presence import PersonInfo
from sulla.people.registry import PresenceRegistry

_AT_MS = 1_800_000_000_000


class MemoryPeople(PresenceRegistry):
    """A registry that remembers what it was told.

    Attributes:
        told: every call as its name and arguments, in order.
    """

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def connected(self, session: str, person: str, client: str) -> None:
        """Remember it."""
        self.told.append(("come", person, client))

    def disconnected(self, session: str) -> None:
        """Remember it."""
        self.told.append(("leave",))

    def active(self, session: str, person: str, way: str, ago_s: float = 0.0) -> None:
        """Remember it."""
        self.told.append(("active", person, way, ago_s))

    def report(self, session: str, available: bool | None, activity: str | None) -> None:
        """Remember it."""
        self.told.append(("report", available, activity))

    async def look(self) -> Sequence[PersonInfo]:
        """The owner, who was active once."""
        return [PersonInfo("owner", ("desktop",), _AT_MS, "desktop")]


class MemoryNotices(NoticeInbox):
    """Notices in a list."""

    def __init__(self) -> None:
        self.kept: list[NoticeInfo] = []
        self.followers: dict[Callable[[], None], None] = {}

    def add(self, text: str) -> NoticeInfo:
        """People are told something; whoever follows hears of it."""
        number = len(self.kept) + 1
        at_ms = _AT_MS + number
        one = NoticeInfo(
            f"ntc_{number}", "thr_1", "run_1", "sulla", text, "normal", False, at_ms, number, "notices:day", {}
        )
        self.kept.append(one)
        for changed in tuple(self.followers):
            changed()
        return one

    async def list(self, after: str, limit: int, unseen_by: str) -> Sequence[NoticeInfo]:
        """The newest first."""
        rows = self.kept[::-1]
        if after:
            rows = rows[self._place(after, rows) + 1 :]
        return [one for one in rows if not unseen_by or unseen_by not in one.seen][:limit]

    async def seen(self, ids: Sequence[str], by: str) -> int:
        """Mark them."""
        new = 0
        for place in [self._place(id_, self.kept) for id_ in ids]:
            one = self.kept[place]
            new += by not in one.seen
            self.kept[place] = replace(one, seen={by: _AT_MS, **one.seen})
        return new

    async def waiting(self, person: str) -> int:
        """How many a person has not seen."""
        return len(self.news(person, 0))

    def news(self, person: str, after: int) -> Sequence[NoticeInfo]:
        """What a person has not seen, the oldest first."""
        return [one for one in self.kept if one.number > after and person not in one.seen]

    def follow(self, changed: Callable[[], None]) -> AbstractContextManager[None]:
        """Have `changed` called by `add`."""
        return self._follow(changed)

    @contextmanager
    def _follow(self, changed: Callable[[], None]) -> Iterator[None]:
        self.followers[changed] = None
        try:
            yield
        finally:
            del self.followers[changed]

    @staticmethod
    def _place(id_: str, rows: Sequence[NoticeInfo]) -> int:
        for place, one in enumerate(rows):
            if one.id == id_:
                return place
        raise NotFound(f"no notice {id_!r}")
