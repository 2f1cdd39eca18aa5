"""A small client of `sulla.v1` (docs/inside/protocol.md)."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from sulla import __version__
from sulla.core.errors import Refused, StoreReplaced, SullaError, TooLarge, Unavailable
from sulla.terminal.place import Door

Event = dict[str, Any]


class Client:
    """One connection. Requests may overlap; events arrive in one queue.

    Args:
        socket: an open connection.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._events: asyncio.Queue[Event | SullaError | None] = asyncio.Queue()
        self._notices: asyncio.Queue[Event | None] = asyncio.Queue()
        self._frame_bytes: int | None = None

    async def hello(self) -> None:
        """Say who we are; the first call.

        Raises:
            Refused: the daemon did not take us in.
            Unavailable: the connection broke.
        """
        answer = await self.call("hello", client={"name": "sulla-cli", "version": __version__}, protocol=1)
        self._frame_bytes = answer["limits"]["frame_bytes"]

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask for something.

        Raises:
            TooLarge: it is longer than the daemon takes; nothing was sent.
            Refused: the daemon did; a subclass says why, where we know its code.
            Unavailable: the connection broke.
        """
        id_ = next(self._ids)
        future = self._asked[id_] = asyncio.get_running_loop().create_future()
        given = {name: value for name, value in params.items() if value is not None}
        try:
            await self._socket.send(self._frame({"jsonrpc": "2.0", "id": id_, "method": method, "params": given}))
            answer: dict[str, Any] = await future
            return answer
        except ConnectionClosed as closed:
            raise _broken(closed) from None
        finally:
            del self._asked[id_]

    def _frame(self, request: Event) -> str:
        frame = json.dumps(request, ensure_ascii=False)
        size, limit = len(frame.encode()), self._frame_bytes
        if limit is not None and size > limit:
            raise TooLarge(f"the request has {size} bytes, and the daemon takes at most {limit}: say less, or in parts")
        return frame

    async def events(self) -> AsyncIterator[Event]:
        """Events of whatever was subscribed to.

        Raises:
            Unavailable: the connection broke.
            SullaError: a thread can be followed no longer; the daemon says why.
        """
        while (event := await self._events.get()) is not None:
            if isinstance(event, SullaError):
                raise event
            yield event
        raise Unavailable("the connection to the daemon broke")

    async def notices(self) -> AsyncIterator[Event]:
        """What people are told, once that was asked for.

        Raises:
            Unavailable: the connection broke.
        """
        while (notice := await self._notices.get()) is not None:
            yield notice
        raise Unavailable("the connection to the daemon broke")

    async def read(self) -> None:
        """Take in frames until the connection ends; runs beside the calls."""
        try:
            async for frame in self._socket:
                self._take(json.loads(frame))
        except ConnectionClosed:
            pass  # told to everyone below
        finally:
            self._events.put_nowait(None)
            self._notices.put_nowait(None)
            for future in self._asked.values():
                if not future.done():
                    future.set_exception(Unavailable("the connection to the daemon broke"))

    def _take(self, frame: dict[str, Any]) -> None:
        match frame:
            case {"method": "event", "params": dict(event)}:
                self._events.put_nowait(event)
            case {"method": "notice", "params": dict(notice)}:
                self._notices.put_nowait(notice)
            case {"method": "events.ended", "params": {"error": {"message": str(message), "data": dict(found)}}}:
                self._events.put_nowait(_refusal(found, message))
            case {"id": int(id_), "result": result} if id_ in self._asked:
                if not self._asked[id_].done():  # whoever asked may just have been cancelled
                    self._asked[id_].set_result(result)
            case {"id": id_, "error": {"message": str(message), **rest}}:
                data = rest.get("data")
                found = data if isinstance(data, dict) else {}
                # Without an id the daemon could not tell which request it was, so none may wait any longer.
                for future in [self._asked[id_]] if id_ in self._asked else list(self._asked.values()):
                    if not future.done():
                        future.set_exception(_refusal(found, message))


@asynccontextmanager
async def open_client(where: Door) -> AsyncIterator[Client]:
    """A connection that has said hello.

    Raises:
        Unavailable: nothing answers there.
        Refused: it does not let us in.
    """
    url = where.url.replace("http", "ws", 1) + "/ws"
    try:
        socket = await connect(
            url,
            subprotocols=["sulla.v1"],  # type: ignore[list-item]  # a NewType that the package does not export
            additional_headers={"Authorization": f"Bearer {where.token}"},
            max_size=None,
            proxy=None,
        )
    except InvalidStatus as status:
        raise _shut_out(status, where) from None
    except (OSError, TimeoutError, InvalidHandshake) as error:
        raise Unavailable(f"no daemon answers at {where.url}: {_no_answer(error)}") from None
    async with socket:
        client = Client(socket)
        reading = asyncio.ensure_future(client.read())
        try:
            await client.hello()
            yield client
        finally:
            await socket.close()
            await reading


def _refusal(data: dict[str, Any], message: str) -> SullaError:
    """The daemon's error as ours; one with a code that only a newer daemon knows is a plain refusal."""
    known = {cls.code: cls for cls in _below(Refused, StoreReplaced, Unavailable)}
    wait_s = data.get("retry_after_s")
    kind = known.get(str(data.get("code")), Refused)
    return kind(message, retry_after_s=wait_s if isinstance(wait_s, int | float) else None)


def _below(*roots: type[SullaError]) -> Iterator[type[SullaError]]:
    for root in roots:
        yield root
        yield from _below(*root.__subclasses__())


def _shut_out(status: InvalidStatus, where: Door) -> SullaError:
    try:
        error = json.loads(status.response.body or b"")["error"]
        given = {"code": error["code"], "retry_after_s": error.get("retry_after_s")}
        return _refusal(given, f"the daemon at {where.url} does not let us in: {error['message']}")
    except (ValueError, LookupError, TypeError):
        return Unavailable(f"what answers at {where.url} is not our daemon: {status}")


def _no_answer(error: Exception) -> str:
    """Why nobody answers, without the system's number for it."""
    if isinstance(error, ConnectionRefusedError):
        return "it is stopping or starting, or has ended"
    return str(error.strerror or error) if isinstance(error, OSError) else str(error)


def _broken(closed: ConnectionClosed) -> SullaError:
    reason = closed.rcvd.reason if closed.rcvd is not None else ""
    return Unavailable(f"the connection to the daemon broke{f': {reason}' if reason else ''}")
