"""A store that lives as long as its object: for tests, and for whoever asks for ``memory:`` by name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice

from sulla.core.clock import Clock
from sulla.core.errors import NotFound, StoreUnavailable
from sulla.core.ids import MakeId
from sulla.store import rules
<<<<<<< HEAD
from sulla.store.asks import Offer, Question, Write
from sulla.store.bus import LocalBus
from sulla.store.checked import CheckedStore
from sulla.store.rules import Log
from sulla.store.values import MAX_TAIL, Grant, Head, Lease, LogInfo, Offered, Record
=======
from sulla.store.asks import (
    AppendRequest,
    FindRequest,
    OfferRequest,
    check_lease,
    check_limit,
    check_name,
    check_swap,
    check_value,
)
from sulla.store.base import Subscription
from sulla.store.bus import LocalBus
from sulla.store.rules import LogState
from sulla.store.values import MAX_TAIL, Draft, Grant, Head, Lease, LogInfo, Offered, Record, Status
>>>>>>> w/H


@dataclass(slots=True)
class _MemoryLog:
    """One log with all it holds."""

    log: LogState
    records: list[Record] = field(default_factory=list)
    dedupe: dict[str, tuple[int, bytes]] = field(default_factory=dict)


<<<<<<< HEAD
class MemoryStore(CheckedStore):
    """Keeps `Store` in dictionaries. What it holds outlives `close`, so that a restart can be played.
=======
class MemoryStore:
    """Implements `Store` in dictionaries. What it holds outlives `close`, so that a restart can be played.
>>>>>>> w/H

    Args:
        clock: for leases, times to live and due dates.
        make_id: for the incarnation.
    """

    def __init__(self, clock: Clock, make_id: MakeId) -> None:
        self._clock = clock
        self._incarnation = make_id("store")
        self._bus = LocalBus()
<<<<<<< HEAD
        super().__init__(self._bus)
        self._shelves: dict[str, _Shelf] = {}
=======
        self._shelves: dict[str, _MemoryLog] = {}
>>>>>>> w/H
        self._lives = 0
        self._awake: set[str] = set()
        """Keys of logs that are ready whatever the time."""
        self._due: set[str] = set()
        """Keys of logs with a due time."""
        self._values: dict[str, tuple[bytes, int | None]] = {}
        self._open = False

    async def open(self) -> None:
        """Begin to answer."""
        self._open = True
        self._bus.open()

    async def close(self) -> None:
        """Answer no more, and end all subscriptions."""
        self._open = False
        self._bus.close()

    async def ping(self) -> None:
        """Prove that the store answers."""
        await self._begin()

    async def incarnation(self) -> str:
        """The id that this store got when it was first made."""
        await self._begin()
        return self._incarnation

    # ---------------------------------------------------------------------------------------------------- logs

<<<<<<< HEAD
    async def _offer(self, offer: Offer) -> Offered:
        key, draft, create = offer.key, offer.draft, offer.create
=======
    async def offer(
        self,
        key: str,
        dedupe_id: str,
        draft: Draft,
        *,
        digest: bytes,
        create: Head | None = None,
        wakes: bool = True,
        max_waiting: int | None = None,
    ) -> Offered:
        """Add an input to a log, once; see `Store.offer`."""
        offer = OfferRequest(key, dedupe_id, draft, digest, create, wakes, max_waiting)
>>>>>>> w/H
        await self._begin()
        shelf = self._shelves.get(key)
        if shelf is None:
            if create is None:
                raise NotFound(f"no log {key!r}: it was never made, or deleted")
<<<<<<< HEAD
            shelf = _Shelf(Log(self._lives + 1, rules.wall_ms(self._clock), _owned(create)))
        elif (before := shelf.dedupe.get(offer.dedupe_id)) is not None:
=======
            shelf = _MemoryLog(LogState(self._lives + 1, rules.wall_ms(self._clock), _owned(create)))
        elif (before := shelf.dedupe.get(dedupe_id)) is not None:
>>>>>>> w/H
            return rules.known(offer, *before)
        log = rules.offered(shelf.log, offer)
        self._lives = max(self._lives, log.life)
        shelf.dedupe[offer.dedupe_id] = (log.last_seq, bytes(offer.digest))
        shelf.records.append(Record(log.last_seq, draft.kind, offered=True, body=bytes(draft.body)))
        self._shelves[key] = shelf
        self._keep(key, log)
        return Offered(log.last_seq, first=True)

    async def _acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> Grant | None:
        await self._begin()
        shelf = self._shelves.get(key)
        log = rules.granted(shelf.log, owner, ttl_s, rules.uptime_ms(self._clock)) if shelf is not None else None
        if shelf is None or log is None:
            return None
        self._keep(key, log)
        tail = () if after is None else tuple(_between(shelf.records, after, None, MAX_TAIL))
        return Grant(rules.lease_of(key, log, ttl_s), log.head, log.last_seq, tail)

    async def renew(self, lease: Lease) -> None:
        """Start the lease's time anew; see `Store.renew`."""
        await self._begin()
        self._keep(lease.key, rules.renewed(self._log(lease), lease, rules.uptime_ms(self._clock)))

    async def release(self, lease: Lease) -> None:
        """Give the lease back if it is still ours."""
        await self._begin()
        log = rules.given_back(self._log(lease), lease)
        if log is not None:
            self._keep(lease.key, log)

<<<<<<< HEAD
    async def _append(self, write: Write) -> int:
        lease, write = write.lease, replace(write, head=_owned(write.head))
=======
    async def append(
        self,
        lease: Lease,
        write_no: int,
        drafts: Sequence[Draft],
        head: Head,
        claimed: int,
        *,
        release: bool = False,
    ) -> int:
        """Add decided records and replace the head; see `Store.append`."""
        write = AppendRequest(lease, write_no, tuple(drafts), _owned(head), claimed, release)
>>>>>>> w/H
        await self._begin()
        log = self._log(lease)
        after = rules.appended(log, write)
        if after is not log:
            first = after.last_seq - len(write.drafts) + 1
            self._shelves[lease.key].records += (
                Record(seq, draft.kind, offered=False, body=bytes(draft.body))
                for seq, draft in enumerate(write.drafts, first)
            )
            self._keep(lease.key, after)
        return after.answer

    async def _read(self, key: str, after: int, before: int | None, limit: int, *, reverse: bool) -> list[Record]:
        await self._begin()
        shelf = self._shelves.get(key)
        return _between(shelf.records, after, before, limit, reverse=reverse) if shelf is not None else []

    async def _head(self, key: str) -> LogInfo | None:
        await self._begin()
        shelf = self._shelves.get(key)
        return rules.info_of(key, shelf.log, self._clock) if shelf is not None else None

<<<<<<< HEAD
    async def _find(self, question: Question) -> list[LogInfo]:
=======
    async def find(
        self,
        *,
        ready: bool | None = None,
        kind: str | None = None,
        status: Status | None = None,
        due_before_ms: int | None = None,
        after_key: str = "",
        limit: int = 100,
    ) -> list[LogInfo]:
        """Logs that meet every given condition; see `Store.find`."""
        question = FindRequest(ready, kind, status, due_before_ms, after_key, limit)
>>>>>>> w/H
        await self._begin()
        # What is ready is looked for among few: a sweep each second must not go through every idle log.
        keys = self._awake | self._due if question.ready else self._shelves
        infos = (rules.info_of(key, self._shelves[key].log, self._clock) for key in sorted(keys))
        return list(islice(filter(question.fits, infos), question.limit))

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds; see `Store.delete`."""
        await self._begin()
        log = rules.fenced(self._log(lease), lease)
        if last_seq not in (None, log.last_seq):
            return False
        del self._shelves[lease.key]
        self._awake.discard(lease.key)
        self._due.discard(lease.key)
        return True

    # -------------------------------------------------------------------------------------------------- values

    async def _put(self, key: str, value: bytes, ttl_s: float | None) -> None:
        await self._begin()
        self._set(key, value, ttl_s)

    async def _swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None) -> bool:
        await self._begin()
        there = self._value(key)
        if there != old and there != new:
            return False
        self._set(key, new, ttl_s)
        return True

    async def _get(self, key: str) -> bytes | None:
        await self._begin()
        return self._value(key)

    async def _remove(self, key: str) -> bool:
        await self._begin()
        there = self._value(key) is not None
        self._values.pop(key, None)
        return there

    # ----------------------------------------------------------------------------------------------------- bus

    def is_heard(self, channel: str) -> bool:
        """Whether anybody listens on a channel."""
        return self._bus.is_heard(channel)

    # ------------------------------------------------------------------------------------------------- private

    async def _begin(self) -> None:
        """Let others run, as every store does; the step after it is atomic because it waits for nothing."""
        await self._clock.sleep(0)
        if not self._open:
            raise StoreUnavailable("the store in memory is not open")

    def _value(self, key: str) -> bytes | None:
        kept = self._values.get(key)
        return kept[0] if kept is not None and _lives(kept, rules.uptime_ms(self._clock)) else None

    def _set(self, key: str, value: bytes, ttl_s: float | None) -> None:
        now_ms = rules.uptime_ms(self._clock)
        self._values.pop(key, None)
        # Each step looks at the two that were not looked at for longest, so what ran out does not pile up.
        for old in list(islice(self._values, 2)):
            kept = self._values.pop(old)
            if _lives(kept, now_ms):
                self._values[old] = kept
        self._values[key] = (bytes(value), None if ttl_s is None else now_ms + rules.span_ms(ttl_s))

    def _log(self, lease: Lease) -> LogState | None:
        shelf = self._shelves.get(lease.key)
        return shelf.log if shelf is not None else None

    def _keep(self, key: str, log: LogState) -> None:
        self._shelves[key].log = log
        _mark(self._awake, key, belongs=log.head.status == "open" or log.woken_seq > log.claimed)
        _mark(self._due, key, belongs=log.head.due_ms is not None)


def _mark(keys: set[str], key: str, *, belongs: bool) -> None:
    if belongs:
        keys.add(key)
    else:
        keys.discard(key)


def _lives(kept: tuple[bytes, int | None], now_ms: int) -> bool:
    return kept[1] is None or kept[1] > now_ms


def _owned(head: Head) -> Head:
    """The head with a body that nobody else can change."""
    return replace(head, body=bytes(head.body))


def _between(
    records: list[Record], after: int, before: int | None, limit: int, *, reverse: bool = False
) -> list[Record]:
    """The records with ``after < seq < before``; number n stands at n - 1."""
    start, stop = max(after, 0), len(records) if before is None else min(max(before - 1, 0), len(records))
    if reverse:
        return records[max(start, stop - limit) : stop][::-1]
    return records[start : min(stop, start + limit)]
