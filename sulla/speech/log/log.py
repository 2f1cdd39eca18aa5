"""A log of open speech: many entries in one write, and a new segment when it has grown (decision 030)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Busy, StaleLease, StoreUnavailable
from sulla.speech.limits import SEGMENT_BYTES
from sulla.speech.log.records import SpeechEntry, pack
from sulla.speech.log.segments import HEAD, Segment, is_gone, next_key, open_segment, origin_of, rolled, to_drafts
from sulla.speech.log.unkept import UnkeptEntries
from sulla.speech.turn_taking.profile import Profile
from sulla.store.base import Store
from sulla.store.values import Draft, Lease

log = logging.getLogger(__name__)

GATHER_S: Final = 0.025
"""Between two writes: a write costs the same for fifty entries as for one, and nobody hears 25 ms."""
RETRY_S: Final = 0.25
"""Between attempts at a store that is away."""
MAX_UNKEPT_BYTES: Final = 8 * 1024 * 1024
"""What waits to be written at the most."""


class _Growth:
    """When a segment has grown enough to go on in a new one.

    Args:
        least_bytes: never before that.
    """

    def __init__(self, least_bytes: int) -> None:
        self._least_bytes = self._roll_bytes = least_bytes
        self.bytes = 0
        """What the segment has grown by."""
        self.rolling = False
        """Whether a new one is begun just now."""

    @property
    def is_due(self) -> bool:
        """Whether it has grown enough."""
        return self.bytes > self._roll_bytes

    def begin(self, first_bytes: int) -> None:
        """A new segment has begun, with so much."""
        self.bytes, self._roll_bytes = 0, max(self._least_bytes, first_bytes)


class SpeechLog:
    """Appends entries to one log in the store, in order and under one lease, many with each write.

    It lives as long as anybody speaks in one of its threads.

    Args:
        store: where it is kept.
        clock: all time.
        owner: ``<home id>:<boot nonce>``.
        segment: that it is in now, under a lease.
        everything: all that is known of its threads at this moment, packed.
        segment_bytes: it goes on in a new segment when this one has grown by so much, or to twice its beginning.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        owner: str,
        segment: Segment,
        everything: Callable[[SpeechLog], Sequence[bytes]],
        segment_bytes: int = SEGMENT_BYTES,
    ) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._segment = segment
        self._everything = everything
        self._write_no = segment.writes
        self._growth = _Growth(segment_bytes)
        self._unkept = UnkeptEntries()
        self._closing = False
        self._ended = False
        self.trouble = ""
        """Why nothing can be kept at the moment; empty if it can."""
        self.lost = False
        """Somebody else has taken it over."""

    @property
    def key(self) -> str:
        """Of the segment that it is in now."""
        return self._segment.key

    @property
    def origin(self) -> str:
        """Who began it: what threads are claimed by that are in it."""
        return origin_of(self.key)

    @property
    def profile(self) -> Profile:
        """With which its turns end."""
        return self._segment.profile

    @property
    def closed(self) -> bool:
        """Whether it is gone, or goes just now."""
        return self._closing or self.lost

    @property
    def place(self) -> int:
        """Of the last entry, for `committed`."""
        return self._unkept.added

    def check(self) -> None:
        """Do nothing if entries can be kept.

        Raises:
            StoreUnavailable: the store is away.
            Busy: too much waits.
        """
        if self.lost or self.trouble:
            raise StoreUnavailable(f"what is said cannot be kept ({self.trouble}); send it again", retry_after_s=1.0)
        if self._unkept.bytes > MAX_UNKEPT_BYTES:
            raise Busy("too much speech waits to be kept; send it again", retry_after_s=0.5)

    def add(self, entry: SpeechEntry) -> int:
        """Have an entry written soon.

        Returns:
            Its place, for `committed`.
        """
        return self._unkept.add(pack(entry))

    async def committed(self, place: int) -> None:
        """Return when everything up to there is kept.

        Raises:
            StoreUnavailable: an attempt failed, or the log is lost; what is not lost is tried again by itself.
        """
        if place <= self._unkept.written:
            return
        if self._ended or self.lost:
            raise StoreUnavailable(
                "it could not be kept (nothing is written any more); send it again", retry_after_s=1.0
            )
        await self._unkept.kept(place)

    async def committed_at_last(self, place: int) -> None:
        """Return when everything up to there is kept, however long the store is away.

        Raises:
            StaleLease: the log is lost.
        """
        while not self.lost:
            try:
                return await self.committed(place)
            except StoreUnavailable:
                await self._clock.sleep(RETRY_S)
        raise StaleLease(f"{self.key}: somebody else has taken this speech over")

    async def run(self) -> None:
        """Write until it is closed, lost, or this is cancelled."""
        try:
            while not self.lost:
                await self._unkept.more.wait()
                if self._closing and not self._unkept.pending:
                    return
                await self._write_pending()
                if self._growth.is_due:
                    self._growth.rolling = True
                    await self._roll()
                    self._growth.rolling = False
                await self._clock.sleep(GATHER_S)
        except StaleLease:
            self._lose()
        finally:
            self._ended = True
            self._unkept.fail("it was taken over elsewhere" if self.lost else "the daemon is stopping")

    async def renew(self) -> None:
        """Keep the lease.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        try:
            await self._store.renew(self._segment.lease)
        except StaleLease:
            self._lose()
            self._unkept.more.set()

    async def close(self) -> bool:
        """Remove it, since nobody speaks in any of its threads.

        Returns:
            Whether it is gone; False while something waits to be written.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        if self._growth.rolling or self._unkept.pending or self._unkept.written < self._unkept.added:
            return False
        self._closing = True
        try:
            with suppress(StaleLease):  # it is gone, or somebody else's, and nobody is in it
                await self._store.delete(self._segment.lease)
        except BaseException:
            self._closing = False
            raise
        self._unkept.more.set()
        return True

    # -------------------------------------------------------------------------------------------------- writing

    async def _write_pending(self) -> None:
        self._unkept.more.clear()
        packed, place = self._unkept.take()
        if packed:
            self._growth.bytes += sum(map(len, packed))
            await self._append(self._segment.lease, to_drafts(packed))
        self._unkept.done(place)

    async def _append(self, lease: Lease, drafts: Sequence[Draft]) -> None:
        """Repeat one write, under one number, until it is known to be kept."""
        self._write_no += 1
        while True:
            try:
                await self._store.append(lease, self._write_no, drafts, HEAD, 0)
            except StoreUnavailable as error:
                await self._pause(error)
            else:
                break
        self._well()

    async def _roll(self) -> None:
        """Go on in a new segment, which begins with all that is known: whoever finds both knows which one counts."""
        old = self._segment
        attempt = 1
        while (segment := await self._next_segment(old, next_key(old.key, attempt))) is None:
            attempt += 1
            await self._clock.sleep(RETRY_S)
        _, place = self._unkept.take()  # what is known holds that, too
        packed = self._everything(self)
        self._segment, self._write_no = segment, 0
        await self._append(segment.lease, to_drafts(packed))
        self._growth.begin(sum(map(len, packed)))
        self._unkept.done(place)
        while not await self._removed(old):
            await self._clock.sleep(RETRY_S)
        self._well()

    async def _removed(self, old: Segment) -> bool:
        """See to it that it is gone: without the one that follows it, it would count again."""
        try:
            try:
                return await self._store.delete(old.lease)
            except StaleLease:
                return await is_gone(self._store, self._owner, old.key)
        except StoreUnavailable as error:
            await self._pause(error)
            return False

    async def _next_segment(self, old: Segment, key: str) -> Segment | None:
        await self._append(old.lease, [rolled(key)])
        # That this was kept says that the lease is ours: whatever is wrong with the new one, yet another will do.
        try:
            return await open_segment(self._store, self._owner, key, old.profile, old.key)
        except StoreUnavailable as error:
            await self._pause(error)
            return None

    def _well(self) -> None:
        if self.trouble:
            log.warning("what is said can be kept again")
        self.trouble = ""

    async def _pause(self, error: StoreUnavailable) -> None:
        if not self.trouble:
            log.error("what is said cannot be kept until the store answers: %s", error.message)
        self.trouble = error.message
        self._unkept.fail(error.message)
        await self._clock.sleep(RETRY_S)

    def _lose(self) -> None:
        if not self.lost:
            log.error("%s: somebody else has taken over what is said here", self.key)
        self.lost = True
