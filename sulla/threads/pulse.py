"""Says which threads have changed, in every daemon on a store: one lossy channel for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.event import Moment
from sulla.core.ids import RunId, ThreadId
from sulla.store.base import Store
from sulla.store.values import MAX_PUBLISH_BYTES
from sulla.threads.watching import CommittedFact, Watcher

CHANNEL: Final = "threads:changed"
"""The bus channel on which daemons say it."""
PULSE_S: Final = 0.25
"""How long what has changed is gathered before it is said: a turn that writes ten records a second is four words."""
MOST_CHANGED: Final = 1_000
"""Threads that are named; if more have changed within `PULSE_S`, only that is said."""

Changed = Callable[[Collection[ThreadId] | None], None]
"""Is told which threads have changed; None if any may have. Must return at once, and never raises."""


class ThreadPulse:
    """Implements `threads.Watcher`: what this process does to threads is said to whoever listens, in whichever daemon
    on the store. It lives as long as the daemon, and keeps nothing.

    Args:
        store: carries the word.
        clock: all time.
        watcher: is told all that this one is told; None for nobody.
    """

    def __init__(self, store: Store, clock: Clock, watcher: Watcher | None = None) -> None:
        self._store = store
        self._clock = clock
        self._watchers: list[Watcher] = [watcher] if watcher is not None else []
        self._changed: set[ThreadId] = set()
        self._news = asyncio.Event()

    def kept(self, thread_id: ThreadId, kept: Sequence[CommittedFact]) -> None:
        """These facts are in the log now."""
        for watcher in self._watchers:
            watcher.kept(thread_id, kept)
        self.note(thread_id)

    def shown(self, run_id: RunId, moment: Moment) -> None:
        """Somebody may see this now; it changes no head."""
        for watcher in self._watchers:
            watcher.shown(run_id, moment)

    def tell_too(self, watcher: Watcher) -> None:
        """From now on this one is told, too.

        Args:
            watcher: it.
        """
        self._watchers.append(watcher)

    def note(self, thread_id: ThreadId) -> None:
        """Something is another with a thread than it was. Never waits, never fails."""
        if len(self._changed) <= MOST_CHANGED:
            self._changed.add(thread_id)
        self._news.set()

    async def run(self) -> None:
        """Say what has changed, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            changed, self._changed = self._changed, set()
            if self._store.is_heard(CHANNEL):
                for payload in _payloads(changed):
                    self._store.publish(CHANNEL, payload)
            await self._clock.sleep(PULSE_S)

    def heard(self, hear: Changed) -> AbstractAsyncContextManager[None]:
        """Listen for as long as the block lasts; listening has begun when the block is entered.

        Args:
            hear: is told. At the end of the store, too: None, as when something may have been missed.
        """
        return self._heard(hear)

    @asynccontextmanager
    async def _heard(self, hear: Changed) -> AsyncIterator[None]:
        def tell(payload: bytes | None) -> None:
            hear(_read(payload) if payload else None)

        async with self._store.subscribe(CHANNEL) as signals:
            signals.attach(tell)
            yield


def _payloads(changed: Collection[ThreadId]) -> list[bytes]:
    """What is said of them, in messages that fit the bus; an empty one says that any may have changed."""
    if len(changed) > MOST_CHANGED:
        return [b""]
    found: list[bytes] = []
    line = b""
    for name in sorted(one.encode() for one in changed):
        if line and len(line) + len(name) + 1 > MAX_PUBLISH_BYTES:
            found.append(line)
            line = b""
        line = line + b" " + name if line else name
    return [*found, line] if line else found


def _read(payload: bytes) -> Collection[ThreadId]:
    return [ThreadId(name) for name in payload.decode(errors="replace").split(" ")]
