"""The feed of what people look at: kept in the store for some minutes, so that every daemon on it knows."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from sulla.agent import environment
from sulla.agent.environment import MAX_AGE_S, Observation
from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.redact import Redactor
from sulla.core.words import NO_WORDS, Words
from sulla.store.base import Store

log = logging.getLogger(__name__)

_KEY: Final = "environment:"
_CHANNEL: Final = "environment"
RETRY_S: Final = 1.0
"""How long after an outage it is tried to listen again."""
MAX_THREADS: Final = 1_000
"""Threads with reports that are told apart; with more of them at once, every turn asks."""


class EnvironmentFeed:
    """Takes what clients tell of their person's screen, and tells it to the turns of that thread.

    Nothing of it is acknowledged as kept: a restart of the store loses it, and of two reports that come at the same
    moment through two daemons one may be lost. What a turn was told is in its log.

    Args:
        store: keeps it, for `MAX_AGE_S`.
        clock: all time.
        redactor: the daemon's secrets.
    """

    def __init__(self, store: Store, clock: Clock, redactor: Redactor) -> None:
        self._store = store
        self._clock = clock
        self._redactor = redactor
        self._writing = asyncio.Lock()
        self._until_s: OrderedDict[str, float] = OrderedDict()
        self._anybody_s = 0.0

    async def report(self, thread_id: ThreadId, observations: Sequence[Observation]) -> int:
        """Take what a person of a thread looks at; how much is known of it now.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        came = [environment.cleaned(observation, self._redactor.text) for observation in observations]
        async with self._writing:
            kept = environment.merged(await self._kept(thread_id), came, self._now_ms())
            await self._store.put(_KEY + thread_id, environment.encode(kept), MAX_AGE_S)
        self._heard(thread_id)
        self._store.publish(_CHANNEL, thread_id.encode())
        return len(kept)

    async def run(self) -> None:
        """Hear for which threads other daemons take reports, until cancelled: the turns of all others ask for none."""
        while True:
            self._missed_some()
            try:
                async with self._store.subscribe(_CHANNEL) as signals:
                    self._missed_some()
                    async for payload in signals:
                        self._heard(payload.decode(errors="replace"))
                        if signals.lagged:
                            self._missed_some()
            except StoreUnavailable as error:
                log.warning("cannot hear what people look at by way of other daemons; trying again: %s", error)
            self._missed_some()
            await self._clock.sleep(RETRY_S)

    def _missed_some(self) -> None:
        """For as long as what was not heard is known, the first turn of each thread asks."""
        self._anybody_s = self._clock.elapsed() + MAX_AGE_S
        self._until_s.clear()

    def _heard(self, thread_id: str) -> None:
        self._know_until(thread_id, self._clock.elapsed() + MAX_AGE_S)

    def _know_until(self, thread_id: str, until_s: float) -> None:
        self._until_s[thread_id] = until_s
        self._until_s.move_to_end(thread_id)
        while len(self._until_s) > MAX_THREADS:
            _, until_s = self._until_s.popitem(last=False)
            self._anybody_s = max(self._anybody_s, until_s)

    def _may_know(self, thread_id: ThreadId) -> bool:
        return self._until_s.get(thread_id, self._anybody_s) > self._clock.elapsed()

    async def seen(self, thread_id: ThreadId) -> Words:
        """What a turn of a thread is told; empty if nobody looked at anything of late.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        if not self._may_know(thread_id):
            return NO_WORDS
        missed_s = self._anybody_s
        kept = await self._kept(thread_id)
        if not kept and missed_s == self._anybody_s and thread_id not in self._until_s:
            self._know_until(thread_id, 0.0)  # whatever is reported from here on is heard
        return environment.section(kept, self._now_ms())

    async def forget(self, thread_id: ThreadId) -> None:
        """The thread is gone.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._store.remove(_KEY + thread_id)

    async def _kept(self, thread_id: ThreadId) -> tuple[Observation, ...]:
        value = await self._store.get(_KEY + thread_id)
        try:
            return environment.decode(value) if value is not None else ()
        except ValueError as error:
            log.warning("what a person looks at cannot be read and is left out: %s", error)
            return ()

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)
