"""A server that dies, stands still, is emptied or takes no more: clients are told within a second, nothing acknowledged
is lost or done twice, and service is back soon after the server is.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from sulla.core.errors import SullaError
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend, postgres, redis
from tests.faults.conftest import new_database
from tests.faults.harness import Daemon, User
from tests.kits.points import turns
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.proxy import FaultProxy, Pass, Refuse, Slow, Stall
from tests.servers.script import Reply, Rule, Script
from tests.servers.stores.postgres import FAST, PostgresServer, running_postgres
from tests.servers.stores.redis import RedisServer
from tests.simulation.history import Acknowledged, History, ThreadHistory, breaches
from tests.soon import attempts

TOLD_S = 1.5
"""A client is told within a second; the rest is for a busy machine."""
BACK_S = 3.0
LEASE = {"SULLA_STORE__LEASE_TTL_S": "2", "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0"}
SLOW = Script([Rule(Reply("Noted. <AGENT_DONE>noted</AGENT_DONE>", delay_s=1.0))])


in_turn = turns(("killed", "frozen", "stopped", "cut", "stalled"), 2, "outages")


@dataclass(frozen=True, slots=True)
class Server:
    """A server of a test's own."""

    backend: Backend
    fail: Callable[[], None]
    mend: Callable[[], None]


@asynccontextmanager
async def serving(folder: Path, server: Server) -> AsyncIterator[Daemon]:
    async with (
        FakeAnthropic(SLOW, CLOCK) as fake,
        Daemon(folder / "home", fake.url, {**server.backend.settings, **LEASE}) as daemon,
    ):
        await daemon.start()
        yield daemon


async def outage(folder: Path, server: Server, seconds: float) -> None:
    """One turn under way and one that is asked for meanwhile, over a failure of the server."""
    async with serving(folder, server) as daemon:
        user = User(daemon.home)
        following = asyncio.ensure_future(user.run())
        async with CLOCK.timeout(60):
            while not any(event["type"] == "MODEL_STARTED" for event in user.seen.events):
                await CLOCK.sleep(0.01)
        async with open_client(door(daemon.home)) as client:
            other = (await client.call("thread.create", request_id="other"))["thread_id"]
            taken: list[Acknowledged] = []
            for late_s in attempts(0.0):  # whoever is told too late was told by a busy machine, or is so each time
                server.fail()
                failed_at = CLOCK.elapsed()
                assert (await until_refused(client, other)).retryable
                begun = CLOCK.elapsed()
                assert (await until_refused(client, other)).retryable
                refused = CLOCK.elapsed()
                await CLOCK.sleep(seconds)
                server.mend()
                mended = CLOCK.elapsed()
                taken.append(await until_taken(client, other, f"late_{len(taken)}"))
                noticed_s = begun - failed_at - 1.0  # half a second to notice, and the call itself
                late_s.append(max(noticed_s - TOLD_S, refused - begun - TOLD_S, CLOCK.elapsed() - mended - BACK_S))
        await following
        histories = []
        for thread_id, acknowledged in (
            (user.seen.thread_id, (Acknowledged(user.seen.message_id, user.seen.run_id),)),
            (other, tuple(taken)),
        ):
            log = await ended(server.backend, thread_id, acknowledged[-1].run_id)
            histories.append(ThreadHistory(thread_id, tuple(log), acknowledged))
    assert not breaches(History(tuple(histories)))


async def until_refused(client: Client, thread_id: str) -> SullaError:
    """Ask until it is refused: the first questions may still get through."""
    for number in count():
        try:
            await client.call("thread.history", thread_id=thread_id, after=0, limit=1)
        except SullaError as error:
            return error
        assert number < 1_000
        await CLOCK.sleep(0.01)
    raise AssertionError("unreachable")


async def until_taken(client: Client, thread_id: str, message_id: str = "late") -> Acknowledged:
    """Send until it is acknowledged, under one id."""
    while True:
        try:
            sent = await client.call("turn.send", thread_id=thread_id, message_id=message_id, text="still there?")
        except SullaError as error:
            if not error.retryable:
                raise
            await CLOCK.sleep(0.05)
        else:
            return Acknowledged(message_id, sent["run_id"], sent["seq"])


async def ended(backend: Backend, thread_id: str, run_id: str) -> list[Any]:
    """A thread's log, once a run has its end."""
    async with CLOCK.timeout(60):
        while True:
            log = await backend.read_log(thread_id)
            if any(entry.kind in ("RUN_FINISHED", "RUN_ERROR") and entry.data["run_id"] == run_id for entry in log):
                return log
            await CLOCK.sleep(0.1)


# ------------------------------------------------------------------------------------------------------- redis


def redis_of(server: RedisServer, fail: Callable[[], None], mend: Callable[[], None]) -> Server:
    return Server(redis(server.url()), fail, mend)


@in_turn("killed")
@pytest.mark.timeout(180)
async def test_a_redis_that_is_killed_and_started_again_loses_nothing(tmp_path: Path, own_redis: RedisServer) -> None:
    await outage(tmp_path, redis_of(own_redis, own_redis.kill, own_redis.start), seconds=1.0)


@in_turn("frozen")
@pytest.mark.timeout(180)
async def test_a_redis_that_stands_still_past_the_lease_loses_nothing(tmp_path: Path, own_redis: RedisServer) -> None:
    await outage(tmp_path, redis_of(own_redis, own_redis.freeze, own_redis.thaw), seconds=3.0)


def fill(admin: Redis) -> None:
    admin.config_set("maxmemory-policy", "noeviction")
    admin.config_set("maxmemory", "1mb")


def empty(admin: Redis) -> None:
    admin.config_set("maxmemory", "0")


def demote(admin: Redis) -> None:
    admin.replicaof("127.0.0.1", 1)


def promote(admin: Redis) -> None:
    admin.replicaof("NO", "ONE")


@pytest.mark.faults
@pytest.mark.timeout(180)
@pytest.mark.parametrize(("refuse", "allow"), [(fill, empty), (demote, promote)], ids=["memory", "read only"])
async def test_a_redis_that_takes_no_writes_refuses_visibly_and_goes_on(
    tmp_path: Path, own_redis: RedisServer, refuse: Callable[[Redis], None], allow: Callable[[Redis], None]
) -> None:
    server = redis_of(own_redis, lambda: None, lambda: None)
    async with serving(tmp_path, server) as daemon, open_client(door(daemon.home)) as client:
        thread = (await client.call("thread.create", request_id="one"))["thread_id"]
        with Redis.from_url(own_redis.url()) as admin:
            refuse(admin)
            with pytest.raises(SullaError) as caught:
                await client.call("turn.send", thread_id=thread, message_id="m", text="hi")
            assert caught.value.retryable
            allow(admin)
        told = await until_taken(client, thread)
        assert await ended(server.backend, thread, told.run_id)


@pytest.mark.timeout(180)
async def test_a_redis_that_is_emptied_is_told_to_everybody_who_follows_and_nothing_more_is_taken(
    tmp_path: Path, own_redis: RedisServer
) -> None:
    async with serving(tmp_path, redis_of(own_redis, lambda: None, lambda: None)) as daemon:
        async with open_client(door(daemon.home)) as client, CLOCK.timeout(60):
            thread = (await client.call("thread.create", request_id="one"))["thread_id"]
            await client.call("events.subscribe", thread_id=thread, after=0)
            await client.call("turn.send", thread_id=thread, message_id="m", text="hi")
            with Redis.from_url(own_redis.url()) as admin:
                admin.flushall()
            with pytest.raises(SullaError) as caught:
                async for _ in client.events():
                    pass
            assert caught.value.code in ("store_replaced", "not_found")
        async with open_client(door(daemon.home)) as client:
            with pytest.raises(SullaError, match="--accept-store"):
                await client.call("thread.create", request_id="two")
            assert (await client.call("system.status"))["degraded"]


# ---------------------------------------------------------------------------------------------------- postgres


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    with running_postgres(**{**FAST, "fsync": "on"}) as server:
        yield server


@in_turn("stopped")
@pytest.mark.timeout(180)
async def test_a_postgres_that_is_stopped_at_once_and_started_again_loses_nothing(
    tmp_path: Path, own_postgres: PostgresServer
) -> None:
    backend = postgres(new_database(own_postgres, 0))
    await outage(tmp_path, Server(backend, partial(own_postgres.stop, signal.SIGQUIT), own_postgres.start), seconds=1.0)


# ------------------------------------------------------------------------------------------------------- links


Fault = Callable[[FaultProxy], Awaitable[object]]


async def cut(proxy: FaultProxy) -> None:
    proxy.cut()
    await proxy.switch(Refuse())


async def stall(proxy: FaultProxy) -> None:
    await proxy.switch(Stall())


async def crawl(proxy: FaultProxy) -> None:
    await proxy.switch(Slow(bytes_per_s=20))


async def linked(folder: Path, port: int, backend: Callable[[int], Backend], fault: Fault) -> None:
    """An outage of the link to a server, as the daemon sees it; the judge has a link of its own."""
    async with FaultProxy(port, CLOCK) as proxy:
        seen = backend(proxy.port)
        direct = backend(port)
        running: list[asyncio.Task[object]] = []

        def during(change: Callable[[FaultProxy], Awaitable[object]]) -> None:
            running.append(asyncio.ensure_future(change(proxy)))

        server = Server(
            Backend(seen.name, seen.settings, direct.make),
            fail=partial(during, fault),
            mend=partial(during, lambda found: found.switch(Pass())),
        )
        await outage(folder, server, seconds=1.0)
        await asyncio.gather(*running)


def rare(fault: Fault) -> Any:
    """For the whole run of the faults: what differs little from what every run of the suite shows."""
    return pytest.param(fault, marks=pytest.mark.faults)


@in_turn("cut")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("fault", [cut, rare(stall), rare(crawl)])
async def test_a_bad_link_to_redis_loses_nothing(tmp_path: Path, own_redis: RedisServer, fault: Fault) -> None:
    await linked(tmp_path, own_redis.port, lambda port: redis(f"redis://127.0.0.1:{port}/0"), fault)


@in_turn("stalled")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("fault", [rare(cut), stall, rare(crawl)])
async def test_a_bad_link_to_postgres_loses_nothing(tmp_path: Path, own_postgres: PostgresServer, fault: Fault) -> None:
    url = new_database(own_postgres, 1)
    own = str(own_postgres.port)
    await linked(tmp_path, own_postgres.port, lambda port: postgres(url.replace(own, str(port))), fault)
