"""A model's service that writes sentences: ``python -m bench.sentence_service``; prints ``ready …``.

A request to ``/N/v1/messages`` is answered in Anthropic's form with N tokens, 40 a second, each in a write of its own.
A token is a space, the monotonic clock's nanoseconds in 20 digits, and a letter; in the last one of a sentence a full
stop stands in the letter's place. So whoever knows where a sentence ends knows when what showed that was sent.
"""

from __future__ import annotations

import asyncio
import random
import time

from bench.token_service import RATE
from sulla.testing import anthropic_stream
from sulla.testing.script import Reply

TOKENS_OF_SENTENCE = 4
STAMP_CHARS = 20
TOKEN_CHARS = STAMP_CHARS + 2
_STAMP = b"0" * STAMP_CHARS


def canned(tokens: int) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """What comes before the tokens, the tokens with a place for their times, and what comes behind them."""
    each = [" " + "0" * STAMP_CHARS + (".a"[(at + 1) % TOKENS_OF_SENTENCE > 0]) for at in range(tokens)]
    events = list(anthropic_stream.events(Reply("".join(each), pieces=tokens), {"model": "m"}, "x"))
    shown = [index for index, event in enumerate(events) if event.shows_text]
    assert len(shown) == tokens
    data = [event.data for event in events]
    return data[: shown[0]], data[shown[0] : shown[-1] + 1], data[shown[-1] + 1 :]


async def _connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            await reader.readexactly(int(head.lower().partition("content-length:")[2].partition("\r\n")[0]))
            await _answer(writer, int(head.split(" ")[1].split("/", 2)[1]))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _answer(writer: asyncio.StreamWriter, tokens: int) -> None:
    before, each, behind = canned(tokens)
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for event in before:
        writer.write(_chunk(event))
    step_s = 1 / RATE
    due = time.monotonic() + random.random() * step_s
    for event in each:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due += step_s
        writer.write(_chunk(event.replace(_STAMP, b"%020d" % time.monotonic_ns())))
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
