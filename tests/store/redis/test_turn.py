"""What a turn costs on Redis: round trips, bytes on the wire, and one slot for each step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis import Redis

from sulla.host.system import SystemClock, random_id
from sulla.store.base import Store
from sulla.store.redis.client import RedisClient
from sulla.store.redis.line import Command, RedisLine, Reply
from sulla.store.redis.store import RedisStore
from sulla.store.values import Head, Status
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from tests.kits.store_offers import ODD_NAMES
from tests.kits.store_world import DIGEST, IDLE, KEY, ME, ME_LATER, OPEN, draft, kinds, make, present, send, take, write
from tests.servers.proxy import FaultProxy
from tests.servers.stores.redis import RedisServer, redis_server, running_redis
from tests.soon import PatientClock, pause

__all__ = ["redis_server"]

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(url, PatientClock(), random_id)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def test_a_plain_turn_is_four_round_trips(redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with _opened(redis_server.new_url()) as store:
        world = World(store, ScriptedProvider([Say((DONE,)), Say((DONE,))]), clock=SystemClock())
        thread = await world.thread()
        await world.ask(thread, "the first one loads the thread")
        asked: list[Command] = []
        whole = RedisLine.ask

        async def counted(line: RedisLine, commands: list[Command]) -> list[Reply]:
            if commands[1][0] != "PUBLISH":  # nobody waits for those
                asked.append(commands[1])
            return await whole(line, commands)

        monkeypatch.setattr(RedisLine, "ask", counted)
        await world.ask(thread, "hello")
        assert len(asked) <= 4, "offer, acquire, start, end"
        assert (await world.kinds(thread)).count("RUN_FINISHED") == 2


async def test_a_write_sends_what_is_new_and_little_more(redis_server: RedisServer) -> None:
    async with FaultProxy(redis_server.port, SystemClock()) as proxy:
        url = redis_server.new_url().replace(str(redis_server.port), str(proxy.port))
        async with _opened(url) as store:
            thread = "thr_0123456789abcdef01234567"
            await make(store, thread)
            body, checkpoint = bytes(500), bytes(300)
            for turn in range(1, 4):
                sent, message = proxy.moved["up"], f"msg_{turn:024}"
                await store.offer(thread, message, draft(body=body), digest=bytes(32))
                assert proxy.moved["up"] - sent <= len(body) + len(message) + 32 + 600
                lease = (await take(store, thread, f"home_{'0' * 24}:boot_{turn:024}")).lease
                statuses: tuple[Status, ...] = ("open", "idle")
                for number, status in enumerate(statuses, 1):
                    last = (await store.read(thread, limit=1, reverse=True))[0].seq
                    sent, drafts = proxy.moved["up"], [draft("TEXT_MESSAGE_END", body)] * 3
                    head = Head("thread", status, "sulla", consumed=turn, body=checkpoint)
                    await store.append(lease, number, drafts, head, last)
                    assert proxy.moved["up"] - sent <= 3 * len(body) + len(checkpoint) + 600
                await store.release(lease)


@pytest.mark.parametrize("records", [10, 5000])
async def test_a_write_sends_the_same_however_long_the_log_is(redis_server: RedisServer, records: int) -> None:
    async with FaultProxy(redis_server.port, SystemClock()) as proxy:
        url = redis_server.new_url().replace(str(redis_server.port), str(proxy.port))
        async with _opened(url) as store:
            await make(store)
            lease = (await take(store)).lease
            await store.append(lease, 1, [draft(body=bytes(500))] * records, OPEN, 0)
            up, down = proxy.moved["up"], proxy.moved["down"]
            await store.append(lease, 2, [draft(body=bytes(500))] * 2, OPEN, 0)
            assert proxy.moved["up"] - up <= 1000 + 600
            assert proxy.moved["down"] - down <= 100


async def test_calls_of_many_at_once_share_round_trips_and_get_their_own_answers(redis_server: RedisServer) -> None:
    async with _opened(redis_server.new_url()) as store:
        await asyncio.gather(*(make(store, f"log-{n}") for n in range(200)))
        await asyncio.gather(*(store.put(f"key-{n}", b"%d" % n) for n in range(200)))
        assert await asyncio.gather(*(store.get(f"key-{n}") for n in range(200))) == [b"%d" % n for n in range(200)]
        assert len(await store.find(limit=1000)) == 200


async def test_more_calls_than_may_wait_are_refused_at_once(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sulla.store.redis.client.MAX_WAITING", 3)
    async with _opened(redis_server.new_url()) as store:
        answers = await asyncio.gather(*(store.get("key") for _ in range(10)), return_exceptions=True)
        assert answers[:3] == [None] * 3
        assert all("calls wait for the store" in str(answer) for answer in answers[3:])
        await store.ping()


async def test_every_step_stays_in_one_slot_of_a_cluster() -> None:
    with running_redis(cluster_enabled="yes", databases="1") as server:
        with Redis.from_url(server.url()) as admin:
            for start in range(0, 16384, 1024):
                admin.execute_command("CLUSTER ADDSLOTS", *range(start, start + 1024))
            while admin.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
                pause()
        async with _opened(server.url()) as store:
            names = [*ODD_NAMES, "}", "}{", "%7D"]
            for name in names:
                await _whole_life(store, name)
            assert [info.key for info in await store.find()] == sorted(names)
            for name in names:
                await store.delete(present(await store.acquire(name, ME_LATER, 30)).lease)
            assert await store.find() == []


async def _whole_life(store: Store, name: str) -> None:
    await make(store, name, Head("thread", "suspended", due_ms=10**15))
    assert (await store.offer(name, "m1", draft(), digest=DIGEST)).seq == 2
    lease = present(await store.acquire(name, ME, 30, after=0)).lease
    await store.renew(lease)
    assert await write(store, lease, 1, "A", head=OPEN, claimed=2) == 3
    assert await store.append(lease, 2, [draft("B")], IDLE, 2, release=True) == 4
    await store.release(present(await store.acquire(name, ME_LATER, 30)).lease)
    assert await kinds(store, name) == ["CREATED", "INPUT", "A", "B"]
    assert present(await store.head(name)).held is False
    await store.put(name, b"value", 5)
    assert await store.swap(name, b"value", b"new", 5) is True
    assert await store.remove(name) is True


async def test_a_fence_holds_between_two_handles_on_one_server(redis_server: RedisServer) -> None:
    url = redis_server.new_url()
    async with _opened(url) as one, _opened(url) as two:
        await make(one)
        await send(two, "m1")
        lease = (await take(one)).lease
        assert await two.acquire(KEY, "home-b:1", 30) is None
        assert await write(one, lease, 1, "A") == 3
        assert isinstance(two._client, RedisClient)
        assert (await take(two, owner=ME_LATER)).lease.epoch == 2
