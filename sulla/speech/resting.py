"""`stream_buffer:{thread}`: who has the speech of a thread just now, or what is known of it while nobody speaks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final

import orjson

from sulla.core.errors import Busy, CorruptRecord
from sulla.core.ids import ThreadId
from sulla.speech.buffer import SpeechBuffer
from sulla.speech.records import Brought, pack, unpack
from sulla.speech.segments import logs_of, origin_of
from sulla.store import Store, seal, unseal

log = logging.getLogger(__name__)

_KIND: Final = "STREAM_BUFFER"


@dataclass(frozen=True, slots=True)
class Rest:
    """What is kept under the name of a thread."""

    version: int
    """How often it was taken up: of two that know something of a thread, the higher one counts."""
    by: str
    """Who began the log that it is in; empty while it is in none."""
    known: Brought | None
    """What was known when it was taken up, or laid down."""

    def outdates(self, version: int, origin: str) -> bool:
        """Whether what a log knows of the thread is out of date.

        Args:
            version: of that.
            origin: who began the log.
        """
        return self.version > version or (self.version == version and self.by != origin)


class Rests:
    """Small values that are forgotten by themselves.

    Args:
        store: where they are.
        ttl_s: how long one is kept, in seconds.
        ours: the keys of the logs that are here.
    """

    def __init__(self, store: Store, ttl_s: float, ours: Callable[[], Collection[str]]) -> None:
        self._store = store
        self._ttl_s = ttl_s
        self._ours = ours

    async def take_up(self, thread_id: ThreadId, origin: str, now_ms: int) -> Brought:
        """Say that the speech of a thread is here from now on.

        Args:
            thread_id: the thread.
            origin: who began the log that it goes into.
            now_ms: the time.

        Returns:
            What is known of it.

        Raises:
            Busy: another daemon has it.
            StoreUnavailable: the store does not answer.
        """
        rest = await self.check(thread_id)
        version = rest.version + 1 if rest is not None else 1
        known = rest.known if rest is not None else None
        if known is None:
            taken = Brought(thread_id, now_ms, SpeechBuffer().kept(), version=version)
        else:
            # Another machine's clock may be ahead of this one; nobody speaks, so no time matters yet.
            buffer = replace(known.kept, now_ms=min(known.kept.now_ms, now_ms))
            taken = replace(known, at_ms=now_ms, kept=buffer, playing=None, version=version)
        # With all that is known: if nothing of it gets into the log, the next one finds it here.
        await self._put(thread_id, Rest(version, origin, taken))
        return taken

    async def claim(self, known: Brought, origin: str) -> None:
        """Say again that it is here.

        Args:
            known: of it, for whoever asks when the log is gone.
            origin: who began the log that it is in.
        """
        await self._put(known.thread_id, Rest(known.version, origin, known))

    async def lay_down(self, known: Brought) -> None:
        """Keep what is known of a thread that nobody speaks in.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._put(known.thread_id, Rest(known.version, "", known))

    async def check(self, thread_id: ThreadId) -> Rest | None:
        """What is kept, unless another daemon has the thread.

        Raises:
            Busy: it has.
            StoreUnavailable: the store does not answer.
        """
        rest = await self.look(thread_id)
        if rest is not None and rest.by:
            # Whoever has a thread has a log: one that is gone has none any more.
            theirs = {info.key for info in await logs_of(self._store) if origin_of(info.key) == rest.by}
            if theirs.difference(self._ours()):
                raise Busy(
                    f"what is said in thread {thread_id!r} is taken down by another daemon at the moment: send it "
                    "there, or here a little later",
                    retry_after_s=1.0,
                )
        return rest

    async def look(self, thread_id: ThreadId) -> Rest | None:
        """What is kept; nothing if it cannot be read.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        value = await self._store.get(_key(thread_id))
        try:
            return _rest(value, _key(thread_id)) if value is not None else None
        except CorruptRecord as error:
            log.error("%s: nobody knows any more which chunks are late in this thread", error.message)
            return None

    async def forget(self, thread_id: ThreadId) -> None:
        """The thread is gone."""
        await self._store.remove(_key(thread_id))

    async def _put(self, thread_id: ThreadId, rest: Rest) -> None:
        known = pack(rest.known).decode() if rest.known is not None else None
        value = seal(_KIND, orjson.dumps({"version": rest.version, "by": rest.by, "known": known}))
        await self._store.put(_key(thread_id), value, self._ttl_s)


def _rest(value: bytes, where: str) -> Rest:
    match orjson.loads(unseal(_KIND, value, where)):
        case {"version": int(version), "by": str(by), "known": str(known)}:
            entry = unpack(known.encode(), where)
            if isinstance(entry, Brought):
                return Rest(version, by, entry)
        case {"version": int(version), "by": str(by), "known": None}:
            return Rest(version, by, None)
    raise CorruptRecord(f"{where}: not what is known of a thread, as this version writes it")


def _key(thread_id: ThreadId) -> str:
    return f"stream_buffer:{thread_id}"
