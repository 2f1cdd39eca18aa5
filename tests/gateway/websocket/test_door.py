from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.gateway.server.server import Server
from tests.doubles.commands import MemoryCommands
from tests.gateway.peer import Peer, Raw

OpenRaw = Callable[..., Awaitable[Raw]]


async def refusal(connecting: AbstractAsyncContextManager[Peer]) -> tuple[int, dict[str, Any]]:
    """The HTTP status and error of an upgrade that is refused."""
    with pytest.raises(InvalidStatus) as caught:
        await connecting.__aenter__()
    response = caught.value.response
    assert response.body is not None
    error: dict[str, Any] = json.loads(response.body)["error"]
    return response.status_code, error


async def test_a_token_in_the_header_is_enough(server: Server) -> None:
    async with Peer.connect(server, token="reader") as peer:
        welcome = await peer.hello(token=None)
        assert (welcome["scopes"], welcome["server"]["version"]) == (["read"], "1.2.3")
        assert peer.socket.subprotocol == "sulla.v1"


async def test_a_token_in_hello_is_enough(server: Server) -> None:
    async with Peer.connect(server) as peer:
        assert (await peer.hello("owner"))["scopes"] == ["admin", "approve", "read", "write"]


async def test_each_connection_has_its_own_session(server: Server) -> None:
    async with Peer.connect(server) as one, Peer.connect(server) as other:
        assert (await one.hello())["session"] != (await other.hello())["session"]


@pytest.mark.parametrize("authorization", ["Bearer wrong", "Bearer ", "Basic b3duZXI6", "owner"])
async def test_a_wrong_token_in_the_header_is_refused_before_the_upgrade(server: Server, authorization: str) -> None:
    status, error = await refusal(Peer.connect(server, headers={"Authorization": authorization}))
    assert (status, error["code"]) == (401, "unauthorized")
    assert "owner" not in error["message"]


@pytest.mark.parametrize("subprotocol", [None, "sulla.v2", "graphql-ws"])
async def test_another_subprotocol_is_refused(server: Server, subprotocol: str | None) -> None:
    status, error = await refusal(Peer.connect(server, token="owner", subprotocol=subprotocol))
    assert status == 400
    assert "'sulla.v1'" in error["message"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
async def test_a_page_from_elsewhere_is_refused_even_with_the_token(server: Server, origin: str) -> None:
    status, error = await refusal(Peer.connect(server, token="owner", headers={"Origin": origin}))
    assert (status, error["code"]) == (403, "forbidden")


async def test_our_own_page_and_an_allowed_one_may_connect(server: Server) -> None:
    for origin in (server.url, "https://console.test"):
        async with Peer.connect(server, headers={"Origin": origin}) as peer:
            await peer.hello()


async def test_a_token_in_the_address_is_refused_even_if_it_is_right(server: Server) -> None:
    status, error = await refusal(Peer.connect(server, path="/ws?token=owner"))
    assert status == 400
    assert "Bearer" in error["message"]
    assert "owner" not in error["message"]


async def test_another_path_is_no_way_in(server: Server) -> None:
    with pytest.raises(InvalidStatus) as caught:
        await Peer.connect(server, token="owner", path="/elsewhere").__aenter__()
    assert caught.value.response.status_code == 403


async def test_a_name_that_was_pointed_here_is_refused(raw: OpenRaw) -> None:
    peer = await raw()
    await peer.send(b"GET /ws HTTP/1.1\r\nHost: rebound.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
    await peer.send(b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
    assert (await peer.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 403")


async def test_a_wrong_token_in_hello_is_answered_and_closed(server: Server) -> None:
    async with Peer.connect(server) as peer:
        error = await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token="wrong")
        assert error["data"] == {"code": "unauthorized", "retryable": False, "retry_after_s": None}
        assert (await peer.closed())[0] == 4401


async def test_no_token_at_all_is_answered_and_closed(server: Server) -> None:
    async with Peer.connect(server) as peer:
        assert "no token" in (await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1))["message"]
        assert (await peer.closed())[0] == 4401


async def test_who_guesses_is_locked_out_by_header_and_by_hello(server: Server) -> None:
    for number in range(WRONG_TOKENS):
        status, _ = await refusal(Peer.connect(server, token=f"guess{number}"))
        assert status == 401
    status, error = await refusal(Peer.connect(server, token="one more"))
    assert (status, error["retryable"]) == (401, True)
    assert error["retry_after_s"] > 0
    async with Peer.connect(server) as peer:
        error = await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token="one more")
        assert error["data"]["retry_after_s"] > 0
        assert (await peer.closed())[0] == 4401
    async with Peer.connect(server, token="owner") as peer:  # behind a proxy all have one address
        await peer.hello()


async def test_who_guesses_cannot_choose_the_address_that_is_locked_out(server: Server) -> None:
    for number in range(WRONG_TOKENS):
        await refusal(Peer.connect(server, token=f"guess{number}", headers={"X-Forwarded-For": f"192.0.2.{number}"}))
    _, error = await refusal(Peer.connect(server, token="one more"))
    assert error["retryable"]


async def test_nothing_is_asked_of_the_daemon_before_hello(server: Server, commands: MemoryCommands) -> None:
    async with Peer.connect(server, token="owner") as peer:
        error = await peer.fail("thread.create", title="x")
        assert "expected 'hello'" in error["message"]
        assert (await peer.closed())[0] == 1008
    assert commands.calls == []
