"""The fast way of text frames: what it presumes of uvicorn's WebSocket, and what it does with it."""

from __future__ import annotations

import asyncio
from asyncio import Transport
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from sulla.gateway.server.direct import DIRECT, DirectSend, DirectWay, DirectWays
from sulla.gateway.server.server import bind, serve
from sulla.host.system import SystemClock
from sulla.rpc.limits import Limits

PATIENCE_S = 30.0
MANY = b"x" * 2**20


class App:
    """Hands the ways out to the test, and keeps the socket for as long as that is not done."""

    def __init__(self) -> None:
        self.direct: DirectSend | None = None
        self.asgi: Send | None = None
        self.ready = asyncio.Event()
        self.done = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        self.direct, self.asgi = scope["extensions"].get(DIRECT), send
        self.ready.set()
        await self.done.wait()

    async def by_asgi(self, text: str) -> None:
        assert self.asgi is not None
        await self.asgi({"type": "websocket.send", "text": text})

    def directly(self, text: str) -> bool:
        assert self.direct is not None
        return self.direct(text.encode())


@asynccontextmanager
async def client_of(app: App, *, direct: bool = True) -> AsyncIterator[ClientConnection]:
    server = await serve(app, bind("127.0.0.1", 0), SystemClock(), Limits(user_timeout_s=PATIENCE_S), direct=direct)
    try:
        async with asyncio.timeout(PATIENCE_S):
            async with connect(server.url.replace("http", "ws", 1), proxy=None, max_size=None) as client:
                await app.ready.wait()
                yield client
                app.done.set()
    finally:
        app.done.set()
        await server.stop(1.0)


class Written(Transport):
    """Keeps what is written to it."""

    data = b""
    writes = 0

    def write(self, data: Any) -> None:
        self.data += data
        self.writes += 1

    def is_closing(self) -> bool:
        return False


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65535, 65536, 100_000])
def test_a_frame_is_what_the_library_would_have_made(size: int) -> None:
    transport, writable, text = Written(), asyncio.Event(), b"x" * size
    writable.set()
    way = DirectWay(transport, ServerProtocol(state=State.OPEN), writable, lambda way: None)
    assert way.send(text)
    way.flush()
    assert transport.data == Frame(Opcode.TEXT, text).serialize(mask=False)


async def test_the_frames_of_a_step_are_one_write_and_what_is_large_waits_for_no_step() -> None:
    transport, ways = Written(), DirectWays(wanted=True)
    seen = protocol(transport=transport)
    seen.writable.set()
    way = ways.to(seen)
    assert way is not None
    for _ in range(3):
        assert way.send(b"small")
    assert transport.writes == 0
    await asyncio.sleep(0)
    assert (transport.writes, transport.data) == (1, 3 * Frame(Opcode.TEXT, b"small").serialize(mask=False))
    assert way.send(MANY)
    assert transport.writes == 2
    await asyncio.sleep(0)
    assert transport.writes == 2


async def test_the_installed_uvicorn_goes_along_and_what_goes_either_way_comes_in_order() -> None:
    app = App()
    async with client_of(app) as client:
        said = []
        for number in range(200):
            said.append(f"{number} hé 🦉" + "x" * (number % 7 * 20_000))
            if number % 3:
                assert app.directly(said[-1])
            else:
                await app.by_asgi(said[-1])
            assert await client.recv() == said[-1]
        for number in range(200):
            assert app.directly(f"{number}") is True
            await app.by_asgi(f"then {number}")
        heard = [await client.recv() for _ in range(400)]
        assert heard == [text for number in range(200) for text in (f"{number}", f"then {number}")]


async def test_who_takes_nothing_more_is_sent_nothing_more_until_it_does() -> None:
    app = App()
    async with client_of(app) as client:
        sent = 0
        while app.directly(MANY.decode()):
            sent += 1
            await asyncio.sleep(0)
            assert sent < 1000, "what waits has no bound"
        assert not app.directly("more")
        for _ in range(sent):
            assert len(await client.recv()) == len(MANY)
        while not app.directly("again"):  # the kernel says so in its own time
            await asyncio.sleep(0)
        assert await client.recv() == "again"


async def test_behind_a_close_nothing_is_written() -> None:
    app = App()
    async with client_of(app) as client:
        assert app.asgi is not None
        await app.asgi({"type": "websocket.close", "code": 1000, "reason": "enough"})
        assert app.directly("late")
        assert [text async for text in client] == []
        assert (client.close_code, client.close_reason) == (1000, "enough")
        assert app.directly("later")


async def test_when_it_is_turned_off_there_is_none() -> None:
    app = App()
    async with client_of(app, direct=False) as client:
        assert app.direct is None
        await app.by_asgi("by the usual way")
        assert await client.recv() == "by the usual way"


def protocol(**other: object) -> Any:
    """What uvicorn's WebSocket looks like today, or would with something else in its place."""
    return SimpleNamespace(
        **{"conn": ServerProtocol(state=State.OPEN), "writable": asyncio.Event(), "transport": Transport(), **other}
    )


def test_a_connection_that_compresses_is_left_to_uvicorn_and_the_others_are_not() -> None:
    compressing = ServerProtocol(state=State.OPEN)
    compressing.extensions = [PerMessageDeflate(False, False, 15, 15)]
    ways = DirectWays(wanted=True)
    assert ways.to(protocol(conn=compressing)) is None
    assert ways.to(protocol()) is not None


@pytest.mark.parametrize("other", [{"conn": object()}, {"writable": True}, {"transport": None}], ids=list)
def test_another_uvicorn_is_left_alone_and_that_is_said_once(
    caplog: pytest.LogCaptureFixture, other: dict[str, object]
) -> None:
    ways = DirectWays(wanted=True)
    assert [ways.to(protocol(**other)) for _ in range(3)] == [None] * 3
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "gateway.direct" in caplog.text
