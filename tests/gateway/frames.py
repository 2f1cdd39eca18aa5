"""Every frame that the suite sees is held against docs/inside/asyncapi.json: a wrong one fails its test.

A pytest plugin (tests/conftest.py). It looks where a gateway in this process sends, whoever reads it, and where a
client in this process receives, so that daemons in processes of their own are looked at too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from jsonschema_rs import Draft7Validator

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Send
    from starlette.websockets import WebSocket

PAGE = Path(__file__).resolve().parents[2] / "docs" / "inside" / "asyncapi.json"
SUBPROTOCOL = "sulla.v1"
DIRECT = "sulla.direct"
_SHOWN_CHARS = 600
_REASON_BYTES = 123
"""RFC 6455 §5.5: a control frame holds 125 bytes, and the code takes two."""

_WRONG: list[str] = []
"""What was wrong with frames of the running test."""


class Contract:
    """What a document says that the daemon may send.

    Args:
        document: an AsyncAPI 3 document.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        parts = {"components": {"schemas": document["components"]["schemas"]}}
        self._forms = {
            name: Draft7Validator({**message["payload"], **parts})
            for name, message in document["components"]["messages"].items()
        }
        self._channel = document["channels"]["ws"]

    def complaints(self, name: str, frame: object) -> Iterator[str]:
        """What is wrong with a frame that should be the message `name`."""
        form = self._forms.get(name)
        if form is None:
            yield f"there is no message {name!r}"
            return
        for error in form.iter_errors(frame):
            yield f"{name}: {'.'.join(map(str, error.instance_path))}: {error.message}"

    def code_of(self, word: str) -> int | None:
        """The number that goes with an error's word."""
        found: int | None = self._channel["x-error-codes"].get(word)
        return found

    def closes_with(self, code: int) -> bool:
        """Whether the daemon may close a connection with that."""
        return str(code) in self._channel["x-close-codes"]


@cache
def published() -> Contract:
    """The contract that the repository publishes."""
    return Contract(orjson.loads(PAGE.read_bytes()))


class Conversation:
    """One connection as an onlooker hears it.

    Args:
        contract: what is allowed.
        complain: takes what is wrong.
    """

    def __init__(self, contract: Contract, complain: Callable[[str], None]) -> None:
        self._contract = contract
        self._complain = complain
        self._asked: dict[Any, list[str]] = {}

    def heard(self, text: str | bytes) -> None:
        """The client has said something: what it asks for is remembered, however wrong the rest is."""
        try:
            frame = orjson.loads(text)
        except ValueError:
            return
        match frame:
            case {"id": (str() | int()) as id_, "method": str(method)}:
                self._asked.setdefault(id_, []).append(method)

    def said(self, text: str | bytes) -> None:
        """The daemon has said something."""
        if not isinstance(text, str):
            self._complain(f"a binary frame of {len(text)} bytes")
            return
        found = list(self._wrong(text))
        if found:
            self._complain(f"{'; '.join(found)}: {text[:_SHOWN_CHARS]}")

    def closed(self, code: int, reason: str) -> None:
        """The daemon has closed."""
        if not self._contract.closes_with(code):
            self._complain(f"closed with {code}, which is not published ({reason!r})")
        if len(reason.encode()) > _REASON_BYTES:
            self._complain(f"closed with a reason of {len(reason.encode())} bytes")

    def _wrong(self, text: str) -> Iterator[str]:
        try:
            frame = orjson.loads(text)
        except ValueError as error:
            yield f"not JSON: {error}"
            return
        match frame:
            case {"method": "event", "params": {"type": str(type_)}}:
                yield from self._contract.complaints(f"event.{type_}", frame)
            case {"method": str(method)}:
                yield from self._contract.complaints(method, frame)
            case {"id": id_, "error": _}:
                self._take(id_)
                yield from self._contract.complaints("error", frame)
                yield from self._wrong_code(frame["error"])
            case {"id": id_, "result": _}:
                if (asked := self._take(id_)) is None:
                    yield "nobody asked"
                else:
                    yield from self._contract.complaints(f"{asked}.result", frame)
            case _:
                yield "of no known form"

    def _wrong_code(self, error: Any) -> Iterator[str]:
        match error:
            case {"code": code, "data": {"code": str(word)}} if self._contract.code_of(word) != code:
                yield f"{word!r} goes with {self._contract.code_of(word)}, not {code}"

    def _take(self, id_: Any) -> str | None:
        asked = self._asked.get(id_, [])
        return asked.pop(0) if asked else None


# --------------------------------------------------------------------------------------------------------- the places


def watch_gateway(module: Any) -> None:
    """Listen to every socket that a gateway of this process takes in.

    Args:
        module: `sulla.gateway.websocket.door`.
    """
    serve = module.SocketDoor.serve

    def receiving(receive: Receive, heard: Conversation) -> Receive:
        async def listen() -> Message:
            message = await receive()
            if isinstance(text := message.get("text"), str):
                heard.heard(text)
            return message

        return listen

    def sending(send: Send, heard: Conversation) -> Send:
        async def speak(message: Message) -> None:
            if isinstance(text := message.get("text"), str):
                heard.said(text)
            if message["type"] == "websocket.close":
                heard.closed(message.get("code", 1000), message.get("reason") or "")
            await send(message)

        return speak

    async def overheard(self: object, socket: WebSocket) -> None:
        if socket.scope["path"] != "/ws":  # another language
            await serve(self, socket)
            return
        heard = Conversation(published(), _WRONG.append)
        socket._receive, socket._send = receiving(socket._receive, heard), sending(socket._send, heard)
        _listen_directly(socket.scope.get("extensions", {}), heard)
        await serve(self, socket)

    module.SocketDoor.serve = overheard


def _listen_directly(extensions: dict[str, Any], heard: Conversation) -> None:
    if DIRECT not in extensions:
        return
    send: Callable[[bytes], bool] = extensions[DIRECT]

    def speak(frame: bytes) -> bool:
        sent = send(frame)
        if sent:  # one that has to wait comes by again
            heard.said(frame.decode())
        return sent

    extensions[DIRECT] = speak


def watch_streams(module: Any) -> None:
    """Look at what a gateway of this process sends over HTTP: the same notifications in another wrapping.

    Args:
        module: `sulla.gateway.rest.sse`.
    """

    def overheard(make: Callable[..., bytes], method: str) -> Callable[..., bytes]:
        def said(*about: object) -> bytes:
            block = make(*about)
            (params,) = re.findall(rb"^data: (.*)$", block, re.MULTILINE)
            frame = orjson.dumps({"jsonrpc": "2.0", "method": method, "params": orjson.loads(params)})
            Conversation(published(), _WRONG.append).said(frame.decode())
            return block

        return said

    module.event_block = overheard(module.event_block, "event")
    module.gap_block = overheard(module.gap_block, "events.gap")


def watch_clients(module: Any) -> None:
    """Listen to every client of this process that speaks our protocol.

    Args:
        module: `websockets.asyncio.client`.
    """
    connection = module.ClientConnection
    send, recv = connection.send, connection.recv

    def conversation(client: Any) -> Conversation | None:
        if client.subprotocol != SUBPROTOCOL:
            return None
        found: Conversation = client.__dict__.setdefault("overheard", Conversation(published(), _WRONG.append))
        return found

    async def overheard_send(self: object, message: Any, **options: Any) -> None:
        if (heard := conversation(self)) is not None and isinstance(message, str):
            heard.heard(message)
        await send(self, message, **options)

    async def overheard_recv(self: object, **options: Any) -> Any:
        message = await recv(self, **options)
        if (heard := conversation(self)) is not None:
            heard.said(message.decode() if options.get("decode") is False and isinstance(message, bytes) else message)
        return message

    connection.send, connection.recv = overheard_send, overheard_recv


_PLACES = {
    "sulla.gateway.websocket.door": watch_gateway,
    "sulla.gateway.rest.sse": watch_streams,
    "websockets.asyncio.client": watch_clients,
}
"""What to do once a module is there: tests of pure modules must not wait for servers to be imported."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Listen where there is something to listen to by now."""
    for name in [name for name in _PLACES if name in sys.modules]:
        _PLACES.pop(name)(sys.modules[name])
        published()  # now, and not within a handshake: it takes as long as some deadlines there


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Fail a test for which a wrong frame was sent; last, so that its servers are down by then."""
    if _WRONG:
        found = "\n".join(_WRONG[:5])
        _WRONG.clear()
        pytest.fail(f"frames that docs/inside/asyncapi.json does not allow (is it current?):\n{found}")


@pytest.fixture
def wrong_frames() -> list[str]:
    """What was wrong with frames of this test so far; a test that plants a wrong one takes it out again."""
    return _WRONG


@pytest.fixture
def foreign_frames() -> Iterator[None]:
    """For tests whose daemon is made up: what it says is held against nothing."""
    yield
    _WRONG.clear()
