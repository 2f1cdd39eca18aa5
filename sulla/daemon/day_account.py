"""Keeps the account of the day, so that a restart does not begin it anew and no other home goes uncounted."""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import Final

from sulla.agent.limits.ledger import Ledger
from sulla.agent.limits.ledger_homes import made_room, read_homes, read_others, read_part, with_part
from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.jsontypes import Json, JsonObject
from sulla.store.base import Store
from sulla.store.swapping import try_swaps

log = logging.getLogger(__name__)

KEY: Final = "sulla:account"
EVERY_S: Final = 1.0
"""A kill may forget what was settled within so many seconds; calls under way are charged by whoever takes them up."""
REST_S: Final = 10.0
"""How often a daemon that uses nothing looks at what the others use. It looks twice a second whether its store is
there, so this adds a twentieth."""
TTL_S: Final = 2 * 86_400.0
"""An account is of no use after its day."""
AT_ONCE_S: Final = (0.0, 0.0, 0.0)
"""A write that lost against another home's is made again at once as often as this; then at the next tick."""


class Account:
    """The driver of a ledger.

    The value has a part for each home. A daemon puts its own part into what it has read last, and that in the place of
    what it has read, and of nothing else (`Store.swap`). So no part is ever overwritten; and where the swap is done at
    once, what is known of the others is true still, and nothing has to be read.

    Args:
        ledger: what is used.
        store: where it is kept.
        clock: all time.
        owner: ``<home id>:<boot nonce>``; each home has a part.
    """

    def __init__(self, ledger: Ledger, store: Store, clock: Clock, owner: str) -> None:
        self._ledger = ledger
        self._store = store
        self._clock = clock
        self._home = owner.partition(":")[0]
        self._kept = ledger.changes
        self._value: bytes | None = None
        self._parts: dict[str, Json] = {}
        self._mine: Json = None
        self._looked_s = clock.elapsed()
        self._unreadable: set[str] = set()

    async def open(self) -> None:
        """Go on where the last process of this home stopped.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._look()
        found = self._parts.get(self._home)
        if found is None:
            return
        self._mine = found
        try:
            self._ledger.restore(found, self._clock.now())
        except CorruptRecord as error:
            log.error("what this daemon used today is not known, and its counting begins anew: %s", error)

    async def run(self) -> None:
        """Keep what changes and look at what the others keep, until cancelled."""
        while True:
            await self._clock.sleep(EVERY_S)
            try:
                await self.tick()
            except StoreUnavailable as error:
                log.warning("cannot keep what was used today; trying again soon: %s", error)

    async def tick(self) -> None:
        """Keep what has changed; and look at the others if that is too long ago.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self.keep()
        every_s = EVERY_S if self._ledger.is_at_work() else REST_S
        if self._clock.elapsed() - self._looked_s >= every_s:
            await self._look()

    async def close(self) -> None:
        """Keep the account a last time; a store that is away by then costs the last second."""
        try:
            await self.keep()
        except StoreUnavailable as error:
            log.warning("what was used in the last second is not kept: %s", error)

    async def keep(self) -> None:
        """Write this home's part down if it has changed, or if it was not there any more.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        self._ledger.turn(self._clock.now())
        changes, mine, kept = self._kept, JsonObject(), JsonObject()

        def with_mine(value: bytes | None) -> bytes | None:
            nonlocal changes, mine, kept
            if value != self._value:
                self._learn(value)
            changes = self._ledger.changes
            if changes == self._kept:
                return None
            mine = {**self._ledger.to_json(), "at_s": int(self._clock.now())}
            kept = with_part(self._parts, self._home, mine)
            return json.dumps(kept, separators=(",", ":")).encode()

        swap = partial(self._store.swap, ttl_s=TTL_S)
        done = await try_swaps(
            KEY, with_mine, self._clock, get=self._store.get, swap=swap, known=self._value, pauses_s=AT_ONCE_S
        )
        if done is None:
            log.info("others keep what they used all the time; what was used here is kept at the next try")
        elif done.changed:
            self._looked_s = self._clock.elapsed()
            self._heed(done.value, read_homes(kept))
            self._kept, self._mine = changes, mine

    async def _look(self) -> None:
        """Read what the others have used."""
        value = await self._store.get(KEY)
        self._looked_s = self._clock.elapsed()
        if value != self._value:
            self._learn(value)

    def _learn(self, value: bytes | None) -> None:
        """Take in what was read."""
        self._heed(value, self._read(value))
        if self._mine is None or self._parts.get(self._home) == self._mine:
            return
        if made_room(self._parts, self._home, self._mine):
            self._ledger.forget(read_part(self._mine), self._clock.now())
        self._mine, self._kept = None, -1  # it is not there: the next time it is kept again

    def _read(self, value: bytes | None) -> dict[str, Json]:
        if value is None:
            return {}
        try:
            return read_homes(json.loads(value))
        except (ValueError, CorruptRecord) as error:
            log.error("what was used today is not known, and counting begins anew: %s", error)
            return {}

    def _heed(self, value: bytes | None, parts: dict[str, Json]) -> None:
        known, self._value, self._parts = self._parts, value, parts
        if {**known, self._home: None} == {**parts, self._home: None}:
            return
        others, unreadable = read_others(parts, self._home)
        for home in set(unreadable) - self._unreadable:
            log.error("what the home %r used today cannot be read, and does not count here", home)
        self._unreadable = set(unreadable)
        self._ledger.heed(others, self._clock.now())
