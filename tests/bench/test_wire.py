"""What goes over a counted wire is what was sent and what came back, and each answer that is waited for is a trip."""

from __future__ import annotations

import asyncio

from bench.wire import counted


async def test_bytes_count_each_way_and_what_is_sent_in_one_go_is_one_trip() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line * 3)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, counted(server.sockets[0].getsockname()[1]) as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        for _ in range(4):
            writer.write(b"hello\n")
            assert await reader.readexactly(18) == b"hello\n" * 3
        writer.write(b"one\ntwo\n")
        await reader.readexactly(24)
        assert (wire.sent, wire.got, wire.trips) == (4 * 6 + 8, 4 * 18 + 24, 5)
        writer.close()
        await writer.wait_closed()
        assert await reader.read() == b""


async def test_a_server_that_hangs_up_is_gone_for_whoever_uses_it() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server, counted(server.sockets[0].getsockname()[1]) as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        writer.write(b"hello\n")
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
