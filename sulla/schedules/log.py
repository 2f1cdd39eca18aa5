"""One schedule's log: read along, offered to, and carried on in a new one when it is full."""

from __future__ import annotations

import asyncio
from typing import Final

from sulla.core.errors import Busy, CorruptRecord, NotFound, StaleLease
from sulla.schedules import records as f
from sulla.schedules.state import ScheduleState, apply
from sulla.schedules.stored_state import HEAD, KIND, begin, key_of, parse_key, state_to_json
from sulla.store.base import Store
from sulla.store.values import Lease

MOST_RECORDS: Final = 128
"""Where a log is carried on in a new one, which begins with what the old one came to."""
LEASE_S: Final = 30.0
_PAGE: Final = 512
_NUMBERS: Final = 16
"""Logs of one schedule that are looked at: there are two while one is carried on."""


class ScheduleLog:
    """One schedule and its log. What counts is decided by the fold alone, so it is safe to be behind.

    Args:
        store: where they are.
        owner: ``<home id>:<boot nonce>``.
        schedule_id: whose they are.
        number: of the log that is known to be there.
    """

    __slots__ = ("_lock", "_owner", "_store", "born_ms", "id", "number", "seq", "state", "trouble")

    def __init__(self, store: Store, owner: str, schedule_id: str, number: int) -> None:
        self._store = store
        self._owner = owner
        self._lock = asyncio.Lock()
        self.id = schedule_id
        self.number = number
        self.seq = 0
        """The last record that is in the state."""
        self.born_ms = 0
        self.state: ScheduleState | None = None
        """None before it was read, and if it cannot be."""
        self.trouble = ""
        """Why it cannot be read, if it cannot."""

    @property
    def key(self) -> str:
        """The log that it is in now."""
        return key_of(self.id, self.number)

    async def read(self) -> None:
        """Take in what is new; what cannot be read is noted as its trouble.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        async with self._lock:
            await self._read()

    async def read_next(self, number: int) -> None:
        """Go on in a later log, because this one is not there any more."""
        async with self._lock:
            if number > self.number:
                self._go(number)
            await self._read()

    async def _read(self) -> None:
        while not self.trouble:
            records = await self._store.read(self.key, after=self.seq, limit=_PAGE)
            try:
                for record in records:
                    self._take(record.seq, f.decode(record, self.key))
            except CorruptRecord as error:
                self.trouble, self.state = error.message, None
                return
            if self.state is not None and self.state.moved:
                if not await self._carry_on(self.state):
                    return
            elif len(records) < _PAGE:
                return

    async def offer(self, fact: f.Fact, dedupe_id: str, digest: bytes) -> bool:
        """Offer a fact, and take in what the log holds then.

        Returns:
            Whether it was not offered before.

        Raises:
            NotFound: the schedule is gone.
            StoreUnavailable: the store does not answer.
            MessageIdReused: another fact came under this id.
            Busy: another daemon carries the log on at this moment; the same offer counts later.
        """
        async with self._lock:
            return await self._offer(fact, dedupe_id, digest)

    async def tidy(self) -> None:
        """Carry the log on in a new one if it is full; remove it if the schedule is."""
        async with self._lock:
            if self.state is not None and self.state.removed:
                await self._drop()
            elif self.state is not None and self.seq >= MOST_RECORDS and await self._carry_on(self.state):
                await self._read()

    async def _offer(self, fact: f.Fact, dedupe_id: str, digest: bytes) -> bool:
        for _ in range(_NUMBERS):
            key = self.key
            try:
                offered = await self._store.offer(key, dedupe_id, f.encode(fact), digest=digest, wakes=False)
            except NotFound:
                if not await self._find_higher():
                    raise NotFound(f"no schedule {self.id!r}: it was removed") from None
                await self._read()
                continue
            if offered.first and offered.seq == self.seq + 1:
                self._take(offered.seq, fact)  # nobody was in between, so it need not be read
            else:
                await self._read()
            if self.state is not None and self.state.moved:
                break
            if self.key == key:
                return offered.first
        raise Busy(f"the log of schedule {self.id!r} is being carried on elsewhere: try again", retry_after_s=1.0)

    def _take(self, seq: int, fact: f.Fact) -> None:
        where = f"{self.key} record {seq}"
        self.state = begin(self.id, fact, where) if self.state is None else apply(self.state, fact, where)
        self.seq = seq

    async def _drop(self) -> None:
        lease = await self._lease()
        if lease is not None:
            await self._store.delete(lease)

    async def _carry_on(self, state: ScheduleState) -> bool:
        """Go on in the next log, and make that first if nobody has: the lease of this one is the right to do so.

        Each step can be the last one of a process: whoever finds a log that says that it goes on elsewhere does what
        is left. Returns whether there was somewhere to go.
        """
        lease = await self._lease()
        if lease is None:
            return await self._find_higher()
        try:
            await self._hand_on(state, lease)
        except StaleLease:
            return await self._find_higher()
        except BaseException:
            await self._store.release(lease)
            raise
        return await self._find_higher()

    async def _hand_on(self, state: ScheduleState, lease: Lease) -> None:
        if not state.moved:
            seq = await self._store.append(lease, 1, [f.encode(f.Moved())], HEAD, 0)
            await self._read_until(seq)
        if self.state is not None and not await self._find_higher(go=False):
            begun = f.encode(f.LogStarted(state_to_json(self.state)))
            next_key = key_of(self.id, self.number + 1)
            await self._store.offer(next_key, "begun", begun, digest=b"begun", create=HEAD, wakes=False)
        await self._store.delete(lease)

    async def _read_until(self, seq: int) -> None:
        """Take in what is there up to this log's end."""
        while self.seq < seq:
            for record in await self._store.read(self.key, after=self.seq, before=seq + 1, limit=_PAGE):
                self._take(record.seq, f.decode(record, self.key))

    async def _lease(self) -> Lease | None:
        grant = await self._store.acquire(self.key, self._owner, LEASE_S)
        return grant.lease if grant is not None else None

    async def _find_higher(self, *, go: bool = True) -> bool:
        """Whether there is a later log; `go` there, to its beginning."""
        first = key_of(self.id, 1)[:-1]
        infos = await self._store.find(kind=KIND, after_key=first, limit=_NUMBERS)
        found = [(place[1], info) for info in infos if (place := parse_key(info.key)) and place[0] == self.id]
        number, info = max(found, key=lambda one: one[0], default=(0, None))
        if info is None or number <= self.number:
            return False
        if go:
            self._go(number)
        return True

    def _go(self, number: int) -> None:
        self.number, self.born_ms, self.seq, self.state = number, 0, 0, None
