"""The fault proxy between a real client and a real echo server."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from tests.servers.proxy import MAX_LINKS, CutAfter, FaultProxy, Pass, Refuse, Slow, Stall

CLOCK = SystemClock()


class Echo:
    """Sends back what it gets, and remembers it."""

    def __init__(self) -> None:
        self.heard = bytearray()
        self.resets = 0
        self.news = asyncio.Event()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                self.heard += data
                self.news.set()
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            self.resets += 1
        finally:
            self.news.set()
            writer.close()

    async def until(self, size: int) -> None:
        while len(self.heard) < size:
            self.news.clear()
            await self.news.wait()


@asynccontextmanager
async def proxied(clock: SystemClock | ManualClock = CLOCK) -> AsyncIterator[tuple[Echo, FaultProxy]]:
    echo = Echo()
    async with asyncio.timeout(50), await asyncio.start_server(echo.serve, "127.0.0.1", 0) as server:
        echo.port = server.sockets[0].getsockname()[1]
        async with FaultProxy(echo.port, clock) as proxy:
            yield echo, proxy


class Client:
    """One connection through the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def hear(self, size: int) -> bytes:
        return await self.reader.readexactly(size)


@asynccontextmanager
async def connected(proxy: FaultProxy) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


async def test_bytes_pass_both_ways_and_are_counted() -> None:
    async with proxied() as (_, proxy), connected(proxy) as client:
        await client.say(b"hello")
        assert await client.hear(5) == b"hello"
        assert (proxy.moved, proxy.accepted, proxy.links) == ({"up": 5, "down": 5}, 1, 1)


async def test_more_than_all_buffers_hold_passes_whole() -> None:
    data = bytes(range(256)) * 8192
    async with proxied() as (echo, proxy), connected(proxy) as client, asyncio.TaskGroup() as group:
        group.create_task(client.say(data))
        assert await client.hear(len(data)) == data
        assert echo.heard == data


async def test_the_end_of_what_a_client_says_is_passed_on_and_the_answer_still_comes() -> None:
    async with proxied() as (_, proxy), connected(proxy) as client:
        await client.say(b"all")
        client.writer.write_eof()
        assert await client.reader.read() == b"all"
        await proxy.until(lambda seen: seen.links == 0)


@pytest.mark.parametrize("reset", [True, False])
async def test_a_cut_ends_both_sides_as_asked(*, reset: bool) -> None:
    async with proxied() as (echo, proxy), connected(proxy) as client:
        await client.say(b"x")
        await client.hear(1)
        assert proxy.cut(reset=reset) == 1
        if reset:
            with pytest.raises(ConnectionResetError):
                await client.reader.read()
        else:
            assert await client.reader.read() == b""
        await proxy.until(lambda seen: seen.links == 0)
        async with connected(proxy) as second:  # the next one gets through
            await second.say(b"y")
            assert await second.hear(1) == b"y"
        assert (echo.resets, proxy.cuts) == (int(reset), 1)


async def test_a_stalled_connection_is_open_and_silent_and_goes_on_where_it_stood() -> None:
    async with proxied() as (echo, proxy), connected(proxy) as client:
        await client.say(b"before")
        await client.hear(6)
        await proxy.switch(Stall())
        await client.say(b"after")
        async with connected(proxy) as second:  # accepted, and nobody answers
            await proxy.until(lambda seen: seen.accepted == 2)
            await second.say(b"anyone?")
            assert (bytes(echo.heard), proxy.moved["up"]) == (b"before", 6)
            await proxy.switch(Pass())
            assert await client.hear(5) == b"after"
            assert await second.hear(7) == b"anyone?"


async def test_a_stalled_connection_can_be_cut() -> None:
    async with proxied() as (_, proxy), connected(proxy) as client:
        await proxy.switch(Stall())
        await client.say(b"lost")
        await proxy.until(lambda seen: seen.links == 1)
        proxy.cut()
        with pytest.raises(ConnectionResetError):
            await client.hear(1)


async def test_a_slow_connection_moves_so_many_bytes_a_second() -> None:
    clock = ManualClock()
    async with proxied(clock) as (echo, proxy), connected(proxy) as client:
        await proxy.switch(Slow(100))
        await client.say(b"x" * 100)
        before = clock.elapsed()
        while len(echo.heard) < 100:
            await clock.advance(0.01)
        assert clock.elapsed() - before == pytest.approx(1.0, abs=0.1)
        await proxy.switch(Pass())
        while proxy.moved["down"] < 100:
            await clock.advance(0.01)
        assert await client.hear(100) == b"x" * 100


async def test_a_reply_is_lost_after_the_server_did_what_it_was_asked() -> None:
    async with proxied() as (echo, proxy), connected(proxy) as client:
        await proxy.switch(CutAfter(0, "down"))
        await client.say(b"do it")
        with pytest.raises(ConnectionResetError):
            await client.hear(1)
        assert bytes(echo.heard) == b"do it"
        assert proxy.fault == Pass()


async def test_a_connection_is_cut_after_so_many_bytes_of_the_reply_and_those_arrive() -> None:
    async with proxied() as (_, proxy), connected(proxy) as client:
        await client.say(b"first")
        await client.hear(5)
        await proxy.switch(CutAfter(3, "down"))
        await client.say(b"second")
        assert await client.reader.read() == b"sec"


async def test_a_server_gets_no_more_than_the_bytes_before_the_cut() -> None:
    async with proxied() as (echo, proxy), connected(proxy) as client:
        await proxy.switch(CutAfter(4, "up"))
        await client.say(b"torn request")
        await proxy.until(lambda seen: seen.cuts == 1 and seen.links == 0)
        await echo.until(4)
        assert bytes(echo.heard) == b"torn"


async def test_every_connection_is_cut_if_no_number_of_times_is_given() -> None:
    async with proxied() as (_, proxy):
        await proxy.switch(CutAfter(2, "down", times=None))
        for _ in range(3):
            async with connected(proxy) as client:
                await client.say(b"abc")
                assert await client.reader.read() == b"ab"
        assert proxy.cuts == 3


async def test_while_it_refuses_nobody_gets_in_open_connections_go_on_and_the_port_stays_its_own() -> None:
    async with proxied() as (_, proxy), connected(proxy) as client:
        await client.say(b"in")
        await client.hear(2)
        port = proxy.port
        await proxy.switch(Refuse())
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(proxy.host, port)
        await client.say(b"still")
        assert await client.hear(5) == b"still"
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind((proxy.host, port))
        await proxy.switch(Pass())
        async with connected(proxy) as second:
            await second.say(b"again")
            assert await second.hear(5) == b"again"
        assert proxy.port == port


async def test_a_server_that_is_gone_looks_like_a_reset_and_nothing_is_logged_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        async with asyncio.timeout(50), FaultProxy(nobody.getsockname()[1], CLOCK) as proxy:
            reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
            with pytest.raises(ConnectionResetError):
                await reader.read()
            writer.close()
    await ManualClock().settle()
    assert caplog.records == []


async def test_a_reset_by_the_server_is_passed_on() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        linger = struct.pack("ii", 1, 0)  # closing is a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.close()

    async with (
        asyncio.timeout(50),
        await asyncio.start_server(hang_up, "127.0.0.1", 0) as server,
        FaultProxy(server.sockets[0].getsockname()[1], CLOCK) as proxy,
        connected(proxy) as client,
    ):
        await client.say(b"x")
        with pytest.raises(ConnectionResetError):
            await client.reader.read()


async def test_connections_beyond_the_bound_are_reset() -> None:
    async with proxied() as (_, proxy):
        await proxy.switch(Stall())
        open_ones = [await asyncio.open_connection(proxy.host, proxy.port) for _ in range(MAX_LINKS)]
        await proxy.until(lambda seen: seen.links == MAX_LINKS)
        reader, writer = await asyncio.open_connection(proxy.host, proxy.port)
        with pytest.raises(ConnectionResetError):
            await reader.read()
        for _, one in (*open_ones, (reader, writer)):
            one.close()


@pytest.mark.parametrize("fault", [Slow(0), CutAfter(-1), CutAfter(1, times=0)])
async def test_faults_that_make_no_sense_are_refused(fault: Slow | CutAfter) -> None:
    async with FaultProxy(1, CLOCK) as proxy:
        with pytest.raises(ValueError, match="expected"):
            await proxy.switch(fault)


async def test_leaving_the_block_ends_every_connection() -> None:
    async with proxied() as (_, proxy):
        pass
    with pytest.raises(RuntimeError, match="not running"):
        _ = proxy.port
