"""What is no request of the rehearsal does its service no harm."""

from __future__ import annotations

import asyncio

import pytest

from sulla.daemon.models.one_line_service import one_line_service

NO_ANSWER = {
    "another path": (b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n", b"HTTP/1.1 404 Not Found"),
    "no number": (b"POST /api/chat HTTP/1.1\r\ncontent-length: many\r\n\r\n", b""),
    "a body that does not come": (b"POST /api/chat HTTP/1.1\r\ncontent-length: 9\r\n\r\n{}", b""),
    "a head without an end": (b"x" * 100_000, b""),
    "nothing": (b"", b""),
}


@pytest.mark.parametrize("asked", NO_ANSWER)
async def test_what_is_no_request_is_let_go(asked: str) -> None:
    request, first_line = NO_ANSWER[asked]
    async with one_line_service() as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(request)
        writer.write_eof()
        try:
            answer = await reader.read()
        except ConnectionError:  # closed before all of it was read
            answer = b""
        writer.close()
    assert answer.partition(b"\r\n")[0] == first_line
