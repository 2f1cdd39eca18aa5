"""A uvicorn server that leaves signals, logging and the event loop to the daemon."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
from asyncio import BaseTransport
from ipaddress import ip_address
from typing import cast

import h11
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from sulla.core.clock import Clock
from sulla.core.errors import PortInUse, SettingsError
from sulla.gateway.connection import ABORT
from sulla.gateway.heads import Heads
from sulla.gateway.limits import Limits

_BACKLOG = 512
_SHUTDOWN_STEP_S = 0.01
_log = logging.getLogger("sulla.gateway")


def bind(host: str, port: int, limits: Limits | None = None) -> socket.socket:
    """A socket that listens already, so that the port is ours when this returns.

    Args:
        host: an address or a name of this machine.
        port: 0 picks a free one.
        limits: for the time after which the kernel gives up a peer that takes nothing; None for the defaults.

    Raises:
        PortInUse: somebody else listens there.
        SettingsError: it is no address of this machine, or may not be used.
    """
    bounds = limits if limits is not None else Limits()
    if not 0 <= port <= 65535:
        raise SettingsError(f"cannot listen on port {port}: expected 0 to 65535, where 0 picks a free one")
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"cannot listen on {host!r}, port {port}: {error}; use one of this machine's") from None
    sock = socket.socket(family, kind, proto)  # without IPPROTO_TCP asyncio would not turn Nagle's algorithm off
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # A ping cannot be written to a peer that reads nothing, so only the kernel can notice.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(bounds.user_timeout_s * 1000))
        sock.bind(address)
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        where = f"{host}:{port}"
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(f"{where} is in use: choose another port with `--port N` (0 picks a free one)") from None
        raise SettingsError(f"cannot listen on {where}: {error.strerror}") from None
    return sock


class _Config(uvicorn.Config):
    """uvicorn's settings, with ours beside them."""

    limits: Limits
    heads: Heads


class _Http(H11Protocol):
    """HTTP with a deadline for each request's head, and an upper bound of connections."""

    def connection_made(self, transport: BaseTransport) -> None:
        """A peer has come."""
        super().connection_made(cast(asyncio.Transport, transport))
        if len(self.connections) > cast(_Config, self.config).limits.connections:
            self.transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """It has said something."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        cast(_Config, self.config).heads.unwatch(self)
        super().connection_lost(exc)

    def _watch(self) -> None:
        """A head that has begun, or that was not yet begun on a new connection, has to be complete in time."""
        heads = cast(_Config, self.config).heads
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            heads.watch(self, self.transport.abort)
        else:
            heads.unwatch(self)


class _WebSocket(WebSocketsSansIOProtocol):
    """WebSocket with bounds where uvicorn has none, and a way to cut a connection whose peer reads nothing."""

    def connection_made(self, transport: BaseTransport) -> None:
        """The upgrade is asked for."""
        self.close_timeout = cast(_Config, self.config).limits.close_s
        super().connection_made(transport)

    async def run_asgi(self) -> None:
        """Serve the connection."""
        extensions = cast(dict[str, object], self.scope["extensions"])
        extensions[ABORT] = self.transport.abort
        self.app = self._serve
        await super().run_asgi()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.config.loaded_app(scope, receive, send)
        if self.initial_response is not None and self.close_sent:
            # A refusal is an answer; uvicorn would report that there was none.
            self.handshake_complete = True

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; one that is not UTF-8 is the peer's mistake and deserves no traceback."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            self.frames = [b"".join(self.frames)]
            try:
                self.frames[0].decode()
            except UnicodeDecodeError as error:
                _log.warning("a client's text is not UTF-8 (byte %d): its connection is closed", error.start)
                self.conn.fail(1007, f"byte {error.start} is not UTF-8")
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer, unless the peer asks and asks without reading the answers, for which nobody else waits."""
        if self.transport.get_write_buffer_size() > cast(_Config, self.config).limits.queue_bytes:
            self.transport.abort()
        else:
            super().handle_ping()

    def handle_cont(self, event: Frame) -> None:
        """Collect a message's pieces, up to a bound; empty ones count towards no size."""
        limit = cast(_Config, self.config).limits.fragments
        if len(self.frames) < limit:
            super().handle_cont(event)
        elif not self.close_sent:
            self.conn.fail(1008, f"a message in more than {limit} pieces")
            self.handle_parser_exception()


class Server:
    """What serves an application on a socket.

    Only the start-up of `uvicorn.Server` is used: its main loop wakes ten times a second for nothing that we need, and
    its `serve` takes the process's signals.

    Args:
        app: an ASGI application without life-cycle events.
        sock: from `bind`; closed by `stop`.
        clock: for the deadline of `stop`.
        limits: bounds.
    """

    def __init__(self, app: ASGIApp, sock: socket.socket, clock: Clock, limits: Limits) -> None:
        self._sock = sock
        self._clock = clock
        config = _Config(
            app,
            interface="asgi3",
            http=_Http,
            ws=_WebSocket,
            ws_max_size=limits.frame_bytes,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # a peer could choose the address it is locked out by
            server_header=False,
            date_header=False,
        )
        config.limits = limits
        config.heads = Heads(clock, limits.handshake_s)
        self._config = config
        self._uvicorn = uvicorn.Server(config)
        self._watching: asyncio.Task[None] | None = None
        self.host, self.port = sock.getsockname()[:2]

    @property
    def url(self) -> str:
        """Where it answers, e.g. ``http://127.0.0.1:8137``."""
        unspecified = ip_address(self.host).is_unspecified
        host = ("::1" if ":" in self.host else "127.0.0.1") if unspecified else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def connections(self) -> int:
        """How many are open now."""
        return len(self._uvicorn.server_state.connections)

    async def start(self) -> None:
        """Answer from now on."""
        # At INFO uvicorn logs whole addresses, query included.
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        self._config.load()
        self._uvicorn.lifespan = self._config.lifespan_class(self._config)
        await self._uvicorn.startup(sockets=[self._sock])
        self._watching = asyncio.create_task(self._config.heads.run(), name="request heads")

    async def stop_listening(self) -> None:
        """Take no new connections; those that are open stay."""
        for server in self._uvicorn.servers:
            server.close()
        self._sock.close()

    async def stop(self, deadline_s: float = 5.0) -> None:
        """Close every connection (WebSockets with 1012), and cut what is left at the deadline; may be called again.

        Args:
            deadline_s: in seconds.
        """
        await self.stop_listening()
        state = self._uvicorn.server_state
        for connection in list(state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with self._clock.timeout(deadline_s):
                while state.connections or state.tasks:
                    await self._clock.sleep(_SHUTDOWN_STEP_S)
        for connection in list(state.connections):
            connection.transport.abort()
        left = list(state.tasks)
        if self._watching is not None:
            left.append(self._watching)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def serve(app: ASGIApp, sock: socket.socket, clock: Clock, limits: Limits | None = None) -> Server:
    """Serve `app` on a socket from `bind`; when this returns, it answers."""
    server = Server(app, sock, clock, limits if limits is not None else Limits())
    await server.start()
    return server
