"""HTTP and WebSocket on an accepted socket: uvicorn's, with bounds and fairness where it has none."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio import BaseTransport, Transport
from typing import TYPE_CHECKING, Final, cast

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config as UvicornConfig
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from sulla.gateway.server.admission import Admission
from sulla.gateway.server.direct import DIRECT, DirectWay, DirectWays
from sulla.gateway.server.perimeter import ABORT, KNOWN

if TYPE_CHECKING:  # uvicorn has no public names for ASGI's messages
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent

_SLICE = 1024
"""Bytes looked at before others get their turn. The smallest frame has six: that many can cost milliseconds."""
_EMPTY = b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_BAD_REQUEST = b"HTTP/1.1 400 Bad Request" + _EMPTY
_OTHER_VERSION = b"HTTP/1.1 505 HTTP Version Not Supported" + _EMPTY
_TEXT = b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n"
_TOO_LARGE = 431
HEAD_TOO_LARGE: Final = """Sulla: the head of this request has more than {kib} KiB, so it was not read.
In a browser that is the cookies which other programs at this address have set: it sends those of all ports here.
Delete the cookies of this address in the browser's settings (of sites and their data), and load the page again.
It then asks for a token, or for a link that `sulla console` opens.
"""
"""What whoever is refused for that reads, a person at a browser perhaps."""
_log = logging.getLogger("sulla.gateway")


class Config(UvicornConfig):
    """uvicorn's settings, with what is ours beside them."""

    entrance: Admission
    direct: DirectWays


class Http(H11Protocol):
    """HTTP with a deadline and a size for each request's head, and a bound of connections whom nobody knows."""

    def connection_made(self, transport: BaseTransport) -> None:
        """A peer has come."""
        super().connection_made(cast(Transport, transport))
        self._entrance = cast(Config, self.config).entrance
        self.app = self._serve
        self._watch()
        self._entrance.come(self.transport, self.client[0] if self.client is not None else "unknown")

    def data_received(self, data: bytes) -> None:
        """It has said something. h11 looks at the size of a head only while there is more to come of it."""
        taken = 0
        while taken < len(data) and self.transport.get_protocol() is self and not self.transport.is_closing():
            size = _SLICE if self.conn.their_state is h11.IDLE else len(data)
            super().data_received(data[taken : taken + size])
            taken += size
        if taken < len(data) and (protocol := self.transport.get_protocol()) is not self:
            cast(asyncio.Protocol, protocol).data_received(data[taken:])
        self._watch()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """The peer wants a WebSocket: hand over, with what has come behind the request."""
        if event.http_version != b"1.1":  # uvicorn would hand it over as if it were
            self.transport.write(_OTHER_VERSION)
            self.transport.close()
            return
        super().handle_websocket_upgrade(event)
        self.app = self.config.loaded_app  # nothing holds on to this any more, not even itself
        if behind := self.conn.trailing_data[0]:
            cast(asyncio.Protocol, self.transport.get_protocol()).data_received(behind)

    def on_response_complete(self) -> None:
        """An answer is over; what is still missing of its request has a deadline from now on."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._watch()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, unless that is said in the middle of an answer; the application has nobody left."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if isinstance(error := sys.exception(), h11.RemoteProtocolError) and error.error_status_hint == _TOO_LARGE:
            said = HEAD_TOO_LARGE.format(kib=self._entrance.limits.head_bytes // 1024)
            self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + _TEXT + said.encode())
            self.transport.close()
        elif self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._entrance.heads.unwatch(self)
        self._entrance.leave(self.transport)
        super().connection_lost(exc)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"] = {ABORT: self.transport.abort, KNOWN: self._know}
        await self.config.loaded_app(scope, receive, send)

    def _know(self, *, admin: bool) -> bool:
        return self._entrance.know(self.transport, admin=admin)

    def _watch(self) -> None:
        """A head that is not complete, and a body that nobody waits for any more, have to end in time."""
        unread = self.conn.their_state is h11.SEND_BODY and self.conn.our_state is h11.DONE
        if (unread or self.conn.their_state is h11.IDLE) and not self.transport.is_closing():
            self._entrance.heads.watch(self, self.transport.abort)
        else:
            self._entrance.heads.unwatch(self)


class WebSocket(WebSocketsSansIOProtocol):
    """WebSocket with bounds where uvicorn has none, and a way to cut a connection whose peer reads nothing.

    What one read brings may hold tens of thousands of frames. It is taken in slices: the rest waits until the
    application has taken the messages of the last one, and until all other connections have had their turn.
    """

    def connection_made(self, transport: BaseTransport) -> None:
        """The upgrade is asked for."""
        self._entrance = cast(Config, self.config).entrance
        self._limits = self._entrance.limits
        self._ahead = bytearray()
        self._turn: asyncio.Handle | None = None
        self._direct: DirectWay | None = None
        self._heard = False
        self._controls = 0
        self._controls_since_s = 0.0
        self.close_timeout = self._limits.close_s
        self.conn.max_message_size = self._limits.hello_bytes
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._ahead.clear()
        self._entrance.leave(self.transport)
        super().connection_lost(exc)

    # ------------------------------------------------------------------------------------------------------ upgrading

    async def run_asgi(self) -> None:
        """Serve the connection."""
        extensions = cast(dict[str, object], self.scope["extensions"])
        extensions[ABORT] = self.transport.abort
        extensions[KNOWN] = self._know
        self._direct = cast(Config, self.config).direct.to(self)
        if self._direct is not None:
            extensions[DIRECT] = self._direct.send
        self.app = self._serve
        await super().run_asgi()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.config.loaded_app(scope, receive, send)
        if self.initial_response is not None and self.close_sent:
            # A refusal is an answer; uvicorn would report that there was none.
            self.handshake_complete = True

    def _know(self, *, admin: bool) -> bool:
        if not self._entrance.know(self.transport, admin=admin):
            return False
        self.conn.max_message_size = self._limits.frame_bytes
        return True

    def _take_head(self, head: bytes) -> None:
        """Read the upgrade request; uvicorn waits for ever if it is none."""
        super().data_received(head)
        if self.handshake_initiated or self.conn.handshake_exc is None:
            return
        _log.warning("refused an upgrade: %s", self.conn.handshake_exc)
        self.transport.write(b"".join(self.conn.data_to_send()) or _BAD_REQUEST)
        self.handshake_complete = self.close_sent = True
        self.transport.close()

    # -------------------------------------------------------------------------------------------------------- reading

    def data_received(self, data: bytes) -> None:
        """Take in what came."""
        if self.transport.is_closing():
            return
        if not self.handshake_initiated:
            self._take_head(data)
        elif not self.handshake_complete:
            _log.warning("a client sends frames before its upgrade is answered (RFC 6455 §4.1): it is cut")
            self.transport.abort()
        elif self._ahead or len(data) > _SLICE:
            self._ahead += data
            self._go_on()
        else:
            super().data_received(data)

    def handle_events(self) -> None:
        """Handle what a slice has brought."""
        self._heard = bool(self.conn.events)
        super().handle_events()

    async def receive(self) -> ASGIReceiveEvent:
        """The next message for the application; between messages of one read all others get their turn."""
        if not self.queue.empty():
            await self._entrance.clock.sleep(0)
        message = await super().receive()
        if self._ahead:
            self.transport.pause_reading()
            self._go_on_later()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Send what the application says; once that was a close, what the peer still says leads up to its answer."""
        if self._direct is not None:
            self._direct.flush()
        await super().send(message)
        if message["type"] == "websocket.accept":
            del self.response  # its headers weigh 1.3 KiB, and nothing else is asked of it
        if self._ahead and self.close_sent:
            self._go_on_later()

    def _go_on(self) -> None:
        """Look at slices until there was something in one."""
        self._turn, self._heard = None, False
        while self._ahead and not self._heard and not self.transport.is_closing():
            piece = bytes(self._ahead[:_SLICE])
            del self._ahead[:_SLICE]
            super().data_received(piece)
        if self.transport.is_closing():
            self._ahead.clear()
        elif self._ahead:
            self.transport.pause_reading()
            self._go_on_later()
        elif not self.read_paused:
            self.transport.resume_reading()

    def _go_on_later(self) -> None:
        if self._turn is None and (self.queue.empty() or self.close_sent):
            self._turn = self.loop.call_soon(self._go_on)

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; one that is not UTF-8 is the peer's mistake and deserves no traceback."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            self.frames = [b"".join(self.frames)]
            try:
                self.frames[0].decode()
            except UnicodeDecodeError as error:
                _log.warning("a client's text is not UTF-8 (byte %d): its connection is closed", error.start)
                self._fail(1007, f"byte {error.start} is not UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer, unless the peer asks and asks without reading the answers, for which nobody else waits."""
        if self.transport.get_write_buffer_size() > self._limits.queue_bytes:
            self.transport.abort()
        elif not self._is_flood():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take an answer to a ping of ours, or one to nothing."""
        if not self._is_flood():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Collect a message's pieces, up to a bound; empty ones count towards no size."""
        limit = self._limits.fragments
        if len(self.frames) < limit:
            super().handle_cont(event)
        elif not self.close_sent:
            self._fail(1008, f"a message in more than {limit} pieces")

    def _is_flood(self) -> bool:
        """Count a ping or a pong; whoever sends them by the hundred wants nothing but our time."""
        if self.close_sent:
            return True
        now_s = self._entrance.clock.elapsed()
        if now_s - self._controls_since_s >= 1.0:
            self._controls, self._controls_since_s = 0, now_s
        self._controls += 1
        if self._controls <= self._limits.pings_per_s:
            return False
        self._fail(1008, f"more than {self._limits.pings_per_s} pings and pongs in a second")
        return True

    def _fail(self, code: int, reason: str) -> None:
        self.conn.fail(code, reason)
        self.handle_parser_exception()
