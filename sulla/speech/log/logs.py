"""The logs of speech that are here: made when somebody speaks, removed when nobody does, taken over from the dead."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Coroutine
from itertools import count
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, ShuttingDown, StoreUnavailable
from sulla.speech.late_detector import LateDetector
from sulla.speech.limits import SpeechLimits
from sulla.speech.log.log import SpeechLog
from sulla.speech.log.segments import Segment, TakenOver, home_of, key_of, logs_of, open_segment, origin_of, take
from sulla.speech.turn_taking.profile import Profile
from sulla.store.base import Store

log = logging.getLogger(__name__)

_KEYS: Final = 4
"""New logs that are tried: one that the store did not answer for is left to be found."""
_MOST_TRIED: Final = 64


class _NewSegments:
    """Makes logs.

    Args:
        store: where they are.
        owner: ``<home id>:<boot nonce>``.
        profile: with which turns end in them.
        detector: reads what is said, if the profile wants that.
    """

    def __init__(self, store: Store, owner: str, profile: Profile, detector: LateDetector) -> None:
        self._store = store
        self._owner = owner
        self._profile = profile
        self._detector = detector
        self._numbers = count(1)
        self.tried: deque[str] = deque(maxlen=_MOST_TRIED)
        """Logs of ours that may be there, without anything in them."""

    async def open(self) -> Segment:
        """A new one; in `tried` until it is used.

        Raises:
            StoreUnavailable: it could not be made.
        """
        if self._profile.name == "adaptive":
            await self._detector.load()
        for _ in range(_KEYS):
            key = key_of(self._owner, next(self._numbers))
            self.tried.append(key)
            segment = await open_segment(self._store, self._owner, key, self._profile)
            if segment is not None:
                return segment
        raise StoreUnavailable("no log for what is said could be made; send it again", retry_after_s=1.0)


class _OrphanedLogs:
    """The logs that a daemon which is gone has left behind.

    Args:
        store: where they are.
        owner: ``<home id>:<boot nonce>``, of whoever takes them over.
        detector: reads what is said.
    """

    def __init__(self, store: Store, owner: str, detector: LateDetector) -> None:
        self._store = store
        self._owner = owner
        self._detector = detector
        self._starting = True
        """Until all is taken over that the daemon before this one has left, which nobody else is meant to hold."""
        self.unreadable: set[str] = set()
        """Logs that somebody should look at."""

    async def take(self, ours: Collection[str]) -> list[TakenOver]:
        """Take one over; see `SpeechLogs.take_over`.

        Args:
            ours: the keys of those that are ours already.
        """
        home = home_of(self._owner)
        for info in await logs_of(self._store):
            theirs = home_of(origin_of(info.key)) != home
            if info.key in ours or info.key in self.unreadable or (info.held and (theirs or not self._starting)):
                continue
            try:
                found = await take(self._store, self._owner, info.key, self._detector)
            except CorruptRecord as error:
                log.error("%s: what was said there is not delivered; the log is left as it is", error.message)
                self.unreadable.add(info.key)
            else:
                if found is not None:
                    return [found]
        self._starting = False
        return []


class SpeechLogs:
    """The logs that this daemon writes: one of its own, and those that it has taken over.

    Args:
        store: where they are.
        clock: all time.
        owner: ``<home id>:<boot nonce>``.
        limits: bounds, and the profile of new ones.
        detector: reads what is said, if the profile wants that.
        everything: all that is known of a log's threads at this moment, packed.
        begin: has something done beside; whether it is.
        lost: is told of one that somebody else has taken over.

    Raises:
        StoreUnavailable: by every method that waits, when the store does not answer; the rest is done next time.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        owner: str,
        limits: SpeechLimits,
        detector: LateDetector,
        everything: Callable[[SpeechLog], list[bytes]],
        begin: Callable[[Coroutine[object, object, None]], bool],
        lost: Callable[[SpeechLog], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._limits = limits
        self._new = _NewSegments(store, owner, limits.profile, detector)
        self._orphans = _OrphanedLogs(store, owner, detector)
        self._everything = everything
        self._begin = begin
        self._lost = lost
        self._logs: list[SpeechLog] = []
        self._log: SpeechLog | None = None
        """For threads that are spoken in anew."""
        self._making = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._logs)

    @property
    def trouble(self) -> str:
        """Why nothing can be kept at the moment; empty if it can."""
        return next((one.trouble for one in self._logs if one.trouble), "")

    @property
    def unreadable(self) -> Collection[str]:
        """Logs that somebody should look at."""
        return self._orphans.unreadable

    def keys(self) -> Collection[str]:
        """Of those that are ours, also in the making."""
        return {*(one.key for one in self._logs), *self._new.tried}

    async def open(self) -> SpeechLog:
        """The one for threads that are spoken in anew, made if there is none.

        Raises:
            StoreUnavailable: it could not be made.
            ShuttingDown: nothing is begun any more.
        """
        async with self._making:
            if self._log is not None and not self._log.lost:
                return self._log
            segment = await self._new.open()
            self._log = self.start(TakenOver(segment, {}))
            self._new.tried.remove(segment.key)
            return self._log

    def start(self, found: TakenOver) -> SpeechLog:
        """Write to a log that is ours now, just made or taken over: it runs in the background until it is gone.

        Raises:
            ShuttingDown: nothing is begun any more.
        """
        one = SpeechLog(
            self._store, self._clock, self._owner, found.segment, self._everything, self._limits.segment_bytes
        )
        if not self._begin(self._keep(one)):
            raise ShuttingDown("the daemon is stopping; send it again when it is back", retry_after_s=2.0)
        self._logs.append(one)
        return one

    async def renew(self) -> None:
        """Keep their leases."""
        for one in list(self._logs):
            if not one.closed:
                await one.renew()

    async def close_unused(self, used: Callable[[SpeechLog], bool]) -> None:
        """Remove those that nobody is written down in.

        Args:
            used: whether anybody is.
        """
        for one in list(self._logs):
            if not used(one):
                if one is self._log:
                    self._log = None
                if await one.close():
                    self._gone(one)

    async def take_over(self) -> list[TakenOver]:
        """Take over one that a daemon has left behind that is gone: of the one before this one at once.

        Returns:
            The log and what it came to, or nothing if there is none left.
        """
        return await self._orphans.take({one.key for one in self._logs})

    async def _keep(self, one: SpeechLog) -> None:
        await one.run()
        self._gone(one)
        if one.lost:
            self._lost(one)

    def _gone(self, one: SpeechLog) -> None:
        if one in self._logs:
            self._logs.remove(one)
