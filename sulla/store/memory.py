"""A store that lives as long as its object: for tests, and for whoever asks for ``memory:`` by name."""

from __future__ import annotations

from dataclasses import field, replace
from itertools import islice

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, StoreUnavailable
from sulla.core.ids import MakeId
from sulla.store import rules
from sulla.store.bus import LocalBus
from sulla.store.checked import CheckedStore
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest
from sulla.store.rules import LogState
from sulla.store.values import MAX_TAIL, Grant, Head, Lease, LogInfo, Offered, Record


@dataclass(slots=True)
class _MemoryLog:
    """One log in memory: its state, records and dedupe ids."""

    log: LogState
    records: list[Record] = field(default_factory=list)
    dedupe: dict[str, tuple[int, bytes]] = field(default_factory=dict)


class MemoryStore(CheckedStore):
    """Implements `Store` in dictionaries. What it holds outlives `close`, so that a restart can be played.

    Args:
        clock: for leases, times to live and due dates.
        make_id: for the incarnation.
    """

    def __init__(self, clock: Clock, make_id: MakeId) -> None:
        self._clock = clock
        self._incarnation = make_id("store")
        self._bus = LocalBus()
        super().__init__(self._bus)
        self._logs: dict[str, _MemoryLog] = {}
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

    async def _offer(self, offer: OfferRequest) -> Offered:
        key, draft, create = offer.key, offer.draft, offer.create
        await self._begin()
        held = self._logs.get(key)
        if held is None:
            if create is None:
                raise NotFound(f"no log {key!r}: it was never made, or deleted")
            held = _MemoryLog(LogState(self._lives + 1, rules.wall_ms(self._clock), _owned(create)))
        elif (before := held.dedupe.get(offer.dedupe_id)) is not None:
            return rules.known(offer, *before)
        log = rules.offered(held.log, offer)
        self._lives = max(self._lives, log.life)
        held.dedupe[offer.dedupe_id] = (log.last_seq, bytes(offer.digest))
        held.records.append(Record(log.last_seq, draft.kind, offered=True, body=bytes(draft.body)))
        self._logs[key] = held
        self._keep(key, log)
        return Offered(log.last_seq, first=True)

    async def _acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> Grant | None:
        await self._begin()
        held = self._logs.get(key)
        log = rules.granted(held.log, owner, ttl_s, rules.uptime_ms(self._clock)) if held is not None else None
        if held is None or log is None:
            return None
        self._keep(key, log)
        tail = () if after is None else tuple(_between(held.records, after, None, MAX_TAIL))
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

    async def _append(self, write: AppendRequest) -> int:
        lease, write = write.lease, replace(write, head=_owned(write.head))
        await self._begin()
        log = self._log(lease)
        after = rules.appended(log, write)
        if after is not log:
            first = after.last_seq - len(write.drafts) + 1
            self._logs[lease.key].records += (
                Record(seq, draft.kind, offered=False, body=bytes(draft.body))
                for seq, draft in enumerate(write.drafts, first)
            )
            self._keep(lease.key, after)
        return after.answer

    async def _read(self, key: str, after: int, before: int | None, limit: int, *, reverse: bool) -> list[Record]:
        await self._begin()
        held = self._logs.get(key)
        return _between(held.records, after, before, limit, reverse=reverse) if held is not None else []

    async def _head(self, key: str) -> LogInfo | None:
        await self._begin()
        held = self._logs.get(key)
        return rules.info_of(key, held.log, self._clock) if held is not None else None

    async def _find(self, question: FindRequest) -> list[LogInfo]:
        await self._begin()
        # What is ready is looked for among few: a sweep each second must not go through every idle log.
        keys = self._awake | self._due if question.ready else self._logs
        infos = (rules.info_of(key, self._logs[key].log, self._clock) for key in sorted(keys))
        return list(islice(filter(question.fits, infos), question.limit))

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds; see `Store.delete`."""
        await self._begin()
        log = rules.fenced(self._log(lease), lease)
        if last_seq not in (None, log.last_seq):
            return False
        del self._logs[lease.key]
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
        held = self._logs.get(lease.key)
        return held.log if held is not None else None

    def _keep(self, key: str, log: LogState) -> None:
        self._logs[key].log = log
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
