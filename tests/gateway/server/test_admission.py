from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sulla.gateway.server.admission import Admission
from sulla.gateway.server.server import Server
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Peer, Raw, until
from tests.gateway.websocket.test_door import refusal

Connect = Callable[..., Awaitable[Peer]]
OpenRaw = Callable[..., Awaitable[Raw]]

ASK = b"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\n\r\n"


class Line(asyncio.Transport):
    """A connection that only remembers that it was cut."""

    def __init__(self) -> None:
        super().__init__()
        self.cut = False

    def abort(self) -> None:
        self.cut = True


def test_who_is_gone_when_its_token_is_seen_takes_nobodys_place() -> None:
    entrance = Admission(ManualClock(), Limits(connections=1, strangers_per_address=1))
    left, pushed_out, here = Line(), Line(), Line()
    entrance.come(left, "127.0.0.1")
    entrance.leave(left)
    entrance.come(pushed_out, "127.0.0.1")
    entrance.come(here, "127.0.0.1")
    assert [line.cut for line in (left, pushed_out, here)] == [False, True, False]
    assert [entrance.know(line, admin=True) for line in (left, pushed_out, here, here)] == [True] * 4
    late = Line()
    entrance.come(late, "127.0.0.1")
    assert not entrance.know(late, admin=True)


def test_addresses_that_one_peer_can_use_count_as_one() -> None:
    entrance = Admission(ManualClock(), Limits(strangers_per_address=1))
    lines = [Line() for _ in range(4)]
    for line, address in zip(lines, ["2001:db8::1", "2001:db8::2", "::ffff:192.0.2.1", "192.0.2.1"], strict=True):
        entrance.come(line, address)
    assert [line.cut for line in lines] == [True, False, True, False]


async def crowd(raw: OpenRaw, server: Server, size: int) -> list[Raw]:
    """Peers that connect and say nothing."""
    return [await raw(server) for _ in range(size)]


async def test_those_who_say_nothing_keep_nobody_out(start: Start, connect: Connect, raw: OpenRaw) -> None:
    server = await start(strangers=8, strangers_per_address=4)
    before = await connect(server)
    silent = await crowd(raw, server, 20)
    after = await connect(server)
    for peer in (before, after):
        await peer.call("system.status")
    for one in silent[:16]:
        assert await one.rest() == b""
    assert server.connections <= 2 + 4


async def test_who_has_upgraded_and_not_said_hello_is_a_stranger_still(
    start: Start, connect: Connect, raw: OpenRaw
) -> None:
    server = await start(strangers_per_address=2)
    peers = await crowd(raw, server, 2)
    for peer in peers:
        await peer.upgrade()
    await connect(server)
    assert await peers[0].rest() == b""


async def test_a_token_over_http_makes_a_connection_known(start: Start, raw: OpenRaw) -> None:
    server = await start(strangers_per_address=2)
    peer = await raw(server)
    for _ in range(2):
        await peer.send(ASK)
        async with asyncio.timeout(PATIENCE_S):
            assert (await peer.reader.readuntil(b"}")).startswith(b"HTTP/1.1 200")
        await crowd(raw, server, 5)


async def test_a_wrong_token_does_not(start: Start, raw: OpenRaw) -> None:
    server = await start(strangers_per_address=2)
    peer = await raw(server)
    await peer.send(ASK.replace(b"owner", b"wrong"))
    async with asyncio.timeout(PATIENCE_S):
        assert (await peer.reader.readuntil(b"}")).startswith(b"HTTP/1.1 401")
    await crowd(raw, server, 2)
    await peer.rest()


async def test_known_clients_are_bounded_and_the_next_one_learns_why(
    start: Start, connect: Connect, raw: OpenRaw
) -> None:
    server = await start(connections=2)
    peers = [await connect(server) for _ in range(2)]
    status, error = await refusal(Peer.connect(server, token="owner"))
    assert (status, error["code"], error["retryable"]) == (429, "busy", True)
    async with Peer.connect(server) as late:
        fault = await late.fail("hello", client={"name": "late", "version": "1"}, protocol=1, token="owner")
        assert fault["data"]["code"] == "busy"
        assert (await late.closed())[0] == 1013
    http = await raw(server)
    await http.send(ASK)
    async with asyncio.timeout(PATIENCE_S):
        assert b"busy" in await http.reader.readuntil(b"}")
    await peers[0].socket.close()
    await until(lambda: server.connections <= 2)
    await connect(server)
    await peers[1].call("system.status")


async def test_the_log_says_once_that_there_are_too_many(
    start: Start, raw: OpenRaw, caplog: pytest.LogCaptureFixture
) -> None:
    server = await start(strangers_per_address=2)
    peers = await crowd(raw, server, 6)
    for peer in peers[:4]:
        await peer.rest()
    (record,) = caplog.records
    assert record.getMessage() == (
        "more than 256 connections without a token, or 2 from one address (now 127.0.0.1): 1 of the oldest were cut"
    )


async def test_whoever_may_revoke_a_token_comes_in_however_many_connections_it_has_opened(
    start: Start, connect: Connect
) -> None:
    server = await start(connections=3, kept_free=1)
    crowd = [await connect(server, "reader") for _ in range(2)]
    status, error = await refusal(Peer.connect(server, token="reader"))
    assert (status, error["code"]) == (429, "busy")
    owner = await connect(server)
    assert await owner.call("token.revoke", name="reader") == {"revoked": True}
    for peer in crowd:
        assert (await peer.closed())[0] == 4401
