"""The least that passes a model's tokens on to a WebSocket: ``python -m bench.bare_gateway URL``; prints ``ready …``.

Both ends by hand on asyncio: a protocol that speaks WebSocket to clients, and one that reads chunks, events and JSON
from the service. A client's text frame has the streamed answer sent to it, one frame for what a read brings, and to
those who said ``watch``. No agent, no store, no bounds. The limit of `bench.gateway`.
"""

from __future__ import annotations

import asyncio
import sys
from base64 import b64encode
from hashlib import sha1
from urllib.parse import urlsplit

import orjson

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_BODY = b'{"model":"m","max_tokens":8192,"stream":true,"messages":[{"role":"user","content":"hello"}]}'
_SHORT = 126


class Client(asyncio.Protocol):
    """One WebSocket.

    Args:
        url: the service's.
        watchers: clients that have said ``watch`` and get every answer.
    """

    def __init__(self, url: str, watchers: list[Client]) -> None:
        self._url = urlsplit(url)
        self._watchers = watchers
        self._raw = b""
        self._open = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A peer has come."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """The upgrade request, and then short frames."""
        self._raw += data
        if not self._open:
            head, end, rest = self._raw.partition(b"\r\n\r\n")
            if not end:
                return
            key = head.lower().partition(b"sec-websocket-key:")
            value = head[len(key[0]) + len(key[1]) :].partition(b"\r\n")[0].strip()
            accept = b64encode(sha1(value + _GUID, usedforsecurity=False).digest())
            answer = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
            self._write(answer + b"sec-websocket-accept: " + accept + b"\r\n\r\n")
            self._open, self._raw = True, rest
        while len(self._raw) >= 2 and len(self._raw) >= (size := 6 + (self._raw[1] & 127)):
            opcode, self._raw = self._raw[0] & 15, self._raw[size:]
            if opcode == 1 and size == 6 + len("watch"):
                self._watchers.append(self)
                self._write(b"\x81\x02{}")
            elif opcode == 1:
                self._ask(Service(self))
            elif opcode == 8:
                assert self._transport is not None
                self._transport.close()

    def _ask(self, service: Service) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(loop.create_connection(lambda: service, self._url.hostname or "", self._url.port or 0))
        task.add_done_callback(lambda _: service.ask(self._url.path))

    def show(self, offset: int, text: str) -> None:
        """Send a piece of the answer."""
        data = {"message_id": "msg_1", "offset": offset, "delta": text}
        body = orjson.dumps({"jsonrpc": "2.0", "method": "event", "params": {"thread_id": "thr_1", "data": data}})
        head = bytes((0x81, len(body))) if len(body) < _SHORT else b"\x81\x7e" + len(body).to_bytes(2, "big")
        for client in (self, *self._watchers):
            client._write(head + body)

    def _write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)


class Service(asyncio.Protocol):
    """One streamed answer.

    Args:
        client: who gets it.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._raw = b""
        self._rest = b""
        self._begun = False
        self._offset = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The service answers."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def ask(self, path: str) -> None:
        """Make the request."""
        assert self._transport is not None
        head = f"POST {path}/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: {len(_BODY)}\r\n\r\n"
        self._transport.write(head.encode() + _BODY)

    def data_received(self, data: bytes) -> None:
        """The head, and then chunks of events."""
        raw = self._raw + data
        if not self._begun:
            _, end, raw = raw.partition(b"\r\n\r\n")
            if not end:
                self._raw += data
                return
            self._begun = True
        start, pieces = 0, []
        while (end_ := raw.find(b"\r\n", start)) >= 0:
            size = int(raw[start:end_], 16)
            if size == 0 or len(raw) < end_ + 4 + size:
                break
            pieces.append(raw[end_ + 2 : end_ + 2 + size])
            start = end_ + 4 + size
        self._raw = raw[start:]
        if self._raw == b"0\r\n\r\n":
            assert self._transport is not None
            self._transport.close()
        events = (self._rest + b"".join(pieces)).split(b"\n\n")
        self._rest = events.pop()
        text = ""
        for event in events:
            delta = orjson.loads(event.partition(b"data: ")[2]).get("delta")
            if delta is not None:
                text += delta.get("text", "")
        if text:
            self._client.show(self._offset, text)
            self._offset += len(text)


async def _main(url: str) -> None:
    watchers: list[Client] = []
    server = await asyncio.get_running_loop().create_server(lambda: Client(url, watchers), "127.0.0.1")
    print(f"ready ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
