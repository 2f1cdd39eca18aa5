"""Keeps the account of the day, so that a restart does not begin it anew."""

from __future__ import annotations

import json
import logging
from typing import Final

from sulla.agent import Ledger
from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.store import Store

log = logging.getLogger(__name__)

KEY: Final = "sulla:account"
EVERY_S: Final = 1.0
"""A kill may forget what was settled within so many seconds; calls under way are charged by whoever takes them up."""
TTL_S: Final = 2 * 86_400.0
"""An account is of no use after its day."""


class Account:
    """The driver of a ledger.

    Args:
        ledger: what is used.
        store: where it is kept.
        clock: all time.
    """

    def __init__(self, ledger: Ledger, store: Store, clock: Clock) -> None:
        self._ledger = ledger
        self._store = store
        self._clock = clock
        self._kept = ledger.changes

    async def open(self) -> None:
        """Go on where the last process stopped.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        kept = await self._store.get(KEY)
        if kept is None:
            return
        try:
            self._ledger.restore(json.loads(kept), self._clock.now())
        except (ValueError, CorruptRecord) as error:
            log.error("what was used today is not known, and counting begins anew: %s", error)

    async def run(self) -> None:
        """Keep what changes, until cancelled."""
        while True:
            await self._clock.sleep(EVERY_S)
            try:
                await self.keep()
            except StoreUnavailable as error:
                log.warning("cannot keep what was used today; trying again soon: %s", error)

    async def close(self) -> None:
        """Keep the account a last time; a store that is away by then costs the last second."""
        try:
            await self.keep()
        except StoreUnavailable as error:
            log.warning("what was used in the last second is not kept: %s", error)

    async def keep(self) -> None:
        """Write the account down if it has changed.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        changes = self._ledger.changes
        if changes != self._kept:
            await self._store.put(KEY, json.dumps(self._ledger.to_json()).encode(), TTL_S)
            self._kept = changes
