"""The gateway on a server that is none of ours: what it needs of a server is ASGI alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import uvicorn

from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.server.server import bind
from sulla.host.system import SystemClock, random_id
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import Peer

THREAD = "thr_1"


@dataclass(frozen=True, slots=True)
class Plain:
    """uvicorn as it is."""

    url: str


@pytest.fixture
async def plain(commands: MemoryCommands, tokens: MemoryTokens) -> AsyncIterator[Plain]:
    commands.make(THREAD)
    app = build_app(commands, tokens, GatewayConfig("1.2.3"), SystemClock(), make_id=random_id)
    sock = bind("127.0.0.1", 0)
    config = uvicorn.Config(app, interface="asgi3", ws="websockets-sansio", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    yield Plain(f"http://127.0.0.1:{sock.getsockname()[1]}")
    server.should_exit = True
    await serving


async def test_a_turn_is_sent_and_shown(plain: Plain, commands: MemoryCommands) -> None:
    async with Peer.connect(plain) as peer:
        await peer.hello("owner")
        await peer.call("events.subscribe", thread_id=THREAD, after=0)
        sent = await peer.call("turn.send", thread_id=THREAD, message_id="m1", text="hé 🦉")
        event = await peer.event()
        assert (event["seq"], event["type"]) == (sent["seq"], "INPUT")
        commands.add(THREAD, "MODEL_STARTED", message_id="a1")
        assert (await peer.event())["type"] == "MODEL_STARTED"
        commands.show(THREAD, TEXT, message_id="a1", offset=0, delta="Hel")
        assert (await peer.event())["data"]["delta"] == "Hel"


async def test_who_may_not_come_in_is_told_why(plain: Plain) -> None:
    async with Peer.connect(plain) as peer:
        error = await peer.fail("hello", token="wrong", client={"name": "test", "version": "1"}, protocol=1)
        assert error["data"]["code"] == "unauthorized"
        assert (await peer.closed())[0] == 4401


async def test_whose_token_is_revoked_is_hung_up_on(plain: Plain) -> None:
    async with Peer.connect(plain) as owner, Peer.connect(plain) as reader:
        await owner.hello("owner")
        await reader.hello("reader")
        await owner.call("token.revoke", name="reader")
        assert (await reader.closed())[0] == 4401
