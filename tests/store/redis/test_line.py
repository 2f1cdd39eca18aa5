"""Both lines to Redis do the same: answers in order, refusals in the server's words, an end for all who wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Disconnected

from sulla.store.redis.client import connect
from sulla.store.redis.line import RedisLine, RedisRefusal, Reply
from sulla.store.redis.line_direct import DirectLine
from sulla.store.redis.line_library import LibraryLine
from sulla.store.redis.url import address_of
from tests.servers.stores.redis import RedisServer, redis_server
from tests.soon import PATIENCE_S

__all__ = ["redis_server"]

REFUSED = {
    ("EVALSHA", "0" * 40, 0): "NOSCRIPT ",
    ("NO-SUCH-COMMAND",): "ERR unknown command",
    ("EVAL", "return redis.error_reply('CORRUPT it is')", 0): "CORRUPT it is",
    ("EVAL", "return redis.error_reply('READONLY it is')", 0): "READONLY it is",
    ("EVAL", "return redis.error_reply('OOM it is')", 0): "OOM it is",
    ("EVAL", "return redis.error_reply('LOADING it is')", 0): "LOADING it is",
    ("EVAL", "return redis.error_reply('NOAUTH it is')", 0): "NOAUTH it is",
}


@pytest.fixture(params=[True, False], ids=["direct", "library"])
async def line(request: pytest.FixtureRequest, redis_server: RedisServer) -> AsyncIterator[RedisLine]:
    line = await connect(address_of(redis_server.new_url(), direct=request.param))
    assert isinstance(line, DirectLine if request.param else LibraryLine)
    yield line
    await line.close()


async def test_a_refusal_is_an_answer_in_the_servers_own_words(line: RedisLine) -> None:
    for command, words in REFUSED.items():
        before, refusal, after = await line.ask([("ECHO", "a"), command, ("ECHO", "b")])
        assert (before, after) == (b"a", b"b")
        assert isinstance(refusal, RedisRefusal)
        assert str(refusal).startswith(words)
    assert line.error is None


async def test_many_at_once_get_their_own_answers(line: RedisLine) -> None:
    asked = [line.ask([("ECHO", f"{number} {part}") for part in range(3)]) for number in range(200)]
    for number, answers in enumerate(await asyncio.gather(*asked)):
        assert answers == [b"%d %d" % (number, part) for part in range(3)]


async def test_a_caller_who_goes_away_takes_nothing_back_and_nobodys_answer(line: RedisLine) -> None:
    gone = [asyncio.ensure_future(line.ask([("INCR", "key")])) for _ in range(5)]
    await asyncio.sleep(0)
    for one in gone:
        one.cancel()
    assert await line.ask([("GET", "key"), ("ECHO", "mine")]) == [b"5", b"mine"]
    await asyncio.wait_for(line.settle(), PATIENCE_S)


async def test_a_large_command_and_a_large_answer_go_through(line: RedisLine) -> None:
    large = bytes(8 * 2**20)
    assert await asyncio.wait_for(line.ask([("SET", "key", large), ("GET", "key")]), PATIENCE_S) == [b"OK", large]


async def test_who_waits_is_told_when_it_is_closed_and_nobody_can_ask_any_more(line: RedisLine) -> None:
    waiting = asyncio.ensure_future(line.ask([("BLPOP", "nothing", 0)]))
    await asyncio.sleep(0)
    await line.close()
    with pytest.raises(Disconnected, match="closed on this side"):
        await waiting
    await asyncio.wait_for(line.ended(), PATIENCE_S)
    with pytest.raises(Disconnected, match="closed on this side"):
        line.send([("PING",)])


async def test_who_waits_is_told_when_the_server_ends_it(line: RedisLine, redis_server: RedisServer) -> None:
    (number,) = await line.ask([("CLIENT", "ID")])
    waiting = asyncio.ensure_future(line.ask([("BLPOP", "nothing", 0)]))
    await asyncio.sleep(0)
    with Redis.from_url(redis_server.url()) as admin:
        admin.execute_command("CLIENT", "KILL", "ID", number)
    with pytest.raises(Disconnected):
        await asyncio.wait_for(waiting, PATIENCE_S)
    await asyncio.wait_for(line.ended(), PATIENCE_S)
    assert line.error is not None
    with pytest.raises(Disconnected):
        line.send([("PING",)])


async def test_what_is_told_without_having_been_asked_for_reaches_the_listener(
    redis_server: RedisServer,
) -> None:
    for direct in (True, False):
        heard: asyncio.Queue[Reply] = asyncio.Queue()
        address = address_of(redis_server.new_url(), direct=direct)
        listener = await connect(address, heard.put_nowait)
        listener.send([("SUBSCRIBE", "channel")])
        assert await asyncio.wait_for(heard.get(), PATIENCE_S) == [b"subscribe", b"channel", 1]
        speaker = await connect(address)
        await speaker.ask([("PUBLISH", "channel", b"one"), ("PUBLISH", "channel", b"two")])
        found = [await asyncio.wait_for(heard.get(), PATIENCE_S) for _ in range(2)]
        assert found == [[b"message", b"channel", word] for word in (b"one", b"two")]
        await speaker.close()
        await listener.close()


async def test_who_waits_is_told_why_it_was_closed(line: RedisLine) -> None:
    waiting = asyncio.ensure_future(line.ask([("BLPOP", "nothing", 0)]))
    await asyncio.sleep(0)
    await line.close("no answer within 0.9 s")
    with pytest.raises(Disconnected, match=r"no answer within 0\.9 s"):
        await waiting
