"""Lanes of runs that count together (`machine.lane`), kept in the store: over kills, and for all daemons on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, NotFound
from sulla.core.ids import ThreadId
from sulla.playbooks.definition import Concurrency
from sulla.playbooks.machine.lane import (
    REPLACED,
    Lane,
    LanePlace,
    LaneVerdict,
    ahead,
    decided,
    kept,
    read_lane,
    waiting,
    without,
)
from sulla.playbooks.records import PlaybookAsked
from sulla.store.base import Store
from sulla.threads.store import ThreadStore

LOOK_S: Final = 60.0
"""After how long a run that waits looks again by itself: one before it may have been ended from outside."""
_EMPTY_S: Final = 86_400.0
"""How long an empty lane is kept. It is not removed: somebody may just be entering it."""


class Lanes(Protocol):
    """Says whose turn it is."""

    async def enter(self, key: str, me: LanePlace, wanted: Concurrency, *, may_skip: bool) -> LaneVerdict:
        """What becomes of a run that is to begin.

        Args:
            key: what it has in common with those that it counts together with.
            me: the run. Its thread has to say by now that it is open.
            wanted: what its playbook says.
            may_skip: see `lane.decided`.
        """

    async def leave(self, key: str, me: LanePlace, limit: int) -> None:
        """A run is over: have those look whose turn it may be.

        Args:
            key: as above.
            me: the run.
            limit: how many go on at a time.
        """


@dataclass(frozen=True, slots=True)
class StoredLanes:
    """Keeps them; does `Lanes`.

    Args:
        store: where they are.
        threads: say which runs are over, and tell them whose turn it is.
        wake: has a thread looked at soon.
    """

    store: Store
    threads: ThreadStore
    wake: Callable[[ThreadId], None]

    async def enter(self, key: str, me: LanePlace, wanted: Concurrency, *, may_skip: bool) -> LaneVerdict:
        """See `Lanes`."""
        name = _name(key)
        while True:
            value = await self.store.get(name)
            lane = await self._without_those_that_are_over(read_lane(value), me, wanted.limit)
            verdict = decided(lane, me, wanted, may_skip=may_skip)
            if await self._keep(name, value, verdict.lane):
                break
        for run in verdict.cancels:
            await self._tell(run, PlaybookAsked("make_way", REPLACED), f"place:{me.turn}")
        return verdict

    async def leave(self, key: str, me: LanePlace, limit: int) -> None:
        """See `Lanes`."""
        name = _name(key)
        while True:
            value = await self.store.get(name)
            lane = without(read_lane(value), me.run, me.turn)
            if value is None or await self._keep(name, value, lane):
                break
        for place in waiting(lane)[:limit]:
            await self._tell(place.run, PlaybookAsked("look"), f"turn:{me.turn}")

    async def _without_those_that_are_over(self, lane: Lane, me: LanePlace, limit: int) -> Lane:
        """Look after those that are in a run's way, and no others: there may be a thousand."""
        seen: set[LanePlace] = set()
        while unseen := [place for place in ahead(lane, me)[:limit] if place not in seen]:
            for place in unseen:
                seen.add(place)
                if not await self._is_open(place):
                    lane = without(lane, place.run, place.turn)
        return lane

    async def _is_open(self, place: LanePlace) -> bool:
        try:
            state = await self.threads.load(ThreadId(place.run), messages=False)
        except CorruptRecord:
            return False  # nobody can work on it: it is in nobody's way
        return state is not None and state.run is not None and state.run.id == place.turn

    async def _keep(self, name: str, value: bytes | None, lane: Lane) -> bool:
        new = kept(lane)
        return new == value or await self.store.swap(name, value, new, None if lane else _EMPTY_S)

    async def _tell(self, run: str, asked: PlaybookAsked, key: str) -> None:
        with suppress(NotFound):  # deleted: it is in nobody's way
            await self.threads.tell(ThreadId(run), asked, key)
            self.wake(ThreadId(run))


def _name(key: str) -> str:
    return f"playbook_lane:{blake2b(key.encode(), digest_size=16).hexdigest()}"
