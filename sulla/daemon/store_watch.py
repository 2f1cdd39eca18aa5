"""Watches the store: whether it answers, and whether it still is the one that this daemon began with (design §3)."""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import StoreReplaced, StoreUnavailable, SullaError
from sulla.store.base import Store
from sulla.store.refusals import Refusals

log = logging.getLogger(__name__)

EVERY_S: Final = 0.5
ANSWER_S: Final = 1.0
"""A store that has not answered for so long is away: a client that asks is told so at once."""
FAILING_S: Final = 10.0
"""How long a call that failed counts, in seconds, where the store answers whoever looks after it: where a server's
connections run out, the next call that fails follows within that.
"""
LEAST_BYTES: Final = 1024 * 1024
"""So much has to be free on the disk of a store's file: with less, what one message needs may not fit any more."""
PROBE_S: Final = 2.0
"""How often it is tried whether a store that has refused to keep something takes it now, in seconds."""
PROBE: Final = "store-room"
"""The name of the value that is tried."""
_PROBE_BYTES: Final = 64 * 1024
"""So much is tried: a server with a full disk may still find room for some bytes, and not for a message."""
_PROBE_TTL_S: Final = 60.0


def room_of(path: Path | None) -> Callable[[], str]:
    """What says that the disk of a store's file is full; it says nothing while there is room.

    Args:
        path: the file; None for a store without one.
    """

    def look() -> str:
        if path is None:
            return ""
        try:
            free_bytes = shutil.disk_usage(path.parent).free
        except OSError:
            return ""  # the store itself says what is wrong there
        said = "the disk is full: free some space; nothing that was acknowledged is lost"
        if free_bytes >= LEAST_BYTES:
            return ""
        return f"the store {str(path)!r}: {said} ({free_bytes:,} bytes are free, and {LEAST_BYTES:,} have to be)"

    return look


class StoreWatch:
    """Looks at the store now and then, so that nobody who asks has to find out by waiting.

    Args:
        store: what is watched.
        clock: all time.
        replaced: is called once, when the store turns out to be another one.
        room: says why nothing more can be kept in it; empty while something can.
        refusals: of the store. Nothing is tried as long as it has refused nothing.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        replaced: Callable[[], None] = lambda: None,
        room: Callable[[], str] = lambda: "",
        refusals: Refusals | None = None,
    ) -> None:
        self.store = store
        self._clock = clock
        self._replaced = replaced
        self._room = room
        self._refusals = refusals if refusals is not None else Refusals()
        self._refused = ""
        self._probe_at_s = 0.0
        self._failed = ""
        self._failed_at_s = 0.0
        self._began_with = ""
        self._trouble: SullaError | None = None

    @property
    def trouble(self) -> SullaError | None:
        """What is wrong with the store, if anything."""
        if self._trouble is None and self._refused:
            return StoreUnavailable(self._refused, retry_after_s=1.0)
        return self._trouble

    @property
    def failing(self) -> str:
        """Why a call has failed within the last `FAILING_S` seconds at a store that answers; empty if none has."""
        if not self._failed or self._trouble is not None or self._clock.elapsed() - self._failed_at_s > FAILING_S:
            return ""
        return f"some calls fail, and their senders were told: {self._failed}"

    def check_open(self) -> None:
        """Do nothing if the store answers, and takes something new.

        Raises:
            StoreUnavailable: it does not.
            StoreReplaced: it is not what it was.
        """
        self.check()
        if self._refused:
            raise StoreUnavailable(self._refused, retry_after_s=1.0)

    def check(self) -> None:
        """Do nothing if the store answers who reads.

        Raises:
            StoreUnavailable: it does not.
            StoreReplaced: it is not what it was.
        """
        if self._trouble is not None:
            # Anew each time: one error object that many raise would gather all their tracebacks.
            raise type(self._trouble)(self._trouble.message, retry_after_s=self._trouble.retry_after_s)

    async def begin(self, known: str = "") -> str:
        """Take note of which store it is; once, after it was opened.

        Args:
            known: which one the home used last; empty if it has used none.

        Returns:
            Which one it is.

        Raises:
            StoreReplaced: it is another one than the home used last.
            StoreUnavailable: it does not answer.
        """
        self._began_with = await self.store.incarnation()
        if known and known != self._began_with:
            raise StoreReplaced(
                "the store is not the one that this home used last: it was emptied, or another one was put in its "
                "place. If that was meant, start once with `sulla up --accept-store`; else bring the old one back"
            )
        return self._began_with

    async def check_moved(self, last: str, known: Collection[str]) -> None:
        """See that nobody takes all for lost: a home whose store was elsewhere is not given an empty one unasked.

        Args:
            last: the place of the store that the home used last.
            known: the stores that it has used, wherever they were; one of them may have got another address.

        Raises:
            StoreReplaced: nothing was ever kept in this one.
            StoreUnavailable: it does not answer.
        """
        if self._began_with not in known and not await self.store.find(limit=1):
            raise StoreReplaced(
                f"the store is empty, and what this home has kept so far is in {last}: name that one again "
                "(store.url, SULLA_STORE, or the variable of its server). To begin with nothing, start once with "
                "`sulla up --accept-store`; to take the conversations along, see docs/upkeep.md"
            )

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await self._clock.sleep(EVERY_S)
            await self.look()

    async def look(self) -> None:
        """Look once."""
        was_well = self._trouble is None
        await self._look()
        self._heed_failed(was_well)

    def _heed_failed(self, was_well: bool) -> None:
        failed = self._refusals.take_failed()
        if self._trouble is not None or not was_well:
            self._failed = ""  # an outage, which is told as such
        elif failed:
            self._failed, self._failed_at_s = failed, self._clock.elapsed()

    async def _look(self) -> None:
        if isinstance(self._trouble, StoreReplaced):
            return  # nothing but a restart mends that
        try:
            async with self._clock.timeout(ANSWER_S):
                found = await self.store.incarnation()
        except (StoreUnavailable, TimeoutError) as error:
            said = error.message if isinstance(error, SullaError) else f"no answer in {ANSWER_S:g} s"
            if self._trouble is None:
                log.error("the store does not answer; nothing new is taken until it does: %s", said)
            self._trouble = StoreUnavailable(f"the store is away ({said}); try again soon", retry_after_s=1.0)
            return
        if found != self._began_with:
            self._trouble = StoreReplaced(
                "the store was emptied or replaced while the daemon ran: what was kept in it is gone, and nothing new "
                "is taken. Bring it back and restart, or start anew with `sulla up --accept-store`"
            )
            log.critical("%s", self._trouble)
            self._replaced()
            return
        if full := self._room():
            if self._trouble is None:
                log.error("nothing new is taken: %s", full)
            self._trouble = StoreUnavailable(full, retry_after_s=1.0)
            return
        if self._trouble is not None:
            log.warning("the store answers again")
        self._trouble = None
        await self._try_what_was_refused()

    async def _try_what_was_refused(self) -> None:
        """Find out whether the store takes something, once it has refused something of ours: whoever would write is
        kept away from then on, so nobody else finds out.
        """
        now_s, before = self._clock.elapsed(), self._refused
        if now_s < self._probe_at_s or not (self._refusals.take() or before):
            return
        self._probe_at_s = now_s + PROBE_S
        self._refused = await self._probe()
        self._refusals.take()  # its own
        if self._refused and not before:
            log.error("nothing new is taken, and what is kept can be read: %s", self._refused)
        elif before and not self._refused:
            log.warning("the store takes what is written again")

    async def _probe(self) -> str:
        # What cannot be made smaller, or a store might keep it in a corner.
        value = hashlib.shake_256(PROBE.encode()).digest(_PROBE_BYTES)
        try:
            async with self._clock.timeout(ANSWER_S):
                await self.store.put(PROBE, value, _PROBE_TTL_S)
                await self.store.remove(PROBE)
        except StoreUnavailable as error:
            return error.message
        except TimeoutError:
            return f"the store has refused to keep something, and says nothing in {ANSWER_S:g} s to another try"
        return ""
