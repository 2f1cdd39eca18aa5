"""The straight way from a connection to its socket, past the layers that ASGI puts between.

Each of them costs a token more than making its frame does. What comes in, the upgrade and the close go their usual way.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

_TEXT: Final = 0x81
"""A whole message of text in one frame (RFC 6455 §5.2), which a server does not mask."""
PIPE: Final = "sulla.pipe"
"""The ASGI extension under which our server offers a `Pipe` on each WebSocket."""


class WebSocketProtocol(Protocol):
    """What is needed of uvicorn's WebSocket after the upgrade."""

    disconnected: bool
    close_sent: bool
    transport: asyncio.Transport
    writable: asyncio.Event


class SocketPipe:
    """Keeps `shortcut.Pipe`.

    Args:
        protocol: the socket's.
    """

    __slots__ = ("_protocol",)

    def __init__(self, protocol: WebSocketProtocol) -> None:
        self._protocol = protocol

    def send(self, frame: bytes) -> bool:
        """Send a text frame now, unless the kernel takes no more of what was sent before."""
        protocol = self._protocol
        if protocol.disconnected or protocol.close_sent or protocol.transport.is_closing():
            return True  # whoever reads from this socket is told
        if not protocol.writable.is_set():
            return False
        size = len(frame)
        if size < 126:
            head = bytes((_TEXT, size))
        elif size < 65536:
            head = b"%c%c%b" % (_TEXT, 126, size.to_bytes(2))
        else:
            head = b"%c%c%b" % (_TEXT, 127, size.to_bytes(8))
        protocol.transport.write(head + frame)
        return True

    async def room(self) -> None:
        """Return when the kernel takes more, or the connection is lost."""
        await self._protocol.writable.wait()
