"""A uvicorn server that leaves signals, logging and the event loop to the daemon."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
from ipaddress import ip_address

from starlette.types import ASGIApp
from uvicorn.server import Server as UvicornServer

from sulla.core.clock import Clock
from sulla.core.errors import PortInUse, SettingsError
from sulla.gateway.server.admission import Admission
from sulla.gateway.server.direct import DirectWays
from sulla.gateway.server.sockets import Config, Http, WebSocket
from sulla.rpc.limits import Limits

_BACKLOG = 512
"""Connections that may wait in the kernel."""
_ACCEPTS = 16
"""How many of them are taken in before others have their turn: each costs a tenth of a millisecond."""
_SHUTDOWN_STEP_S = 0.01


def bind(host: str, port: int, limits: Limits | None = None, *, listening: int | None = None) -> socket.socket:
    """A socket that listens already, so that the port is ours when this returns.

    Args:
        host: an address or a name of this machine.
        port: 0 picks a free one.
        limits: for the time after which the kernel gives up a peer that takes nothing; None for the defaults.
        listening: the descriptor of a socket that a service manager has opened there; None to open one.

    Raises:
        PortInUse: somebody else listens there.
        SettingsError: it is no address of this machine, or may not be used; or the manager's socket is at another.
    """
    bounds = limits if limits is not None else Limits()
    if not 0 <= port <= 65535:
        raise SettingsError(f"cannot listen on port {port}: expected 0 to 65535, where 0 picks a free one")
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host.encode() if host.isascii() else host,  # else Python loads what turns other letters into these
            port,
            type=socket.SOCK_STREAM,
            proto=socket.IPPROTO_TCP,
            flags=socket.AI_PASSIVE,
        )[0]
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"cannot listen on {host!r}, port {port}: {error}; use one of this machine's") from None
    # Without IPPROTO_TCP asyncio would not turn Nagle's algorithm off.
    sock = socket.socket(family, kind, proto) if listening is None else _handed_over(listening, address)
    try:
        if listening is None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # A ping cannot be written to a peer that reads nothing, so only the kernel can notice.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(bounds.user_timeout_s * 1000))
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        where = f"{host}:{port}"
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(f"{where} is in use: choose another port with `--port N` (0 picks a free one)") from None
        raise SettingsError(f"cannot listen on {where}: {error.strerror}") from None
    return sock


def _handed_over(descriptor: int, address: tuple[object, ...]) -> socket.socket:
    """A service manager's socket. It must be where the settings say: who may come in hangs on that."""
    try:
        sock = socket.socket(fileno=descriptor)
    except OSError as error:
        raise SettingsError(f"the service manager's descriptor {descriptor} is no socket: {error.strerror}") from None
    where = sock.getsockname()
    if where[:2] != address[:2] or not sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        sock.close()
        wanted = "{}:{}".format(*address)
        raise SettingsError(
            f"the service manager hands over a socket at {where!r}, and gateway.host and gateway.port say {wanted}: "
            "make ListenStream= of its socket unit the same"
        )
    return sock


class Server:
    """What serves an application on a socket.

    Only the start-up of `uvicorn.Server` is used: its main loop wakes ten times a second for nothing that we need, and
    its `serve` takes the process's signals.

    Args:
        app: an ASGI application without life-cycle events.
        sock: from `bind`; closed by `stop`.
        clock: for the deadline of `stop`.
        limits: bounds.
        direct: whether text frames may be written past ASGI; see `direct`.
    """

    def __init__(self, app: ASGIApp, sock: socket.socket, clock: Clock, limits: Limits, *, direct: bool = True) -> None:
        self._sock = sock
        self._clock = clock
        config = Config(
            app,
            interface="asgi3",
            backlog=_ACCEPTS,
            http=Http,
            ws=WebSocket,
            h11_max_incomplete_event_size=limits.head_bytes,
            ws_max_size=limits.frame_bytes,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # a peer could choose the address it is locked out by
            server_header=False,
            date_header=False,
        )
        config.timeout_keep_alive = limits.idle_s  # type: ignore[assignment]  # seconds for a timer, whole or not
        config.entrance = Admission(clock, limits)
        config.direct = DirectWays(wanted=direct)
        self._config = config
        self._uvicorn = UvicornServer(config)
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
        self._sock.listen(_BACKLOG)  # asyncio has one number for both
        self._watching = asyncio.create_task(self._config.entrance.heads.run(), name="request heads")

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


async def serve(
    app: ASGIApp, sock: socket.socket, clock: Clock, limits: Limits | None = None, *, direct: bool = True
) -> Server:
    """Serve `app` on a socket from `bind`; when this returns, it answers. See `Server`."""
    server = Server(app, sock, clock, limits if limits is not None else Limits(), direct=direct)
    await server.start()
    return server
