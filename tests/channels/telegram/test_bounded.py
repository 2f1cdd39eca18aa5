"""No answer of a server, however long, is read whole."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import suppress

import pytest

from sulla.channels.telegram.bounded import MOST_ANSWER_BYTES
from sulla.channels.telegram.channel import TelegramChannel
from sulla.channels.telegram.settings import TelegramOptions
from sulla.core.errors import Unavailable

PIECE = b"x" * 65_536


@pytest.mark.parametrize("header", ["", "Content-Encoding: gzip\r\n"])
async def test_an_answer_without_an_end_is_cut_off_and_a_packed_one_is_not_unpacked(header: str) -> None:
    sent: list[int] = []

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + header.encode() + b"\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(PIECE)
                await writer.drain()
                sent.append(len(PIECE))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    channel = TelegramChannel("1:token", TelegramOptions(api=f"http://127.0.0.1:{port}"))
    with pytest.raises(Unavailable):
        await channel.open()
    await channel.close()
    server.close()
    await server.wait_closed()
    assert sum(sent) < 2 * MOST_ANSWER_BYTES
