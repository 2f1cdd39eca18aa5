"""The Redis store: an append beside a raw round trip, a lease beside redis-py's lock, a turn as the thread grows.

Everything runs on a server of its own (tests/servers/stores/redis.py) without a disk, on loopback; waiting time, in
ms. Three limits: RPUSH over a bare socket; RPUSH with redis-py's asyncio client; and, for what a thread costs as it
grows, the way that keeps the whole conversation under one key (a deep copy, JSON, SETEX).
"""

from __future__ import annotations

import asyncio
import copy
import json
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from redis.asyncio import Redis

from bench.frame import Frame, Row, Samples
from sulla.host.system import SystemClock, random_id
from sulla.store.redis.keys import head_key
from sulla.store.redis.store import RedisStore
from sulla.store.values import Draft, Head, Lease
from tests.servers.stores.redis import RedisServer, running_redis

NAME = "redis"

SIZES = (10, 100, 1000, 5000)
CHARS = 500
"""How long a message is (reference figures were taken with the same)."""
TAIL = 100
TAIL_BAR = 4.0
"""To the same records over a bare socket: 0.3 ms, where those take 0.08."""
_REPEATS = 20
"""So often is a thing done in one round."""

Work = Callable[[], Awaitable[object]]


def run(frame: Frame) -> list[Row]:
    """Measure."""
    with running_redis(appendonly="no") as server:
        return asyncio.run(_measure(frame, server))


async def _measure(frame: Frame, server: RedisServer) -> list[Row]:
    store = RedisStore(server.new_url(), SystemClock(), random_id)
    await store.open()
    plain = RedisStore(server.new_url(), SystemClock(), random_id, direct=False)
    await plain.open()
    client = Redis.from_url(server.new_url())
    try:
        single = await _compare(frame, await _singles(store, plain, client, server))
        grown = await _compare(frame, await _growing(store))
        whole = await _compare(frame, _snapshots(client))
        tails = await _compare(frame, _tails(store, server))
    finally:
        await client.aclose()
        await plain.close()
        await store.close()
    shortest = SIZES[0]
    return [
        single.row("RPUSH, bare socket"),
        single.row("RPUSH, redis-py", "RPUSH, bare socket"),
        single.row("append of 2 messages", "RPUSH, bare socket", bar=6.0),
        single.row("append of 2 messages, not direct", "append of 2 messages"),
        single.row("redis-py Lock, acquire + release"),
        single.row("lease, acquire + release", "redis-py Lock, acquire + release", bar=1.05),
        *(grown.row(f"append, {size:,} messages", f"append, {shortest:,} messages", 1.1) for size in SIZES[1:]),
        *(_beside(whole, f"snapshot, {size:,} messages", grown, f"append, {size:,} messages") for size in SIZES),
        *(tails.row(f"tail of {TAIL}, {size:,} messages", "LRANGE, bare socket", TAIL_BAR) for size in SIZES),
    ]


def _beside(whole: Samples, name: str, grown: Samples, limit: str) -> Row:
    """What was measured apart, so that the caches of the one do not slow the other down."""
    value = whole.median(name)
    return Row(name, value, "ms", value / grown.median(limit), limit)


async def _compare(frame: Frame, contenders: dict[str, Work]) -> Samples:
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    for work in contenders.values():
        await work()
    for order in frame.orders(list(contenders)):
        for name in order:
            begun = time.perf_counter()
            for _ in range(_REPEATS):
                await contenders[name]()
            costs[name].append((time.perf_counter() - begun) * 1000 / _REPEATS)
    return Samples(costs, "ms")


# ------------------------------------------------------------------------------------------------------ contenders


@dataclass(slots=True)
class _Thread:
    """A log of so many messages, held."""

    lease: Lease
    written: int = 0


def _messages(number: int) -> list[Draft]:
    return [Draft("TEXT_MESSAGE_END", json.dumps(_message(number + n)).encode()) for n in range(2)]


def _message(number: int) -> dict[str, object]:
    return {"role": "user", "id": f"msg_{number:024}", "at": 1_800_000_000_000 + number, "text": "x" * CHARS}


async def _thread(store: RedisStore, size: int, key: str) -> _Thread:
    await store.offer(key, "created", Draft("CREATED", b"{}"), digest=b"", create=Head("thread"), wakes=False)
    grant = await store.acquire(key, f"{random_id('home')}:{random_id('boot')}", 3600.0)
    assert grant is not None
    thread = _Thread(grant.lease)
    for start in range(0, size, 1000):
        await _append(store, thread, [_messages(n)[0] for n in range(start, min(start + 1000, size))])
    return thread


async def _append(store: RedisStore, thread: _Thread, drafts: Sequence[Draft]) -> None:
    thread.written += 1
    await store.append(thread.lease, thread.written, drafts, Head("thread", "open", "sulla", body=bytes(300)), 0)


async def _singles(store: RedisStore, plain: RedisStore, client: Redis, server: RedisServer) -> dict[str, Work]:
    thread, drafts = await _thread(store, 10, "thr_single"), _messages(1)
    slower = await _thread(plain, 10, "thr_single")
    bodies = [draft.body for draft in drafts]
    peer, command = _bare(server, store), _packed(b"RPUSH", b"bench:raw", *bodies)
    keys = count()
    lent = await _thread(store, 10, "thr_lease")
    await store.release(lent.lease)

    async def raw() -> None:
        peer.sendall(command)
        peer.recv(64)

    async def lock() -> None:
        async with client.lock(f"bench:lock:{next(keys)}", timeout=30):
            pass

    async def lease() -> None:
        grant = await store.acquire("thr_lease", "home:boot", 30.0)
        assert grant is not None
        await store.release(grant.lease)

    return {
        "RPUSH, bare socket": raw,
        "RPUSH, redis-py": lambda: client.rpush("bench:own", *bodies),
        "append of 2 messages": lambda: _append(store, thread, drafts),
        "append of 2 messages, not direct": lambda: _append(plain, slower, drafts),
        "redis-py Lock, acquire + release": lock,
        "lease, acquire + release": lease,
    }


async def _growing(store: RedisStore) -> dict[str, Work]:
    works: dict[str, Work] = {}
    for size in SIZES:
        thread, drafts = await _thread(store, size, f"thr_{size}"), _messages(size)
        works[f"append, {size:,} messages"] = partial(_append, store, thread, drafts)
    return works


def _snapshots(client: Redis) -> dict[str, Work]:
    works: dict[str, Work] = {}
    for size in SIZES:
        whole: dict[str, object] = {"messages": [_message(n) for n in range(size)]}
        works[f"snapshot, {size:,} messages"] = partial(_snapshot, client, whole, size)
    return works


async def _snapshot(client: Redis, whole: dict[str, object], size: int) -> None:
    await client.setex(f"bench:whole:{size}", 3600, json.dumps(copy.deepcopy(whole)))


def _tails(store: RedisStore, server: RedisServer) -> dict[str, Work]:
    peer = _bare(server, store)
    command = _packed(b"LRANGE", head_key(f"thr_{SIZES[-1]}").replace(":head", ":log").encode(), b"%d" % -TAIL, b"-1")

    async def raw() -> None:
        peer.sendall(command)
        data = b""
        while data.count(b"\r\n") < 2 * TAIL + 1:
            data += peer.recv(1 << 20)

    works: dict[str, Work] = {"LRANGE, bare socket": raw}
    for size in SIZES:
        works[f"tail of {TAIL}, {size:,} messages"] = partial(store.read, f"thr_{size}", limit=TAIL, reverse=True)
    return works


def _bare(server: RedisServer, store: RedisStore) -> socket.socket:
    """A connection without a client, to the store's database."""
    peer = socket.create_connection(("127.0.0.1", server.port))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.sendall(_packed(b"SELECT", store.where.rpartition("/")[2].encode()))
    peer.recv(64)
    return peer


def _packed(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)
