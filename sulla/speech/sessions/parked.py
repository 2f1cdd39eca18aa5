"""`stream_buffer:{thread}`: which daemon a thread is spoken in, or its buffer while nobody speaks.

Each step puts what it keeps in the place of what it has read, and of nothing else (`Store.swap`). So of two daemons
that want a thread at once one gets it, and whoever sleeps in the middle of a step overwrites nothing that came since.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

import orjson

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, CorruptRecord
from sulla.core.ids import ThreadId
from sulla.speech.log.records import ThreadBrought, pack, unpack
from sulla.speech.log.segments import home_of, logs_of, origin_of
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.store.base import Store
from sulla.store.sealing import seal, unseal
from sulla.store.swapping import Swapped, swap_until

log = logging.getLogger(__name__)

_KIND: Final = "STREAM_BUFFER"


@dataclass(frozen=True, slots=True)
class ParkedBuffer:
    """A thread's buffer as the store has it, and which daemon may change it. Immutable; replaced as a whole."""

    version: int
    """How often it was taken up: of two daemons that know something of a thread, the higher one counts."""
    by: str
    """Who began the log that it is in; empty while nobody speaks."""
    known: ThreadBrought
    """What was known when it was taken up, or parked."""
    home: str = ""
    """Who looks after that log now: the home that began it, or the one that has taken it over."""

    def is_in(self, known: ThreadBrought, origin: str) -> bool:
        """Whether the thread is in that very log still, as it was when it was taken up."""
        return (self.version, self.by) == (known.version, origin)


class ParkedBuffers:
    """The parked buffers of a store, one value for each thread, which the store forgets `ttl_s` after the last change.

    In its methods `known` is what a log has of a thread, and `origin` who began that log.

    Args:
        store: where they are.
        clock: for the pauses when daemons want the same thread.
        owner: ``<home id>:<boot nonce>``: who asks.
        ttl_s: how long one is kept, in seconds.
        ours: the keys of the logs that are here and in no thread's way; none for one that is spoken in here by now.

    Raises:
        StoreUnavailable: by every method, when the store does not answer.
    """

    def __init__(
        self, store: Store, clock: Clock, owner: str, ttl_s: float, ours: Callable[[ThreadId], Collection[str]]
    ) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._home = home_of(owner)
        self._ttl_s = ttl_s
        self._ours = ours

    async def take_up(self, thread_id: ThreadId, now_ms: int) -> ThreadBrought:
        """Say that a thread is spoken in here from now on, in a log that was begun here.

        Returns:
            What is known of it.

        Raises:
            Busy: another daemon has it.
        """
        value, parked = await self._checked(thread_id)
        if parked is None:
            taken = ThreadBrought(thread_id, now_ms, SpeechBuffer().stored(), version=1)
        else:
            # Another machine's clock may be ahead of this one; nobody speaks, so no time matters yet.
            known, version = parked.known, parked.version + 1
            buffer = replace(known.stored, now_ms=min(known.stored.now_ms, now_ms))
            taken = replace(known, at_ms=now_ms, stored=buffer, playing=None, version=version)
        # With all that is known: if nothing of it gets into the log, the next one finds it here.
        there = _value(ParkedBuffer(taken.version, self._owner, taken, self._home))
        if not await self._swap(_key(thread_id), value, there):
            raise _elsewhere(thread_id)
        return taken

    async def claim(self, known: ThreadBrought, origin: str) -> bool:
        """Say again that a thread is spoken in here, before the store forgets it.

        Returns:
            Whether it is; if not, another daemon has it, and nothing has changed.
        """
        return await self._go_on(known, origin, ParkedBuffer(known.version, origin, known, self._home))

    async def park(self, known: ThreadBrought, origin: str) -> None:
        """Keep what is known of a thread that nobody speaks in, unless another daemon has it by now."""
        if not await self._go_on(known, origin, ParkedBuffer(known.version, "", known)):
            log.info("thread %r is another daemon's already: nothing of it is parked", known.thread_id)

    async def take_over(self, known: ThreadBrought, origin: str) -> bool:
        """Say that the log that a thread is in is here now, so that whoever had it and still writes is refused.

        Returns:
            Whether the thread is in that log still; if not, another daemon has it, and nothing has changed.
        """
        thread_id = known.thread_id

        def taken_over(value: bytes | None) -> bytes | None:
            parked = _readable(value, thread_id) or ParkedBuffer(known.version, origin, known)
            is_new = parked.home != self._home and parked.is_in(known, origin)
            return _value(replace(parked, home=self._home)) if is_new else None

        there = _readable((await self._change(thread_id, taken_over)).value, thread_id)
        return there is not None and there.is_in(known, origin)

    async def check(self, thread_id: ThreadId) -> None:
        """Do nothing unless another daemon has the thread.

        Raises:
            Busy: it has.
        """
        await self._checked(thread_id)

    async def look(self, thread_id: ThreadId) -> ParkedBuffer | None:
        """What is kept of a thread; None if that cannot be read, too."""
        return _readable(await self._store.get(_key(thread_id)), thread_id)

    async def forget(self, thread_id: ThreadId) -> None:
        """Remove what is kept of a thread that was deleted."""
        await self._store.remove(_key(thread_id))

    async def _checked(self, thread_id: ThreadId) -> tuple[bytes | None, ParkedBuffer | None]:
        value = await self._store.get(_key(thread_id))
        parked = _readable(value, thread_id)
        if parked is not None and parked.by:
            # Whoever has a thread has a log: one that is gone has none any more.
            theirs = {info.key for info in await logs_of(self._store) if origin_of(info.key) == parked.by}
            if theirs.difference(self._ours(thread_id)):
                raise _elsewhere(thread_id)
        return value, parked

    async def _go_on(self, known: ThreadBrought, origin: str, then: ParkedBuffer) -> bool:
        """Keep what comes next if the thread is here still, or nobody knows whose it is; whether it is kept."""

        def gone_on(value: bytes | None) -> bytes | None:
            parked = _readable(value, known.thread_id)
            here = parked is None or (parked.is_in(known, origin) and parked.home == self._home)
            return _value(then) if here or parked == then else None  # it is `then` where an answer was lost

        return (await self._change(known.thread_id, gone_on)).changed

    async def _change(self, thread_id: ThreadId, change: Callable[[bytes | None], bytes | None]) -> Swapped[bytes]:
        return await swap_until(_key(thread_id), change, self._clock, get=self._store.get, swap=self._swap)

    async def _swap(self, key: str, old: bytes | None, new: bytes) -> bool:
        return await self._store.swap(key, old, new, self._ttl_s)


def _elsewhere(thread_id: ThreadId) -> Busy:
    return Busy(
        f"what is said in thread {thread_id!r} is taken down by another daemon at the moment: send it there, or here a "
        "little later",
        retry_after_s=1.0,
    )


def _readable(value: bytes | None, thread_id: ThreadId) -> ParkedBuffer | None:
    """What a value says; None if there is none, or none that can be read."""
    try:
        return _read(value, _key(thread_id)) if value is not None else None
    except CorruptRecord as error:
        log.error("%s: nobody knows any more which chunks are late in this thread", error.message)
        return None


def _value(parked: ParkedBuffer) -> bytes:
    known = pack(parked.known).decode()
    said = {"version": parked.version, "by": parked.by, "known": known, "home": parked.home}
    return seal(_KIND, orjson.dumps(said))


def _read(value: bytes, where: str) -> ParkedBuffer:
    match orjson.loads(unseal(_KIND, value, where)):
        case {"version": int(version), "by": str(by), "known": str(known), "home": str(home)}:
            entry = unpack(known.encode(), where)
            if isinstance(entry, ThreadBrought):
                return ParkedBuffer(version, by, entry, home)
    raise CorruptRecord(f"{where}: not what is known of a thread, as this version writes it")


def _key(thread_id: ThreadId) -> str:
    return f"stream_buffer:{thread_id}"
