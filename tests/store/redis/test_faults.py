"""The Redis backend keeps its word when its server dies, hangs, fills up, is emptied, or answers nobody."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
from redis import Redis

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, SettingsError, StaleLease, StoreUnavailable
from sulla.host.system import SystemClock, random_id
from sulla.store.base import Store
from sulla.store.redis.client import CALL_S
from sulla.store.redis.store import RedisStore
from sulla.store.values import Offered
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.kits.store_world import DIGEST, IDLE, KEY, ME, OPEN, TTL_S, draft, kinds, make, present, send, take, write
from tests.servers.not_run import free_port
from tests.servers.proxy import CutAfter, FaultProxy, Refuse, Stall
from tests.servers.stores.redis import RedisServer, own_redis, redis_server, running_redis
from tests.soon import PATIENCE_S, PatientClock, attempts

pytestmark = in_turn(3)

__all__ = ["own_redis", "redis_server"]

CLOCK = PatientClock()
SLACK_S = 0.6
"""What a busy machine may add to a deadline."""


@pytest.fixture(params=[True, False], ids=["direct", "library"], autouse=True)
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds whether or not the store writes past redis-py."""
    monkeypatch.setattr(f"{__name__}.RedisStore", partial(RedisStore, direct=request.param))


@asynccontextmanager
async def opened(url: str, clock: Clock = CLOCK) -> AsyncIterator[RedisStore]:
    """A backend on real time; a patient one, unless another clock is given."""
    store = RedisStore(url, clock, random_id)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def store(own_redis: RedisServer) -> AsyncIterator[RedisStore]:
    """On a server of the test's own."""
    async with opened(own_redis.url()) as store:
        yield store


@pytest.fixture
def admin(own_redis: RedisServer) -> Redis:
    """Somebody who may do anything to that server."""
    return Redis.from_url(own_redis.url())


async def _took_s(call: Awaitable[object], match: str) -> float:
    """How long a call took to fail."""
    began = CLOCK.elapsed()
    with pytest.raises(StoreUnavailable, match=match) as raised:
        await call
    assert raised.value.retryable
    return CLOCK.elapsed() - began


# ------------------------------------------------------------------------------------------------------- beginnings


async def test_a_server_that_is_not_there_is_named_with_the_reason_and_a_remedy() -> None:
    port = free_port()
    store = RedisStore(f"redis://sulla:hunter2@127.0.0.1:{port}/3", SystemClock(), random_id)
    with pytest.raises(StoreUnavailable) as raised:
        await store.open()
    said = raised.value.message
    assert f"redis://sulla:***@127.0.0.1:{port}/3" in said
    assert "start it, or check the URL" in said
    assert "Connect call failed" in said or "Error 111" in said
    assert "hunter2" not in said


async def test_a_wrong_password_is_told_from_a_server_that_is_away_and_not_repeated() -> None:
    with running_redis(requirepass="correct") as server:
        for url in (server.url().replace("correct", "hunter2"), server.url().replace(":correct@", "")):
            with pytest.raises(StoreUnavailable, match="password") as raised:
                await RedisStore(url, CLOCK, random_id).open()
            assert "hunter2" not in raised.value.message
        async with opened(server.url()) as store:
            await store.ping()


async def test_a_server_that_throws_things_away_when_it_is_full_is_refused(store: RedisStore, admin: Redis) -> None:
    admin.config_set("maxmemory", "100mb")
    admin.config_set("maxmemory-policy", "allkeys-lru")
    again = RedisStore(store.where, CLOCK, random_id)
    with pytest.raises(StoreUnavailable, match="set maxmemory-policy noeviction"):
        await again.open()
    admin.config_set("maxmemory-policy", "noeviction")
    await again.open()
    await again.close()


async def test_a_server_that_forgets_at_its_end_is_worth_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with running_redis(appendonly="no") as server, caplog.at_level(logging.WARNING):
        async with opened(server.url()):
            assert "keeps no append-only file" in caplog.text


async def test_a_replica_is_refused(own_redis: RedisServer, admin: Redis) -> None:
    admin.replicaof("127.0.0.1", 1)
    with pytest.raises(StoreUnavailable, match="name the primary"):
        async with opened(own_redis.url()):
            pytest.fail("a replica was taken")


# ------------------------------------------------------------------------------------------------- away and back


async def test_what_was_answered_is_there_after_a_kill_and_service_is_back_with_the_server() -> None:
    with running_redis(appendfsync="always") as server:
        async with opened(server.url()) as store:
            await make(store)
            lease = (await take(store)).lease
            await write(store, lease, 1, "A", head=OPEN)
            await send(store, "m1")
            await store.put("key", b"value")
            incarnation = await store.incarnation()
            server.kill()
            for took in attempts(1.0):
                took.append(await _took_s(send(store, "m2"), "cannot be reached"))
            server.start()
            # At once: nobody has to notice first that it is back.
            assert (await store.offer(KEY, "m1", draft(body=b"m1"), digest=DIGEST)).first is False
            assert await write(store, lease, 1, "A", head=OPEN) == 2
            assert await write(store, lease, 2, "B") == 4
            assert await kinds(store) == ["CREATED", "A", "INPUT", "B"]
            assert await store.get("key") == b"value"
            assert await store.incarnation() == incarnation


async def test_a_server_that_hangs_is_reported_within_a_second_and_used_again_when_it_goes_on(
    own_redis: RedisServer,
) -> None:
    async with opened(own_redis.url(), clock := PatientClock()) as store:
        await make(store)
        own_redis.freeze()
        clock.patience_s = 0.0
        try:
            for took in attempts(CALL_S + SLACK_S):
                calls = [_took_s(send(store, f"m{n}"), f"no answer within {CALL_S:g} s") for n in range(5)]
                took.append(max(await asyncio.gather(*calls)))
            for took in attempts(CALL_S + SLACK_S):
                took.append(await _took_s(store.ping(), "no answer"))
        finally:
            own_redis.thaw()
        clock.patience_s = PATIENCE_S
        # What was on its way may have been carried out: with the same ids it is kept once.
        for n in range(5):
            await send(store, f"m{n}")
        assert await kinds(store) == ["CREATED", *["INPUT"] * 5]


async def test_a_network_that_swallows_everything_is_no_different(redis_server: RedisServer) -> None:
    async with FaultProxy(redis_server.port, SystemClock()) as proxy:
        url = redis_server.new_url().replace(str(redis_server.port), str(proxy.port))
        async with opened(url, clock := PatientClock()) as store:
            await make(store)
            await proxy.switch(Stall())
            clock.patience_s = 0.0
            for took in attempts(CALL_S + SLACK_S):
                took.append(await _took_s(send(store, "m1"), "no answer within"))
            clock.patience_s = PATIENCE_S
            await proxy.switch(Refuse())
            proxy.cut()
            for took in attempts(CALL_S + SLACK_S):
                took.append(await _took_s(send(store, "m1"), "cannot be reached"))


@pytest.mark.parametrize("lost", range(0, 200, 25))
async def test_a_call_whose_answer_was_cut_off_is_kept_once_when_repeated(redis_server: RedisServer, lost: int) -> None:
    async with FaultProxy(redis_server.port, SystemClock()) as proxy:
        url = redis_server.new_url().replace(str(redis_server.port), str(proxy.port))
        async with opened(url) as store:
            await make(store)
            lease = (await take(store)).lease
            steps: tuple[Callable[[], Awaitable[object]], ...] = (
                lambda: send(store, "m1"),
                lambda: write(store, lease, 1, "A", "B", head=OPEN),
                lambda: store.append(lease, 2, [draft("C")], IDLE, 5, release=True),
            )
            answers = []
            for step in steps:
                await proxy.switch(CutAfter(lost, "up"))
                try:
                    answers.append(await step())
                except StoreUnavailable:
                    answers.append(await step())
            assert answers == [2, 4, 5]
            assert await kinds(store) == ["CREATED", "INPUT", "A", "B", "C"]
            assert [info.key for info in await store.find()] == [KEY]


async def test_a_server_that_forgot_the_scripts_is_taught_again_and_nothing_is_done_twice(
    store: RedisStore, admin: Redis
) -> None:
    await make(store)
    admin.script_flush()
    assert await store.offer(KEY, "m1", draft(), digest=DIGEST) == Offered(2, first=True)
    admin.script_flush()
    assert [info.key for info in await store.find(ready=True)] == [KEY]


# ------------------------------------------------------------------------------------------- emptied, full, damaged


async def test_an_emptied_store_is_never_read_as_an_empty_one(
    own_redis: RedisServer, store: RedisStore, admin: Redis
) -> None:
    await make(store, head=OPEN)
    lease = (await take(store)).lease
    known = await store.incarnation()
    admin.flushall()
    for call in (
        store.ping(), store.head(KEY), store.read(KEY), store.find(), store.find(ready=True), store.get("key"),
        store.acquire(KEY, ME, TTL_S), store.renew(lease), write(store, lease, 1, "A"), send(store, "m1"),
        store.offer("new", "m1", draft(), digest=DIGEST, create=IDLE), store.delete(lease),
    ):  # fmt: skip
        with pytest.raises(StoreUnavailable, match=f"was emptied or exchanged: it was '{known}'"):
            await call
    assert await store.incarnation() == ""
    async with opened(own_redis.url()) as next_one:
        assert await next_one.incarnation() not in ("", known)
        with pytest.raises(StoreUnavailable, match="was emptied or exchanged"):
            await store.ping()


async def test_a_full_server_refuses_what_it_cannot_keep_and_goes_on_reading(store: RedisStore, admin: Redis) -> None:
    await make(store)
    lease = (await take(store)).lease
    admin.config_set("maxmemory-policy", "noeviction")
    admin.config_set("maxmemory", "1")
    changes = (
        send(store, "m1"),
        write(store, lease, 1, "A", head=OPEN),
        store.put("key", b"value"),
        store.swap("key", None, b"value"),
    )
    for call in changes:
        with pytest.raises(StoreUnavailable, match="is full"):
            await call
    assert await store.get("key") is None
    assert await kinds(store) == ["CREATED"]
    assert present(await store.head(KEY)).head == IDLE
    admin.config_set("maxmemory", "0")
    assert await write(store, lease, 1, "A") == 2
    assert await send(store, "m1") == 3


async def test_a_primary_that_became_a_replica_is_written_to_no_more(store: RedisStore, admin: Redis) -> None:
    await make(store)
    admin.replicaof("127.0.0.1", 1)
    with pytest.raises(StoreUnavailable, match="read-only replica: name the primary"):
        await send(store, "m1")
    admin.replicaof("NO", "ONE")
    assert await send(store, "m1") == 2


@pytest.mark.parametrize("damage", ["delete", "rpop"])
async def test_records_that_are_missing_are_damage_and_no_shorter_log(
    store: RedisStore, admin: Redis, damage: str
) -> None:
    await make(store)
    lease = (await take(store)).lease
    getattr(admin, damage)(f"sulla:threadstate:{{{KEY}}}:log")
    for call in (store.read(KEY), store.read(KEY, reverse=True), write(store, lease, 1, "A"), send(store, "m1")):
        with pytest.raises(CorruptRecord, match="counts 1 records, and 0 are there"):
            await call


@pytest.mark.parametrize(("field", "value"), [("status", "odd"), ("last", "x"), ("owner", b"\xff")])
async def test_a_damaged_head_is_reported_and_never_read_as_something_else(
    store: RedisStore, admin: Redis, field: str, value: str | bytes
) -> None:
    await make(store)
    admin.hset(f"sulla:threadstate:{{{KEY}}}:head", field, value)
    with pytest.raises(CorruptRecord, match="a head in Redis is damaged"):
        await store.head(KEY)


async def test_a_lock_that_somebody_removed_lets_others_in_but_never_the_late_one_write(
    store: RedisStore, admin: Redis
) -> None:
    await make(store)
    late = (await take(store)).lease
    admin.delete(f"sulla:lock:{{{KEY}}}")
    await take(store, owner="home-b:1")
    with pytest.raises(StaleLease):
        await write(store, late, 1, "LATE")


# --------------------------------------------------------------------------------------------------------- its URL


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://:hunter2@host/main", "'main' is no database"),
        ("redis://:hunter2@host:none", "expected redis://"),
        ("redis://:hunter2@host?colour=red", "'colour' is not known"),
        ("unix://:hunter2@", "there is no path to a socket"),
        ("http://:hunter2@host", "expected redis://"),
    ],
)
def test_a_url_that_is_none_is_refused_without_repeating_its_password(url: str, said: str) -> None:
    with pytest.raises(SettingsError) as raised:
        RedisStore(url, SystemClock(), random_id)
    assert said in raised.value.message
    assert "hunter2" not in raised.value.message


async def test_a_socket_of_this_machine_will_do(own_redis: RedisServer) -> None:
    with running_redis(unixsocket="redis.sock") as server:
        async with opened(f"unix://{server.folder}/redis.sock?db=2") as store:
            await make(store)
        async with opened(server.url(2)) as store:
            assert await _is_there(store)


async def _is_there(store: Store) -> bool:
    return await store.head(KEY) is not None


async def test_the_permissions_that_the_documentation_names_are_enough(own_redis: RedisServer, admin: Redis) -> None:
    text = (ROOT / "docs/redis.md").read_text()
    (listed,) = re.findall(r"the user needs `([^`]+)`", text)
    admin.execute_command("ACL SETUSER", "sulla", "on", ">secret", "resetchannels", *listed.split())  # type: ignore[no-untyped-call]  # redis-py's
    async with opened(own_redis.url().replace("redis://", "redis://sulla:secret@")) as store:
        async with opened(own_redis.url()) as other, other.subscribe("a") as heard:
            store.publish("a", b"hello")
            assert await anext(aiter(heard)) == b"hello"
        async with store.subscribe("a"):
            await make(store)
            await send(store, "m1")
        lease = (await take(store, after=0)).lease
        await store.renew(lease)
        await write(store, lease, 1, "A", head=OPEN)
        assert [info.key for info in await store.find(ready=True)] == [KEY]
        await store.put("key", b"value", 5)
        assert await store.swap("key", b"value", b"new", 5) is True
        assert await store.remove("key")
        assert await kinds(store) == ["CREATED", "INPUT", "A"]
        await store.delete(lease)
    admin.execute_command("ACL SETUSER", "sulla", "-evalsha")  # type: ignore[no-untyped-call]  # redis-py's
    async with opened(own_redis.url().replace("redis://", "redis://sulla:secret@")) as store:
        with pytest.raises(StoreUnavailable, match="may not run the commands that Sulla needs"):
            await send(store, "m1")
