"""A TCP proxy on loopback that faults happen in: cut, stall, slow, refuse; switched while connections are open."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from sulla.core.clock import Clock

Way = Literal["up", "down"]
"""`up`: what the client sends; `down`: what the server sends."""

CHUNK_BYTES = 16 * 1024
MAX_LINKS = 256
"""So many connections at once; a further one is reset. Each holds at most four chunks a way."""

_RESET = struct.pack("ii", 1, 0)
_TICK_S = 0.05
"""How often a slow connection moves something."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Everything goes through."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Half-open: connections are accepted and stay open, and nothing moves either way, the end of one neither."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Each connection moves so many bytes a second each way."""

    bytes_per_s: int


@dataclass(frozen=True, slots=True)
class CutAfter:
    """A connection is cut once so many more bytes went through it one way; those bytes do arrive.

    With ``down``, the server has done what it was asked and the client never gets to know.
    """

    bytes: int
    way: Way = "down"
    times: int | None = 1
    """So many connections are cut, then everything goes through; None for each and every one."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Nobody listens: a client that connects is refused. Connections that are open stay so."""


Fault = Pass | Stall | Slow | CutAfter | Refuse


class _Link:
    """One client's connection and the one to the server that belongs to it."""

    def __init__(self, task: asyncio.Task[object], client: asyncio.StreamWriter) -> None:
        self.task = task
        self.ends = [client]
        self.since: dict[Way, int] = {"up": 0, "down": 0}
        """Bytes moved under the fault that is on."""

    def cut(self, *, reset: bool) -> None:
        for end in self.ends:
            if reset:
                with suppress(OSError):  # closed already
                    end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                end.transport.abort()
            else:
                end.close()
        if asyncio.current_task() is not self.task:  # its own ends by itself, and a stream would log that it was cut
            self.task.cancel()


class FaultProxy:
    """Stands between clients and a server while its block lasts.

    Args:
        port: the server's, on `host`.
        clock: for the pace of slow connections.
        host: where the server listens, and the proxy too.
    """

    def __init__(self, port: int, clock: Clock, host: str = "127.0.0.1") -> None:
        self._server_at = (host, port)
        self._clock = clock
        self._fault: Fault = Pass()
        self._times: int | None = None
        self._place: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._links: set[_Link] = set()
        self._changed = asyncio.Event()
        self._errors: list[Exception] = []
        self.accepted = 0
        """Connections so far."""
        self.cuts = 0
        """Connections so far that `cut` or `CutAfter` ended."""
        self.moved: dict[Way, int] = {"up": 0, "down": 0}
        """Bytes so far."""

    @property
    def host(self) -> str:
        """Where it listens."""
        return self._server_at[0]

    @property
    def port(self) -> int:
        """Where it listens; the same also while it refuses."""
        if self._place is None:
            raise RuntimeError("the proxy is not running")
        return int(self._place.getsockname()[1])

    @property
    def links(self) -> int:
        """How many connections are open now."""
        return len(self._links)

    @property
    def fault(self) -> Fault:
        """What is on."""
        return self._fault

    async def switch(self, fault: Fault) -> None:
        """Have something else happen from now on, to the connections that are open too.

        Raises:
            ValueError: it makes no sense.
        """
        if isinstance(fault, Slow) and fault.bytes_per_s < 1:
            raise ValueError(f"{fault}: expected at least 1 byte a second; for none at all there is Stall")
        if isinstance(fault, CutAfter) and (fault.bytes < 0 or (fault.times is not None and fault.times < 1)):
            raise ValueError(f"{fault}: expected no negative number of bytes, and at least one time")
        self._fault = fault
        self._times = fault.times if isinstance(fault, CutAfter) else None
        for link in self._links:
            link.since = {"up": 0, "down": 0}
        await (self._deafen() if isinstance(fault, Refuse) else self._listen())
        self._tell()

    def cut(self, *, reset: bool = True) -> int:
        """Cut every open connection on both sides; new ones are treated as before.

        Args:
            reset: with RST; else with FIN, so that the other side sees an orderly end.

        Returns:
            How many there were.
        """
        cut = tuple(self._links)
        for link in cut:
            self._cut(link, reset=reset)
        return len(cut)

    async def until(self, seen: Callable[[FaultProxy], bool]) -> None:
        """Return when `seen` says so; it is asked whenever something happened here."""
        while not seen(self):
            await self._changed.wait()

    async def __aenter__(self) -> Self:
        # Bound but not listening: keeps the port ours while the proxy refuses.
        self._place = self._bound(0)
        await self._listen()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for link in tuple(self._links):
            link.cut(reset=True)
        await asyncio.gather(*(link.task for link in self._links), return_exceptions=True)
        await self._deafen()
        if self._place is not None:
            self._place.close()
            self._place = None
        if self._errors and error is None:
            raise ExceptionGroup("the proxy failed", self._errors)

    # ------------------------------------------------------------------------------------------------ listening

    def _bound(self, port: int) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        place = socket.socket(family, socket.SOCK_STREAM)
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        place.bind((self.host, port))
        place.setblocking(False)
        return place

    async def _listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, sock=self._bound(self.port), limit=CHUNK_BYTES)

    async def _deafen(self) -> None:
        if self._server is not None:
            self._server.close()  # open connections go on
            self._server = None

    # ------------------------------------------------------------------------------------------- one connection

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a connection is served in a task")
        link = _Link(task, writer)
        if len(self._links) >= MAX_LINKS:
            link.cut(reset=True)
            return
        self._links.add(link)
        self.accepted += 1
        self._tell()
        try:
            await self._join(link, reader, writer)
        except asyncio.CancelledError:
            pass  # cut
        except Exception as error:  # noqa: BLE001  - shown when the proxy's block is left
            self._errors.append(error)
        finally:
            for end in link.ends:
                end.close()
            self._links.discard(link)
            self._tell()

    async def _join(self, link: _Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connect a client with the server and move bytes both ways until both have said all they had to."""
        await self._moving()
        try:
            answers, asking = await asyncio.open_connection(*self._server_at, limit=CHUNK_BYTES)
        except OSError:
            return link.cut(reset=True)  # no server: the client shall not take that for an orderly end
        link.ends.append(asking)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._move(link, "up", reader, asking))
            group.create_task(self._move(link, "down", answers, writer))
        return None

    async def _move(self, link: _Link, way: Way, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(CHUNK_BYTES):
                while data:
                    await self._moving()
                    if self._spent(link, way):
                        return self._cut(link, reset=True)
                    size = await self._piece(link, way, len(data))
                    sink.write(data[:size])
                    await sink.drain()
                    data = data[size:]
                    self.moved[way] += size
                    link.since[way] += size
                    self._tell()
                    if self._spent(link, way):
                        # An orderly end towards the reader first: an RST would throw away what it has not read yet.
                        return self._cut(link, reset=False)
            await self._moving()
            sink.write_eof()
        except OSError:
            link.cut(reset=True)  # one side is gone without a word: so is the other
        return None

    async def _moving(self) -> None:
        await self.until(lambda _: not isinstance(self._fault, Stall))

    async def _piece(self, link: _Link, way: Way, size: int) -> int:
        """How many of `size` bytes may go now; waits as long as they take."""
        match fault := self._fault:
            case Slow(bytes_per_s):
                size = min(size, max(1, round(bytes_per_s * _TICK_S)))
                await self._clock.sleep(size / bytes_per_s)
                return size if self._fault is fault else 0  # another fault has its own say
            case CutAfter(allowed, which) if which == way:
                size = min(size, allowed - link.since[way])
        return size

    def _spent(self, link: _Link, way: Way) -> bool:
        match self._fault:
            case CutAfter(allowed, which):
                return which == way and link.since[way] >= allowed
        return False

    def _cut(self, link: _Link, *, reset: bool) -> None:
        self.cuts += 1
        if self._times is not None:
            self._times -= 1
            if self._times <= 0:
                self._fault, self._times = Pass(), None
        link.cut(reset=reset)
        self._tell()

    def _tell(self) -> None:
        """Wake whoever waits for something to have happened."""
        told, self._changed = self._changed, asyncio.Event()
        told.set()
