"""The fast way of a text frame: past ASGI and past uvicorn, straight to the transport (`gateway.direct`).

The layers between cost a token as much as the kernel does. What one step of the event loop has for a client leaves
together: to wake the client's process costs as much as ten frames. All that is presumed of uvicorn's WebSocket for this
stands here: where it does not hold, and where the setting is off, there is no such way, and a connection's writer sends
everything through ASGI. What comes in, the upgrade, pings and the close never go this way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from websockets.protocol import State
from websockets.server import ServerProtocol

DIRECT: Final = "sulla.direct"
"""The ASGI extension under which our server offers a `DirectSend` on a WebSocket."""
_TEXT: Final = 0x81
"""A whole message of text in one frame (RFC 6455 §5.2), which a server does not mask."""
_OPEN: Final = State.OPEN
_AT_ONCE_BYTES: Final = 64 * 1024
"""So much does not wait for the end of the step."""
_log = logging.getLogger("sulla.gateway")

DirectSend = Callable[[bytes], bool]
"""Sends a text frame at the end of this step of the event loop. False if the kernel takes no more of what was sent
before, and then nothing was done; a frame to a client that is gone is dropped, and whoever reads from its socket is
told."""


class DirectWays:
    """Finds the fast way to each client of a server.

    Args:
        wanted: the setting.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._unsent: list[DirectWay] = []

    def to(self, protocol: object) -> DirectWay | None:
        """The way past a protocol of uvicorn's that has been asked to upgrade; None if there is none.

        Args:
            protocol: sends all that it is given at once, as long as its `writable` is set.
        """
        if not self._wanted:
            return None
        connection, writable = getattr(protocol, "conn", None), getattr(protocol, "writable", None)
        transport: asyncio.WriteTransport | None = getattr(protocol, "transport", None)
        if transport is None or not (isinstance(connection, ServerProtocol) and isinstance(writable, asyncio.Event)):
            self._wanted = False
            _log.warning("gateway.direct is off: this version of uvicorn does not go along; all goes through ASGI")
            return None
        # Extensions compress, or change frames in another way.
        return None if connection.extensions else DirectWay(transport, connection, writable, self._send_soon)

    def _send_soon(self, way: DirectWay) -> None:
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._send)
        self._unsent.append(way)

    def _send(self) -> None:
        ways, self._unsent = self._unsent, []
        for way in ways:
            way.flush()


class DirectWay:
    """The way to one client.

    Args:
        transport: the connection's.
        connection: knows whether it is open.
        writable: set while the kernel takes more.
        send_soon: has `flush` called at the end of this step.
    """

    __slots__ = ("_connection", "_pieces", "_send_soon", "_size", "_transport", "_writable")

    def __init__(
        self,
        transport: asyncio.WriteTransport,
        connection: ServerProtocol,
        writable: asyncio.Event,
        send_soon: Callable[[DirectWay], None],
    ) -> None:
        self._transport = transport
        self._connection = connection
        self._writable = writable
        self._send_soon = send_soon
        self._pieces: list[bytes] = []
        self._size = 0

    def send(self, frame: bytes) -> bool:
        """See `DirectSend`."""
        if self._connection.state is not _OPEN or self._transport.is_closing():
            return True
        if not self._writable.is_set():
            return False
        size = len(frame)
        if size < 126:
            head = bytes((_TEXT, size))
        elif size < 65536:
            head = b"%c%c%b" % (_TEXT, 126, size.to_bytes(2, "big"))
        else:
            head = b"%c%c%b" % (_TEXT, 127, size.to_bytes(8, "big"))
        if not self._pieces:
            self._send_soon(self)
        self._pieces += (head, frame)
        self._size += size
        if self._size >= _AT_ONCE_BYTES:
            self.flush()
        return True

    def flush(self) -> None:
        """Send what this step has had until now: before anything that goes another way."""
        if self._pieces:
            data, self._size = b"".join(self._pieces), 0
            self._pieces.clear()
            if self._connection.state is _OPEN and not self._transport.is_closing():
                self._transport.write(data)
