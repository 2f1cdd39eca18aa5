"""The store of a shared deployment: one Redis for any number of daemons (docs/redis.md)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import count
from typing import cast

from sulla.core.clock import Clock
from sulla.core.errors import NotFound, StoreUnavailable
from sulla.core.ids import MakeId
from sulla.store import rules
from sulla.store.checked import CheckedStore
from sulla.store.redis import checks, keys, steps
from sulla.store.redis import client as run
from sulla.store.redis.bus import RedisBus
from sulla.store.redis.client import RedisClient
from sulla.store.redis.index import (
    RedisIndex,
    entry_of,
    findable,
    forget,
    info_of,
    look,
    look_of,
    real_places,
    stamp_of,
)
from sulla.store.redis.keys import IndexPlaces, Raw, head_key, places_of
from sulla.store.redis.line import Command, Reply, Word
from sulla.store.redis.url import address_of
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest, check_name
from sulla.store.rules import LogState
from sulla.store.values import MAX_TAIL, Grant, Head, Lease, LogInfo, Offered, Record

OPEN_S = 5.0
"""How long the first connection may take, in seconds."""

_KNOWN_LEASES = 10_000
"""Of so many leases it is remembered what their heads said."""


class RedisStore(CheckedStore):
    """Implements `Store` in Redis: a script for each step, each atomic, each in one slot.

    Leases and times to live are judged by the server's clock, due times and the time of creation by ours.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``; see `redis_url.FORM`.
        clock: for deadlines, due times and the time of creation.
        make_id: for the incarnation of a new store, and to tell this handle's messages from others.
        direct: whether to write past redis-py, which is faster.

    Raises:
        SettingsError: `url` is none.
    """

    def __init__(self, url: str, clock: Clock, make_id: MakeId, *, direct: bool = True) -> None:
        self._address = address_of(url, direct=direct)
        self._clock = clock
        self._make_id = make_id
        name = make_id("bus")
        short = sha256(name.encode()).hexdigest()[:10]  # travels twice with each announcement
        self._client = RedisClient(self._address, clock)
        self._bus = RedisBus(self._address, self._client, clock, name)
        super().__init__(self._bus)
        self._index = RedisIndex(self._client, clock)
        self._nonces = (f"{short}:{number}" for number in count(1))
        self._places: dict[str, tuple[Lease, IndexPlaces]] = {}
        """Where logs that are held through this handle are found, because of the last head that was kept."""

    @property
    def where(self) -> str:
        """The URL as it may be shown."""
        return self._client.where

    async def open(self) -> None:
        """Connect, and give a new store its incarnation. A second time does nothing.

        Raises:
            StoreUnavailable: it cannot be reached or used; the message says where and what to do.
        """
        if self._client.is_open:
            return
        first = RedisClient(self._address, self._clock, call_s=OPEN_S)
        first.open()
        try:
            made = ("SET", keys.INCARNATION, self._make_id("store"), "NX")
            _, found = await first.first(made, ("GET", keys.INCARNATION))
            await checks.look_at(first)
        finally:
            await first.close()
        self._client.incarnation = cast("bytes", found).decode()
        self._client.open()
        self._bus.open(self._client.incarnation)

    async def close(self) -> None:
        """Finish what was asked, disconnect, end all subscriptions."""
        await self._bus.close()
        await self._client.close()
        self._places.clear()

    async def ping(self) -> None:
        """Prove that it answers and is the same as before."""
        await self._client.call()

    async def incarnation(self) -> str:
        """The id that the store has; another one, or none, means that it was emptied or exchanged."""
        (found,) = await self._client.first(("GET", keys.INCARNATION))
        return found.decode() if isinstance(found, bytes) else ""

    # ---------------------------------------------------------------------------------------------------- logs

    async def _offer(self, offer: OfferRequest) -> Offered:
        made = places_of(offer.create) if offer.create is not None else IndexPlaces()
        step = steps.offer(offer, rules.wall_ms(self._clock))
        answer = await self._entered(offer.key, replace(made, awake=made.awake or offer.wakes), step)
        said, *rest = cast("list[int]", answer)
        if said == 0:
            return rules.known(offer, *keys.known_of(cast("bytes", rest[0])))
        if said == 2:
            raise NotFound(f"no log {offer.key!r}: it was never made, or deleted")
        if said == 3:
            full = LogState(0, 0, Head("full", consumed=rest[1]), waking=rest[0])
            raise steps.unlike(rules.offered(full, offer))
        return Offered(rest[0], first=True)

    async def _acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> Grant | None:
        home = owner.partition(":")[0] + ":"
        begin = "" if after is None else steps.near(after)
        step = run.ACQUIRE.on((head_key(key),), owner, home, rules.span_ms(ttl_s), begin, MAX_TAIL)
        (answer,) = await self._client.call(step)
        if answer is None:
            return None
        raw, tail = cast("tuple[Raw, list[bytes]]", answer)
        log = steps.there(keys.log_of(raw))
        lease = rules.lease_of(key, log, ttl_s)
        # Awake by an input, it stays so until it is open: nobody has to be told of its start.
        self._remember(lease, real_places(log))
        return Grant(lease, log.head, log.last_seq, tuple(keys.records_of(steps.near(after or 0) + 1, tail)))

    async def renew(self, lease: Lease) -> None:
        """Start the lease's time anew; see `Store.renew`."""
        answer = await self._fenced(run.RENEW, lease, rules.span_ms(lease.ttl_s))
        if isinstance(answer, list):
            raise steps.unlike(rules.fenced(keys.log_of(cast("Raw", answer)), lease))

    async def release(self, lease: Lease) -> None:
        """Give the lease back if it is still ours."""
        self._places.pop(lease.key, None)
        await self._fenced(run.RELEASE, lease)

    async def _append(self, write: AppendRequest) -> int:
        lease, step, lasting = write.lease, steps.append(write), places_of(write.head)
        known_lease, known = self._places.get(lease.key, (None, IndexPlaces()))
        answer = await self._entered(lease.key, lasting.beyond(known if known_lease == lease else IndexPlaces()), step)
        if isinstance(answer, list):
            self._places.pop(lease.key, None)
            raise steps.unlike(rules.appended(keys.log_of(cast("Raw", answer)), write))
        if write.release:
            self._places.pop(lease.key, None)
        else:
            self._remember(lease, lasting)
        return cast("int", answer)

    async def _read(self, key: str, after: int, before: int | None, limit: int, *, reverse: bool) -> list[Record]:
        end = "" if before is None else steps.near(before)
        (answer,) = await self._client.call(
            run.READ.on((head_key(key),), steps.near(after), end, min(limit, steps.FAR), int(reverse))
        )
        if not answer:
            return []
        first, kept = cast("tuple[int, list[bytes]]", answer)
        records = keys.records_of(first, kept)
        return records[::-1] if reverse else records

    async def _head(self, key: str) -> LogInfo | None:
        (answer,) = await self._client.call(look(key))
        return info_of(key, *look_of(answer), self._clock)

    async def _find(self, question: FindRequest) -> list[LogInfo]:
        return await self._index.find(question)

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds; see `Store.delete`."""
        check_name("key", lease.key)
        last = "" if last_seq is None else last_seq
        step = run.DELETE.on((head_key(lease.key),), *steps.fence(lease), last)
        stamp, answer = await self._client.call(stamp_of(lease.key), step)
        if isinstance(answer, list):
            raise steps.unlike(rules.fenced(keys.log_of(cast("Raw", answer)), lease))
        if answer == 0:
            return False
        self._places.pop(lease.key, None)
        with suppress(StoreUnavailable):  # The log is gone; what the index still says of it is found out by a search.
            await self._client.call(forget(lease.key, cast("bytes", stamp or b""), cast("bytes", answer).decode()))
        return True

    # -------------------------------------------------------------------------------------------------- values

    async def _put(self, key: str, value: bytes, ttl_s: float | None) -> None:
        ends: tuple[Word, ...] = () if ttl_s is None else ("PX", rules.span_ms(ttl_s))
        await self._client.call(("SET", keys.value_key(key), bytes(value), *ends))

    async def _swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None) -> bool:
        return (await self._client.call(steps.swap(key, old, new, ttl_s)))[0] == 1

    async def _get(self, key: str) -> bytes | None:
        (value,) = await self._client.call(("GET", keys.value_key(key)))
        return cast("bytes | None", value)

    async def _remove(self, key: str) -> bool:
        (removed,) = await self._client.call(("DEL", keys.value_key(key)))
        return removed == 1

    # ------------------------------------------------------------------------------------------------- private

    async def _entered(self, key: str, places: IndexPlaces, step: Command) -> Reply:
        """Run a step that makes a log findable in these places; one round trip."""
        if not places.any:
            return (await self._client.call(step))[0]
        return (await self._client.call(*findable(key, entry_of(key, next(self._nonces)), places, step)))[1]

    async def _fenced(self, script: run.Script, lease: Lease, *more: int) -> Reply:
        check_name("key", lease.key)
        return (await self._client.call(script.on((head_key(lease.key),), *steps.fence(lease), *more)))[0]

    def _remember(self, lease: Lease, places: IndexPlaces) -> None:
        self._places.pop(lease.key, None)
        if len(self._places) >= _KNOWN_LEASES:
            del self._places[next(iter(self._places))]
        self._places[lease.key] = (lease, places)
