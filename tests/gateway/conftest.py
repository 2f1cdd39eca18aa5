"""A real server on a loopback port for each test that asks for one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Literal

import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.system import SystemClock, random_id
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import PATIENCE_S, Peer, Raw

Start = Callable[..., Awaitable[Server]]


@pytest.fixture
def commands() -> MemoryCommands:
    """What the gateway calls."""
    return MemoryCommands()


@pytest.fixture
def tokens() -> MemoryTokens:
    """Those that open the door."""
    return MemoryTokens({"owner": ALL_SCOPES, "reader": ["read"]})


async def _stopped(server: Server, clock: ManualClock | None) -> None:
    """Stop a server; if its time is a test's, let it pass meanwhile."""
    stopping = asyncio.ensure_future(server.stop(1.0))
    while clock is not None and not stopping.done():
        await clock.advance(0.1)
    await stopping


@pytest.fixture
def direct() -> bool:
    """The setting of that name."""
    return True


both_ways = pytest.mark.parametrize("direct", [True, False], ids=["direct", "through ASGI"])
"""What has to hold however frames go out."""


@pytest.fixture
async def start(commands: MemoryCommands, tokens: MemoryTokens, direct: bool) -> AsyncIterator[Start]:
    """Starts a server with the limits it is given; with a `clock` these are reached when the test says so.

    No kernel cuts off in the server's place who takes nothing, unless a test wants that.
    """
    async with AsyncExitStack() as stack:

        async def begin(
            on_leave: Literal["go_on", "stop"] = "go_on", clock: ManualClock | None = None, **limits: float
        ) -> Server:
            given = {"user_timeout_s": 4 * PATIENCE_S, **limits}
            time, bounds = clock or SystemClock(), Limits(**given)  # type: ignore[arg-type]  # ints and floats by name
            config = GatewayConfig("1.2.3", ("sulla.test",), ("https://console.test",), bounds, on_leave)
            app = build_app(commands, tokens, config, time, make_id=random_id)
            server = await serve(app, bind("127.0.0.1", 0, bounds), time, bounds, direct=direct)
            stack.push_async_callback(_stopped, server, clock)
            return server

        yield begin


@pytest.fixture
async def server(start: Start) -> Server:
    """A server with the usual limits."""
    return await start()


Connect = Callable[..., Awaitable[Peer]]


@pytest.fixture
async def connect(server: Server) -> AsyncIterator[Connect]:
    """Connects clients that have said hello to the usual server, or to another one."""
    async with AsyncExitStack() as stack:

        async def begin(to: Server | None = None, token: str = "owner") -> Peer:
            peer = await stack.enter_async_context(Peer.connect(to or server))
            await peer.hello(token)
            return peer

        yield begin


@pytest.fixture
async def raw(server: Server) -> AsyncIterator[Callable[..., Awaitable[Raw]]]:
    """Opens bare TCP connections to the usual server, or to another one."""
    async with AsyncExitStack() as stack:

        async def begin(to: Server | None = None) -> Raw:
            return await stack.enter_async_context(Raw.connect(to or server))

        yield begin
