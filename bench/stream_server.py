"""Streams canned replies of the models' services: ``python -m bench.stream_server``; prints ``ready http://…``.

Under ``/paced/N`` a reply has N pieces of text, each half a millisecond after the one before, as one read. Under
``/burst/N`` all comes at once, with many events in a chunk of HTTP, as a proxy passes on what has piled up; under
``/queued/N`` too, but with a chunk around each event, as a service writes them. It does no more than it must, so that
it keeps ahead of whoever reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from tests.servers import anthropic_stream, ollama_server, openai_stream
from tests.servers.playing import Event
from tests.servers.script import Reply

PACE_S = 0.0005
TOGETHER = 64
"""Events in a chunk of a burst."""
WORD = "word "
"""A piece of text."""

_SSE = "text/event-stream"
_SERVICES: dict[str, tuple[str, Callable[[Reply], Iterator[Event]]]] = {
    "v1/messages": (_SSE, lambda reply: anthropic_stream.events(reply, {"model": "m"}, "x")),
    "chat/completions": (_SSE, lambda reply: openai_stream.chat_events(reply, {"model": "m"}, "x")),
    "api/chat": ("application/x-ndjson", lambda reply: ollama_server.lines(reply, {"model": "m"})),
}


def canned(path: str) -> list[bytes]:
    """An answer in pieces: its head, and each event as one chunk.

    Args:
        path: e.g. ``/paced/400/v1/messages``.
    """
    _, mode, pieces, service = path.split("/", 3)
    kind, events = _SERVICES[service]
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    reply = Reply(WORD * int(pieces), pieces=int(pieces))
    each = [event.data for event in events(reply)]
    size = TOGETHER if mode == "burst" else 1
    chunks = [b"".join(each[start : start + size]) for start in range(0, len(each), size)]
    return [head, *(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks), b"0\r\n\r\n"]


async def _connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    known: dict[str, list[bytes]] = {}
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            await reader.readexactly(int(head.lower().partition("content-length:")[2].partition("\r\n")[0]))
            path = head.split(" ")[1]
            if path not in known:
                known[path] = canned(path)
            await _send(writer, known[path], paced=path.startswith("/paced/"))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _send(writer: asyncio.StreamWriter, pieces: list[bytes], *, paced: bool) -> None:
    if not paced:
        writer.write(b"".join(pieces))
        await writer.drain()
        return
    for piece in pieces:
        writer.write(piece)
        await asyncio.sleep(PACE_S)


async def _main() -> None:
    server = await asyncio.start_server(_connection, "127.0.0.1")
    host, port = server.sockets[0].getsockname()[:2]
    print(f"ready http://{host}:{port}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
