"""The index in Redis may say too much and never too little, whoever is cut off wherever."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from redis import Redis

from sulla.core.errors import StaleLease
from sulla.store.base import Store
from sulla.store.redis import index
from sulla.store.redis.client import RedisClient
from sulla.store.redis.index import GRACE_MS
from sulla.store.redis.keys import SHARDS, IndexPlaces, index_key, shard_of
from sulla.store.redis.line import Command, Reply
from sulla.store.redis.store import RedisStore
from sulla.store.values import Head
from tests.kits.redis_world import RedisWorld
from tests.kits.store_world import DIGEST, IDLE, KEY, ME, OPEN, TTL_S, draft, make, send, take, write
from tests.servers.stores.redis import RedisServer, redis_server

__all__ = ["redis_server"]

PLACES = ("logs", "awake", "suspended", "due")


@pytest.fixture
def world(redis_server: RedisServer) -> RedisWorld:
    return RedisWorld(redis_server.new_url())


@pytest.fixture
async def store(world: RedisWorld) -> AsyncIterator[Store]:
    store = world.store()
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def raw(world: RedisWorld) -> Redis:
    return Redis.from_url(world.url, decode_responses=True)


def _places(raw: Redis, key: str = KEY) -> set[str]:
    """Where the index names a log."""
    shard = index_key(shard_of(key))
    found = {place for place in PLACES if raw.zscore(f"{shard}:{place}", key) is not None}
    found |= (
        {"kinds"} if any(str(member).endswith(f"\0{key}") for member in raw.zrange(f"{shard}:kinds", 0, -1)) else set()
    )
    return found | ({"pending"} if raw.zcard(f"{shard}:pending") else set())


def _age(raw: Redis, seconds: float) -> None:
    """Make everything that is pending older."""
    for shard in range(SHARDS):
        for entry in raw.zrange(f"{index_key(shard)}:pending", 0, -1):
            raw.zincrby(f"{index_key(shard)}:pending", -seconds * 1000, str(entry))


async def test_a_log_is_entered_with_the_step_and_nothing_stays_pending(store: Store, raw: Redis) -> None:
    await make(store, head=Head("thread", "suspended", due_ms=10**15))
    assert _places(raw) == {"logs", "kinds", "suspended", "due"}
    await send(store, "m1")
    assert _places(raw) == {"logs", "kinds", "suspended", "due", "awake"}


async def test_a_search_takes_out_what_the_heads_do_not_bear_out(store: Store, raw: Redis) -> None:
    await make(store, head=Head("thread", "open", due_ms=5))
    lease = (await take(store)).lease
    await write(store, lease, 1, head=Head("beat", "suspended"))
    await write(store, lease, 2, head=Head("beat"))
    assert await store.find(ready=True) == []
    assert await store.find(status="suspended") == []
    assert await store.find(kind="thread") == []
    assert _places(raw) == {"logs", "kinds"}
    assert [info.key for info in await store.find(kind="beat")] == [KEY]


async def test_a_time_that_was_put_off_is_known_again_after_it_was_looked_for_in_vain(
    store: Store, world: RedisWorld, raw: Redis
) -> None:
    now_ms = world.now_ms()
    await make(store, head=Head("beat", due_ms=now_ms))
    lease = (await take(store)).lease
    await write(store, lease, 1, head=Head("beat", due_ms=now_ms + 5000))
    assert await store.find(ready=True) == []
    assert raw.zscore(f"{index_key(shard_of(KEY))}:due", KEY) == now_ms + 5000
    await world.pass_time(5)
    assert [info.key for info in await store.find(ready=True)] == [KEY]


async def test_a_refused_step_does_not_hide_when_a_log_is_really_due(store: Store, world: RedisWorld) -> None:
    now_ms = world.now_ms()
    await make(store, head=Head("beat", due_ms=now_ms + 1000))
    late = (await take(store)).lease
    await store.release(late)
    with pytest.raises(StaleLease):
        await write(store, late, 1, head=Head("beat", due_ms=now_ms + 10**9))
    await world.pass_time(1)
    assert [info.key for info in await store.find(ready=True)] == [KEY]


async def test_a_log_has_these_keys_and_no_others(store: Store, raw: Redis) -> None:
    await make(store)
    await take(store)
    kept = {str(key) for key in raw.keys("*thr_1*")}
    state = "sulla:threadstate:{thr_1}"
    assert kept == {f"{state}:head", f"{state}:log", f"{state}:ids", "sulla:lock:{thr_1}"}
    assert 0 < raw.pttl("sulla:lock:{thr_1}") <= TTL_S * 1000
    assert raw.get("sulla:lock:{thr_1}") == ME


async def test_a_deleted_log_leaves_nothing_behind(store: Store, raw: Redis) -> None:
    await make(store, head=Head("thread", "open", due_ms=1))
    await send(store, "m1")
    await store.delete((await take(store)).lease)
    kept = {key for key in raw.keys() if not str(key).endswith(":clock")}  # noqa: SIM118 - a server is no dictionary
    assert kept == {"sulla:incarnation"}


@pytest.mark.parametrize("done", [1, 2, 3])
async def test_whoever_is_cut_off_in_the_middle_of_a_step_hides_nothing(
    store: RedisStore, raw: Redis, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    await make(store)
    whole = RedisClient.call

    async def cut(client: RedisClient, *commands: Command) -> list[Reply]:
        replies = await whole(client, *commands[:done])
        return [*replies, *[None] * (len(commands) - done)]

    with monkeypatch.context() as patch:
        patch.setattr(RedisClient, "call", cut)
        if done == 1:
            with pytest.raises(TypeError):  # its answer never came
                await send(store, "m1")
        else:
            await send(store, "m1")
    kept = done > 1
    for seconds in (0, GRACE_MS / 1000 + 1):  # before and after somebody takes care of what was left behind
        _age(raw, seconds)
        assert [info.key for info in await store.find(ready=True)] == ([KEY] if kept else [])
        assert [info.key for info in await store.find(ready=True)] == ([KEY] if kept else [])
    assert "pending" not in _places(raw)
    assert ("awake" in _places(raw)) is kept


async def test_what_was_entered_after_a_head_was_read_is_not_taken_out(
    store: RedisStore, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make(store)
    await send(store, "m1")
    lease = (await take(store)).lease
    await store.append(lease, 1, [], IDLE, 2)  # the index says awake, the head does not
    whole = index.RedisIndex._tidy

    async def late(self: index.RedisIndex, *found: object) -> None:
        await send(store, "m2")  # between the look at the head and the cleaning
        await whole(self, *found)  # type: ignore[arg-type]  # passed on as they came

    with monkeypatch.context() as patch:
        patch.setattr(index.RedisIndex, "_tidy", late)
        assert await store.find(ready=True) == []
    assert "awake" in _places(raw)
    assert [info.key for info in await store.find(ready=True)] == [KEY]


async def test_the_same_name_anew_is_not_taken_out_by_a_late_deleter(store: RedisStore, raw: Redis) -> None:
    await make(store)
    (stamp,) = await store._client.call(index.stamp_of(KEY))
    await store.delete((await take(store)).lease)
    await make(store)
    assert isinstance(stamp, bytes)
    await store._client.call(index.forget(KEY, stamp, "thread"))
    assert _places(raw) == {"logs", "kinds"}


async def test_a_sweep_looks_at_no_idle_log(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(50):
        await make(store, f"idle-{n}")
    await send(store, "m1", "idle-7")
    await make(store, "due", Head("beat", due_ms=0))
    looked: list[str] = []
    whole = index.look

    def noted(name: str) -> Command:
        looked.append(name)
        return whole(name)

    monkeypatch.setattr(index, "look", noted)
    assert [info.key for info in await store.find(ready=True)] == ["due", "idle-7"]
    assert looked == ["due", "idle-7"]


async def test_nothing_that_is_done_often_goes_through_all_keys(store: RedisStore, raw: Redis) -> None:
    raw.config_resetstat()
    await make(store)
    await send(store, "m1")
    lease = (await take(store)).lease
    await store.renew(lease)
    await store.append(lease, 1, [draft("A")], OPEN, 2)
    await store.append(lease, 2, [draft("B")], IDLE, 2, release=True)
    await store.find(ready=True)
    await store.put("key", b"value", 5)
    used = {name.removeprefix("cmdstat_") for name in raw.info("commandstats")}
    assert used >= {"evalsha", "rpush"}, "these are the steps' own commands"
    assert used.isdisjoint({"keys", "scan", "sscan", "hscan", "zscan", "smembers", "hgetall"})


async def test_pages_of_many_logs_give_each_once_and_in_order(store: RedisStore) -> None:
    names = [f"log-{n:04}" for n in range(300)]
    entries = [index.settle(index.entry_of(name, "x"), name, IndexPlaces("thread", awake=True)) for name in names]
    await store._client.call(*entries)
    for name in names[::3]:
        await store.offer(name, "m", draft(), digest=DIGEST, create=OPEN)
    found: list[str] = []
    while page := await store.find(ready=True, after_key=found[-1] if found else "", limit=7):
        found += [info.key for info in page]
    assert found == names[::3]
    assert all(one < two for one, two in pairwise(found))
