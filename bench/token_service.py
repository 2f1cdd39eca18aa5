"""A model's service whose tokens say when they were sent: ``python -m bench.token_service``; prints ``ready …``.

A request to ``/N/TOGETHER/v1/messages`` is answered in Anthropic's form with N tokens in 40 writes a second, TOGETHER
tokens in each: a processor that sleeps longer between two writes pays more for waking up, and would have that counted
as the tokens' cost if the writes became fewer. A token is the monotonic clock's
nanoseconds in 20 digits, which all processes of a machine share, and a full stop.
"""

from __future__ import annotations

import asyncio
import random
import time

from sulla.testing import anthropic_stream
from sulla.testing.script import Reply

RATE = 40
"""Writes a second of one stream (issue 4)."""
TOKEN_CHARS = 21
_PLACE = b"00000000000000000000."


def canned(tokens: int) -> tuple[list[bytes], bytes, list[bytes]]:
    """What comes before the tokens, one token with a place for its time, and what comes behind them."""
    reply = Reply(_PLACE.decode() * tokens, pieces=tokens)
    events = list(anthropic_stream.events(reply, {"model": "m"}, "x"))
    first = next(index for index, event in enumerate(events) if event.shows_text)
    last = max(index for index, event in enumerate(events) if event.shows_text)
    return [event.data for event in events[:first]], events[first].data, [event.data for event in events[last + 1 :]]


async def _connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            await reader.readexactly(int(head.lower().partition("content-length:")[2].partition("\r\n")[0]))
            _, tokens, together, _ = head.split(" ")[1].split("/", 3)
            await _answer(writer, int(tokens), int(together))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _answer(writer: asyncio.StreamWriter, tokens: int, together: int) -> None:
    before, token, behind = canned(tokens)
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for event in before:
        writer.write(_chunk(event))
    step_s = 1 / RATE
    # Streams that all tick at once would be one burst.
    due = time.monotonic() + random.random() * step_s
    for _ in range(tokens // together):
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due += step_s
        event = token.replace(_PLACE, b"%020d." % time.monotonic_ns())
        writer.write(_chunk(event) * together)
    writer.write(b"".join(map(_chunk, behind)) + b"0\r\n\r\n")


def _chunk(event: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(event), event)


async def _main() -> None:
    server = await asyncio.start_server(_connection, "127.0.0.1")
    host, port = server.sockets[0].getsockname()[:2]
    print(f"ready http://{host}:{port}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
