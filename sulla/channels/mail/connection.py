"""Connections to a mailbox's server that are bounded from their first byte on: what an answer may hold, and what ends
one that takes too long. For the library imap_tools, which believes whatever a server announces, and waits for it.
"""

from __future__ import annotations

import imaplib
import socket
import ssl
from contextlib import suppress
from typing import Final, NamedTuple, cast

from imap_tools.mailbox import BaseMailBox

from sulla.channels.mail.settings import Server

_PORT: Final = 143


class Login(NamedTuple):
    """How a mailbox is opened."""

    server: Server
    user: str
    password: str
    trusted: ssl.SSLContext | None
    """By what the server is known; None where it is on this machine."""


class Bound:
    """What one connection after the other is held to. It lives as long as its mailbox.

    `cut` is called from any thread, all else from the one that waits for the wire.
    """

    def __init__(self) -> None:
        self.left = 0
        """Bytes that the answer which is read now may have yet."""
        self._wire: socket.socket | None = None

    def holds(self, wire: socket.socket) -> None:
        """There is a connection.

        Args:
            wire: as it is before TLS is laid on it. It is held by a handle of its own: whatever is made of it, to shut
                that ends the connection.
        """
        self.let_go()
        self._wire = wire.dup()

    def let_go(self) -> None:
        """It is there no longer."""
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    def cut(self) -> None:
        """Whatever waits for the wire does so no longer."""
        wire = self._wire
        if wire is not None:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def room(self, size: int) -> None:
        """So many bytes are announced.

        Raises:
            imaplib.IMAP4.abort: they are too many.
        """
        if size > self.left:
            raise imaplib.IMAP4.abort("an announced literal is too long")

    def counted(self, piece: bytes) -> bytes:
        """Some bytes that came.

        Raises:
            imaplib.IMAP4.abort: they are too many.
        """
        self.left -= len(piece)
        if self.left < 0:
            raise imaplib.IMAP4.abort("an answer is too long")
        return piece


class _Plain(imaplib.IMAP4):
    """The library's client on a bounded wire.

    Args:
        bound: the wire's.
        login: how the mailbox is opened.
        answer_s: how long the server may be silent within an answer, in seconds.
    """

    def __init__(self, bound: Bound, login: Login, answer_s: float) -> None:
        self._bound = bound
        super().__init__(login.server.host, login.server.port, answer_s)

    def open(self, host: str = "", port: int | None = _PORT, timeout: float | None = None) -> None:
        """See the library."""
        super().open(host, port or _PORT, timeout)
        if not isinstance(self.sock, ssl.SSLSocket):  # else it is held already
            self._bound.holds(self.sock)

    def readline(self) -> bytes:
        """See the library."""
        return self._bound.counted(super().readline())

    def read(self, size: int) -> bytes:
        """See the library."""
        self._bound.room(size)
        return self._bound.counted(super().read(size))


class _Tls(_Plain, imaplib.IMAP4_SSL):
    """The same, where TLS is there from the beginning."""

    def __init__(self, bound: Bound, login: Login, answer_s: float) -> None:
        self._bound = bound
        host, port, _ = login.server
        imaplib.IMAP4_SSL.__init__(self, host, port, ssl_context=_held(bound, login), timeout=answer_s)


class _Holding:
    """Lays TLS on a wire that is held before: servers may be slow to greet by it, too."""

    def __init__(self, bound: Bound, trusted: ssl.SSLContext) -> None:
        self._bound = bound
        self._trusted = trusted

    def wrap_socket(self, wire: socket.socket, *, server_hostname: str) -> ssl.SSLSocket:
        self._bound.holds(wire)
        return self._trusted.wrap_socket(wire, server_hostname=server_hostname)


def _held(bound: Bound, login: Login) -> ssl.SSLContext:
    """What the library lays TLS on a wire with: of a context it asks that alone."""
    return cast("ssl.SSLContext", _Holding(bound, login.trusted or ssl.create_default_context()))


class Box(BaseMailBox):
    """The library's mailbox, connected.

    Args:
        bound: what the connection is held to.
        login: how the mailbox is opened; nobody is let in by that yet.
        answer_s: how long the server may be silent within an answer, in seconds.

    Raises:
        imaplib.IMAP4.error, OSError, EOFError: it was not to be.
    """

    def __init__(self, bound: Bound, login: Login, answer_s: float) -> None:
        self._bound = bound
        self._login = login
        self._answer_s = answer_s
        try:
            super().__init__()
        except BaseException:
            bound.let_go()
            raise

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        """The library's: whoever makes a mailbox of another kind says how it is connected."""
        if self._login.server.security == "tls":
            return _Tls(self._bound, self._login, self._answer_s)
        client = _Plain(self._bound, self._login, self._answer_s)
        if self._login.server.security == "starttls":
            try:
                answer, _ = client.starttls(_held(self._bound, self._login))
                if answer != "OK":
                    raise EOFError
            except BaseException:
                client.shutdown()
                raise
        return client
