"""What one daemon says, the others hear: in order, once, live, and without a table that grows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from sulla.host.system import SystemClock, random_id
from sulla.store.base import Subscription
from sulla.store.postgres import bus
from sulla.store.postgres.store import PostgresStore
from sulla.store.values import MAX_PUBLISH_BYTES
from tests.servers.stores.postgres import PostgresServer
from tests.soon import a_pause

DELTAS = 500


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """An empty database."""
    return postgres_server.emptied()


async def _opened(url: str, schema: str = "sulla") -> AsyncIterator[PostgresStore]:
    store = PostgresStore(url, SystemClock(), random_id, schema=schema, answer_s=30)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def here(url: str) -> AsyncIterator[PostgresStore]:
    """One daemon's handle."""
    async for store in _opened(url):
        yield store


@pytest.fixture
async def there(url: str) -> AsyncIterator[PostgresStore]:
    """Another daemon's."""
    async for store in _opened(url):
        yield store


async def _next(heard: Subscription) -> bytes:
    async with asyncio.timeout(20):
        return await anext(aiter(heard))


async def test_live_deltas_arrive_elsewhere_in_order_and_here_once(here: PostgresStore, there: PostgresStore) -> None:
    async with there.subscribe("channel") as far, here.subscribe("channel") as near:
        for n in range(DELTAS):
            here.publish("channel", b"%d" % n)
            await asyncio.sleep(0)
        here.publish("channel", b"end")
        wanted = [*(b"%d" % n for n in range(DELTAS)), b"end"]
        assert [await _next(far) for _ in wanted] == wanted
        assert far.lagged is False
        there.publish("channel", b"answer")
        assert [await _next(near) for _ in [*wanted, b"answer"]] == [*wanted, b"answer"], "nothing of its own came back"


async def test_the_largest_messages_travel_byte_by_byte(here: PostgresStore, there: PostgresStore) -> None:
    payloads = [bytes(range(256)) * (MAX_PUBLISH_BYTES // 256), b"", b"\0"]
    async with there.subscribe("ключ") as heard:
        for payload in payloads * 100:
            here.publish("ключ", payload)
        assert [await _next(heard) for _ in payloads * 100] == payloads * 100


async def test_only_who_listens_hears_and_channels_that_share_a_mark_do_not_meet(
    here: PostgresStore, there: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "_mark", lambda channel: "00000000")
    async with there.subscribe("a") as heard:
        here.publish("b", b"not this")
        here.publish("a", b"this")
        assert await _next(heard) == b"this"


async def test_what_can_be_nobodys_channel_is_no_harm(here: PostgresStore, there: PostgresStore) -> None:
    async with there.subscribe("channel") as heard:
        for channel in ("", "\0", "\ud800", "x" * 5000):
            here.publish(channel, b"lost")
        here.publish("channel", b"heard")
        assert await _next(heard) == b"heard"


async def test_what_a_stranger_notifies_is_no_harm(here: PostgresStore, there: PostgresStore, url: str) -> None:
    async with there.subscribe("channel") as heard:
        with psycopg.connect(url, autocommit=True) as server:
            for said in ("", "hello", "a b", "somebody 99999999999 00000000", "somebody 1"):
                server.execute("SELECT pg_notify('sulla:sulla', %s)", (said,))
        here.publish("channel", b"ours")
        assert await _next(heard) == b"ours"


async def test_stores_of_one_database_do_not_hear_each_other(
    url: str, here: PostgresStore, there: PostgresStore
) -> None:
    async for other in _opened(url, schema="other"):
        async with there.subscribe("channel") as heard, other.subscribe("channel") as apart:
            here.publish("channel", b"ours")
            assert await _next(heard) == b"ours"
            other.publish("channel", b"theirs")
            here.publish("channel", b"ours again")
            assert await _next(heard) == b"ours again"
            assert await _next(apart) == b"theirs"


async def test_nobody_who_is_slow_or_absent_holds_up_who_speaks(here: PostgresStore, there: PostgresStore) -> None:
    async with there.subscribe("channel") as slow:
        for n in range(20_000):
            here.publish("channel", b"%d" % n)  # More than waits for the mouth: the oldest are lost.
        here.publish("channel", b"end")
        heard = b""
        while heard != b"end":
            heard = await _next(slow)


async def test_what_was_said_does_not_stay(
    here: PostgresStore, there: PostgresStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "KEPT_S", 0.05)
    async with there.subscribe("channel") as heard:
        with psycopg.connect(url, autocommit=True) as server:
            most = 0
            for n in range(50):
                here.publish("channel", b"%d" % n)
                assert await _next(heard) == b"%d" % n
                most = max(most, _rows(server))
            async with asyncio.timeout(20):
                while _rows(server):
                    await a_pause()
    assert most < 50


def _rows(server: psycopg.Connection) -> int:
    found = server.execute("SELECT count(*) FROM sulla.bus").fetchone()
    assert found is not None
    return int(found[0])


async def test_an_ear_that_hears_nothing_for_long_sees_whether_it_still_can(
    url: str, there: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "PULSE_S", 0.5)
    async for here in _opened(url):
        async with here.subscribe("channel") as heard:
            with psycopg.connect(url, autocommit=True) as server:
                async with asyncio.timeout(20):
                    while not _pulses(server):
                        await a_pause()
            there.publish("channel", b"still there")
            assert await _next(heard) == b"still there"
            assert heard.lagged is False


def _pulses(server: psycopg.Connection) -> int:
    found = server.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sulla' AND query = 'SELECT 1' "
        "AND datname = current_database()"
    ).fetchone()
    assert found is not None
    return int(found[0])
