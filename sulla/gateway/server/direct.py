"""The fast way of a text frame: past ASGI and past uvicorn, straight to the transport (`gateway.direct`).

The layers between cost a token as much as the kernel does. All that is presumed of uvicorn's WebSocket for this stands
here: where it does not hold, and where the setting is off, there is no such way, and a connection's writer sends
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
_log = logging.getLogger("sulla.gateway")

DirectSend = Callable[[bytes], bool]
"""Sends a text frame now. False if the kernel takes no more of what was sent before, and then nothing was done; a frame
to a client that is gone is dropped, and whoever reads from its socket is told."""


class DirectWays:
    """Finds the fast way to each client of a server.

    Args:
        wanted: the setting.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted

    def to(self, protocol: object) -> DirectSend | None:
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
        return None if connection.extensions else DirectWay(transport, connection, writable).send


class DirectWay:
    """The way to one client.

    Args:
        transport: the connection's.
        connection: knows whether it is open.
        writable: set while the kernel takes more.
    """

    __slots__ = ("_connection", "_transport", "_writable")

    def __init__(self, transport: asyncio.WriteTransport, connection: ServerProtocol, writable: asyncio.Event) -> None:
        self._transport = transport
        self._connection = connection
        self._writable = writable

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
        self._transport.write(head + frame)
        return True
