"""What must hold in every case: whoever behaves is served beside it, and the log holds no failure of ours."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from sulla.gateway.server.server import Server
from tests.gateway.conftest import Start
from tests.gateway.peer import Peer, Raw


@pytest.fixture
async def server(start: Start) -> Server:
    """A server that does not wait long for an answer to its close."""
    return await start(close_s=0.2)


@pytest.fixture(autouse=True)
async def _others_are_served(server: Server, caplog: pytest.LogCaptureFixture) -> AsyncIterator[None]:
    async with Peer.connect(server) as healthy:
        await healthy.hello()
        yield
        assert await healthy.call("system.status") == {"version": "0", "model": "scripted"}
    failures = [record.getMessage() for record in caplog.records if record.exc_info or record.levelname == "ERROR"]
    assert failures == []


@pytest.fixture
async def hostile(server: Server) -> AsyncIterator[Callable[..., Awaitable[Raw]]]:
    """Opens connections that may break in the middle of what they say."""
    async with contextlib.AsyncExitStack() as stack:

        async def begin(*, hello: bool = False) -> Raw:
            peer = await stack.enter_async_context(Raw.connect(server))
            if hello:
                await peer.upgrade()
                await peer.hello()
                await peer.message()
            return peer

        yield begin
