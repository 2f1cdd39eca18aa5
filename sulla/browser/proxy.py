"""The one way out of the browser: it asks for every connection here, and gets those to addresses that may be asked.

A name is looked up once, here, and the connection goes to an address that was looked at, as with `web_fetch`. A plain
request is passed on alone and its connection is closed behind it: a second one might be for another host.
"""

from __future__ import annotations

import asyncio
import base64
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from hmac import compare_digest
from typing import Any, Final
from urllib.parse import urlsplit

import h11

from sulla.browser.metrics import CONNECTIONS
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, Refused, SullaError
from sulla.telemetry.tally import Tally
from sulla.tools.web.fetch import Fetcher
from sulla.tools.web.urls import read_host

MAX_CONNECTIONS: Final = 128
"""Connections at once; a page opens six to a host."""
HEAD_S: Final = 20.0
"""How long the head of a request may take, in seconds; nobody but Chromium sends one."""
CLOSE_S: Final = 5.0
"""How long connections may take to end, in seconds."""
SILENT_S: Final = 120.0
"""A connection on which nothing moves for so long is closed, in seconds."""
MAX_HEAD_BYTES: Final = 256 * 1024
MAX_REFUSALS: Final = 200
"""Refusals that are remembered, the newest."""
PIECE_BYTES: Final = 64 * 1024
OURS: Final = "Sulla's browser: "
"""How a page of our own begins, in the place of one that was refused."""
USER: Final = "sulla"
"""The name that goes with the credential."""
MORE_BYTES: Final = "the pages load more than browser.load_mb allows between two calls"

_HOPS: Final = frozenset(
    (
        b"connection",
        b"proxy-connection",
        b"proxy-authorization",
        b"keep-alive",
        b"te",
        b"trailer",
        b"upgrade",
        b"expect",
    )
)
"""Fields that are for the next hop alone (RFC 9110 §7.6.1)."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A connection that was not made."""

    number: int
    host: str
    error: SullaError

    @property
    def why(self) -> str:
        """The reason, for people."""
        return self.error.message


class GuardedProxy:
    """A forward proxy of HTTP for one Chromium.

    Args:
        fetcher: says which addresses may be asked, and connects to them.
        clock: all time.
        tally: counts connections.
        credential: what whoever connects has to know; empty where nobody else can connect.
    """

    def __init__(self, fetcher: Fetcher, clock: Clock, tally: Tally, credential: str = "") -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._tally = tally
        self._credential = credential
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._none = asyncio.Event()
        self._left_bytes = 0
        self._refusals: deque[Refusal] = deque(maxlen=MAX_REFUSALS)
        self.refused = 0
        """How many connections were refused so far."""

    async def listen(self, path: str = "") -> int:
        """Begin.

        Args:
            path: the socket to listen on; empty for a port of loopback.

        Returns:
            The port; 0 for a socket.
        """
        if path:
            self._server = await asyncio.start_unix_server(self._serve, path)
            return 0
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """End all connections, and take no more."""
        if self._server is not None:
            self._server.close()
        for writer in self._open:
            writer.transport.abort()
        with suppress(TimeoutError):
            async with self._clock.timeout(CLOSE_S):
                while self._open:
                    self._none.clear()
                    await self._none.wait()

    def allow(self, most_bytes: int) -> None:
        """Let so much through until this is said again.

        Args:
            most_bytes: in both directions, of all connections.
        """
        self._left_bytes = most_bytes

    def refusals(self, since: int) -> tuple[Refusal, ...]:
        """What was refused, the oldest first, as far as it is remembered.

        Args:
            since: what `refused` was before.
        """
        return tuple(one for one in self._refusals if one.number > since)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            if len(self._open) <= MAX_CONNECTIONS:
                await self._exchange(reader, writer)
        except (OSError, TimeoutError, h11.ProtocolError, ExceptionGroup, asyncio.IncompleteReadError):
            pass  # either side broke off, or speaks no HTTP: the other is told so by the end of its connection
        finally:
            writer.close()
            self._open.discard(writer)
            self._none.set()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        async with self._clock.timeout(HEAD_S):
            request = await _next(asked, reader)
        if not isinstance(request, h11.Request):
            return None
        if not self._knows(request.headers):
            said = {"Proxy-Authenticate": 'Basic realm="sulla"'}
            writer.write(_short(asked, 407, "a credential is needed", said))
            return await writer.drain()
        try:
            host, port, path = _target(request)
            there, back = await self._fetcher.tunnel(host, port, self._clock)
        except SullaError as error:
            self._refuse(_named(request), error)
            writer.write(_short(asked, 403, error.message))
            return await writer.drain()
        self._tally.count(CONNECTIONS, "made")
        try:
            if request.method == b"CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back.write(asked.trailing_data[0])
                await self._both_ways((reader, writer), (there, back))
            else:
                await self._pass_on(asked, request, path, (reader, writer), (there, back))
        finally:
            back.close()

    def _knows(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        if not self._credential:
            return True
        wanted = b"Basic " + base64.b64encode(f"{USER}:{self._credential}".encode())
        return any(name == b"proxy-authorization" and compare_digest(value, wanted) for name, value in headers)

    def _refuse(self, host: str, error: SullaError) -> None:
        self.refused += 1
        self._tally.count(CONNECTIONS, "refused")
        self._refusals.append(Refusal(self.refused, host, error))

    def _spend(self, count: int) -> None:
        self._left_bytes -= count
        if self._left_bytes < 0:
            if self._left_bytes + count >= 0:
                self._refuse("", Refused(MORE_BYTES))
            raise ConnectionAbortedError("more than may be loaded")

    async def _both_ways(
        self,
        here: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        there: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._pump(here[0], there[1]))
            group.create_task(self._pump(there[0], here[1]))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await self._read(reader):
            writer.write(piece)
            async with self._clock.timeout(SILENT_S):
                await writer.drain()
        raise ConnectionAbortedError("one side has ended")  # so that the other way ends, too

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        async with self._clock.timeout(SILENT_S):
            piece = await reader.read(PIECE_BYTES)
        self._spend(len(piece))
        return piece

    async def _pass_on(
        self,
        asked: h11.Connection,
        request: h11.Request,
        path: bytes,
        here: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        there: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """One plain request and its answer."""
        asks = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        event: object = h11.Request(method=request.method, target=path, headers=_passed(request.headers))
        while True:
            there[1].write(_formed(asks, event))
            await there[1].drain()
            if isinstance(event, h11.EndOfMessage):
                break
            event = await self._event(asked, here[0])
        while not isinstance(event := await self._event(asks, there[0]), h11.ConnectionClosed):
            if isinstance(event, h11.InformationalResponse):
                continue
            if isinstance(event, h11.Response):
                event = h11.Response(status_code=event.status_code, headers=_passed(event.headers), reason=event.reason)
            here[1].write(_formed(asked, event))
            await here[1].drain()
            if isinstance(event, h11.EndOfMessage):
                return

    async def _event(self, connection: h11.Connection, reader: asyncio.StreamReader) -> object:
        while (event := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(await self._read(reader))
        return event


async def _next(connection: h11.Connection, reader: asyncio.StreamReader) -> object:
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await reader.read(PIECE_BYTES))
    return event


def _formed(connection: h11.Connection, event: Any) -> bytes:  # noqa: ANN401 - any of h11's
    return connection.send(event) or b""


def _passed(headers: Any) -> list[tuple[bytes, bytes]]:  # noqa: ANN401 - h11 does not name its type
    """The fields that go on to the other side; the connection ends behind the answer."""
    return [(name, said) for name, said in headers.raw_items() if name.lower() not in _HOPS] + [
        (b"Connection", b"close")
    ]


def _short(connection: h11.Connection, status: int, said: str, fields: dict[str, str] | None = None) -> bytes:
    """An answer of our own."""
    body = f"{OURS}{said}\n".encode()
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body)), "Connection": "close"}
    head = h11.Response(status_code=status, headers=list({**headers, **(fields or {})}.items()))
    parts = (_formed(connection, event) for event in (head, h11.Data(data=body), h11.EndOfMessage()))
    return b"".join(parts)


def _named(request: h11.Request) -> str:
    """The host that a request is for, as far as it can be read."""
    target = request.target.decode("ascii", "replace")
    try:
        return (urlsplit(target if "://" in target else f"//{target}").hostname or "")[:253]
    except ValueError:
        return ""


def _target(request: h11.Request) -> tuple[str, int, bytes]:
    """Host, port and path.

    Raises:
        InvalidInput: it names none, or another scheme than http.
    """
    text = request.target.decode("ascii", "replace")
    tunnel = request.method == b"CONNECT"
    try:
        parts = urlsplit(f"//{text}" if tunnel else text)
        port = parts.port
    except ValueError as error:
        raise InvalidInput(f"not an address: {error}") from None
    if "@" in parts.netloc or (not tunnel and parts.scheme != "http"):
        raise InvalidInput("only plain addresses of http and tunnels for https are passed on")
    host = read_host(parts.hostname or "", bracketed=parts.netloc.startswith("["))
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return host, port if port is not None else 443 if tunnel else 80, path.encode("ascii", "replace")
