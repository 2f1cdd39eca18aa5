"""How a model's service answers in Anthropic's form at a steady rate, with tokens that say when they were sent."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

RATE: Final = 40
"""Writes a second of one stream (issue 4)."""
STAMP_CHARS: Final = 20
STAMP: Final = b"0" * STAMP_CHARS
"""Where a token has the monotonic clock's nanoseconds, which all processes of a machine share."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The events of one."""

    before: Sequence[bytes]
    tokens: Sequence[bytes]
    """Each with a `STAMP`, and sent in a write of its own."""
    behind: Sequence[bytes]
    together: int = 1
    """How often a token stands in its write."""


async def serve(answer: Callable[[list[str]], Answer]) -> None:
    """Answer requests until cancelled; prints ``ready http://…``.

    Args:
        answer: what is said to whoever asks at an address, of which it gets the parts of the path.
    """

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                await reader.readexactly(int(head.lower().partition("content-length:")[2].partition("\r\n")[0]))
                await _send(writer, answer(head.split(" ")[1].split("/")[1:]))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1")
    host, port = server.sockets[0].getsockname()[:2]
    print(f"ready http://{host}:{port}", flush=True)
    await server.serve_forever()


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for event in answer.before:
        writer.write(_chunk(event))
    step_s = 1 / RATE
    # Streams that all tick at once would be one burst.
    due = time.monotonic() + random.random() * step_s
    for token in answer.tokens:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due += step_s
        writer.write(_chunk(token.replace(STAMP, b"%020d" % time.monotonic_ns())) * answer.together)
    writer.write(b"".join(map(_chunk, answer.behind)) + b"0\r\n\r\n")


def _chunk(event: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(event), event)
