"""One request over one connection, and as much of its answer as is wanted. No redirects, no cookies, no proxies.

No error holds a word that the other side chose: models read errors as ours.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Protocol

import h11

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused, Unavailable
from sulla.tools.web.urls import Target

MAX_HEAD_BYTES = 64 * 1024
"""Bytes of an answer's status line and fields."""
_CHUNK = 64 * 1024
_PACKED = ("gzip", "x-gzip")


class OpenConnection(Protocol):
    """Opens a connection to an address in digits; `system_connect` keeps it."""

    async def __call__(
        self, address: str, port: int, tls: ssl.SSLContext | None, name: str | None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open it; with `tls` under the certificate of `name`.

        Raises:
            OSError: nobody answers, or the certificate is not good.
        """


async def system_connect(
    address: str, port: int, tls: ssl.SSLContext | None, name: str | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """See `OpenConnection`. No name is looked up: an address stands for itself."""
    return await asyncio.open_connection(address, port, ssl=tls, server_hostname=name)


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """How an answer begins."""

    status: int
    fields: Mapping[str, str]
    """Names in lower case; of a field that comes twice, the first."""


class FetchExchange:
    """A request that was sent: its answer's head, and its body once.

    Args:
        target: what is asked for.
        reader: what comes back.
        http: makes sense of it.
        heard: is set as soon as anything came back.
    """

    def __init__(
        self, target: Target, reader: asyncio.StreamReader, http: h11.Connection, heard: asyncio.Event
    ) -> None:
        self._target = target
        self._reader = reader
        self._http = http
        self._heard = heard
        self.head = ResponseHead(0, {})

    async def body(self, most: int) -> tuple[bytes, bool]:
        """The body, unpacked.

        Args:
            most: how many bytes of it are taken, before and after unpacking.

        Returns:
            The bytes, and whether that is all of them.

        Raises:
            Refused: it is packed in a way that was not asked for, damaged, or no HTTP.
            Unavailable: the answer broke off.
        """
        how = self.head.fields.get("content-encoding", "identity").strip().lower()
        if how not in (*_PACKED, "identity", ""):
            raise Refused(f"{self._target.authority} packs its answer in a way that was not asked for")
        unpack = zlib.decompressobj(wbits=31) if how in _PACKED else None
        found, taken = bytearray(), 0
        while isinstance(event := await self._next(), h11.Data):
            data = bytes(event.data)
            taken += len(data)
            found += data if unpack is None else self._unpacked(unpack, data, most + 1 - len(found))
            if len(found) > most or taken > most:
                return bytes(found[:most]), False
            if unpack is not None and unpack.eof:
                break
        return bytes(found), unpack is None or unpack.eof or not taken

    async def begin(self) -> None:
        """Wait for the head.

        Raises:
            Refused: the answer is no HTTP.
            Unavailable: it broke off.
        """
        while True:
            event = await self._next()
            if isinstance(event, h11.Response):
                fields: dict[str, str] = {}
                for name, value in event.headers:
                    fields.setdefault(name.decode("ascii"), value.decode("latin-1"))
                self.head = ResponseHead(event.status_code, fields)
                return
            if not isinstance(event, h11.InformationalResponse):
                raise Unavailable(f"{self._target.authority} hung up without an answer")

    async def _next(self) -> object:
        """An event, or that there is none to come."""
        data = b"?"
        try:
            while True:
                event = self._http.next_event()
                if event is not h11.NEED_DATA:
                    return event
                data = await self._reader.read(_CHUNK)
                self._http.receive_data(data)
                if data:
                    self._heard.set()
        except h11.RemoteProtocolError as error:
            if not data:
                raise Unavailable(f"{self._target.authority} broke off") from error
            raise Refused(f"{self._target.authority} does not speak HTTP as it should") from error
        except OSError as error:
            raise Unavailable(f"{self._target.authority} broke off: {error.strerror or error}") from error

    def _unpacked(self, unpack: zlib._Decompress, data: bytes, room: int) -> bytes:
        try:
            return unpack.decompress(data, room)
        except zlib.error as error:
            raise Refused(f"the answer of {self._target.authority} is damaged: {error}") from error


@asynccontextmanager
async def exchange(
    target: Target,
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    headers: Mapping[str, str],
    heard: asyncio.Event,
    method: str = "GET",
    body: bytes = b"",
) -> AsyncIterator[FetchExchange]:
    """Ask for a target; the connection is closed when the block is left.

    Args:
        target: what is asked for.
        connection: to whoever has it.
        headers: fields besides Host, Accept-Encoding and Connection.
        heard: is set as soon as anything came back.
        method: what is asked for it.
        body: what is sent along.

    Raises:
        Refused: the answer is no HTTP.
        Unavailable: there is no answer.
    """
    reader, writer = connection
    try:
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        fields = {"Host": target.authority, "Accept-Encoding": "gzip", "Connection": "close", **headers}
        asked = h11.Request(method=method, target=target.path, headers=list(fields.items()))
        sent = b"".join(http.send(event) or b"" for event in (asked, h11.Data(data=body), h11.EndOfMessage()))
        asking = FetchExchange(target, reader, http, heard)
        with suppress(ConnectionError):  # it may have answered already; if it has not, reading says so
            writer.write(sent)
            await writer.drain()
        await asking.begin()
        yield asking
    finally:
        writer.transport.abort()
