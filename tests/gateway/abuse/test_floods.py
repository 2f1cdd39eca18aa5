"""Too much of everything, and leaving in the middle of everything."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable

import pytest

from sulla.gateway.feed.follower import EventFollower
from sulla.gateway.feed.outbox import Outbox
from sulla.gateway.server.server import Server
from sulla.host.system import SystemClock
from sulla.rpc.limits import Limits
from tests.doubles.commands import MemoryCommands
from tests.gateway.abuse.wire import CONT, HELLO, PING, PONG, STATUS, TEXT, frame, upgrade
from tests.gateway.conftest import Start, both_ways
from tests.gateway.peer import PATIENCE_S, Peer, Raw, until

Hostile = Callable[..., Awaitable[Raw]]

BOMB = zlib.compress(bytes(10_000_000), 9)
FLOODS: dict[str, tuple[bytes, int]] = {
    "a million pieces": (frame(TEXT, b"{", fin=False) + frame(CONT, fin=False) * 1_000_000, 1008),
    "a million pieces of one byte": (frame(TEXT, b"{", fin=False) + frame(CONT, b" ", fin=False) * 1_000_000, 1008),
    "a hundred thousand pings": (frame(PING, b"x" * 125) * 100_000, 1008),
    "a hundred thousand empty pings": (frame(PING) * 100_000, 1008),
    "a hundred thousand pongs": (frame(PONG) * 100_000, 1008),
    "pings between pieces": ((frame(TEXT, b"{", fin=False) + (frame(CONT, fin=False) + frame(PING)) * 100_000), 1008),
    "a bomb that was not agreed to": (frame(TEXT, BOMB, reserved=4), 1002),
    "a bomb in pieces": (frame(TEXT, BOMB[:100], reserved=4, fin=False) + frame(CONT, BOMB[100:]), 1002),
    "a bomb without its mark": (frame(TEXT, BOMB), 1007),
}


@pytest.mark.parametrize("hello", [True, False], ids=["after hello", "before hello"])
@pytest.mark.parametrize("name", FLOODS)
async def test_a_flood_ends_the_connection(hostile: Hostile, name: str, hello: bool) -> None:
    data, code = FLOODS[name]
    peer = await hostile(hello=hello)
    if not hello:
        await peer.upgrade()
    with contextlib.suppress(ConnectionError):  # it closes before it has heard everything
        await peer.send(data)
    with contextlib.suppress(ConnectionError):  # and what it said may be lost with the rest
        assert await peer.close_code() == code
    assert not await peer.rest()


async def test_a_million_tiny_messages_before_hello_are_one_mistake(hostile: Hostile) -> None:
    peer = await hostile()
    await peer.upgrade()
    with contextlib.suppress(ConnectionError):
        await peer.send(frame(TEXT, b"x") * 1_000_000)
    with contextlib.suppress(ConnectionError):
        assert await peer.close_code() == 1008


@both_ways
async def test_tiny_messages_after_hello_are_answered_one_by_one_and_keep_nobody_waiting(
    server: Server, hostile: Hostile
) -> None:
    count = 5_000
    peer = await hostile(hello=True)
    async with Peer.connect(server) as other:
        await other.hello()
        peer.writer.write(frame(TEXT, b"x") * count)
        before = 0
        asking = asyncio.ensure_future(other.call("system.status"))
        while not asking.done():
            await peer.message()
            before += 1
        await asking
    assert before < 50
    for _ in range(count - before):
        assert b"-32700" in (await peer.message())[1]


async def test_a_body_of_compressed_zeros_is_not_unpacked(hostile: Hostile) -> None:
    peer = await hostile()
    head = (
        "POST /api/threads HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Encoding: deflate\r\nContent-Length: {len(BOMB)}\r\n\r\n"
    )
    await peer.send(head.encode() + BOMB)
    assert (await peer.rest()).startswith(b"HTTP/1.1 4")


async def test_connecting_and_leaving_leaves_nothing(server: Server) -> None:
    for _ in range(100):
        async with Peer.connect(server) as peer:
            await peer.hello()
    await until(lambda: server.connections == 1)


async def test_a_frame_that_does_not_end_before_hello_runs_into_its_deadline(start: Start) -> None:
    async with Raw.connect(await start(hello_s=0.1, close_s=0.1)) as peer:
        await peer.upgrade()
        await peer.send(frame(TEXT, b"{", length=1000))
        assert await peer.close_code() == 4408


@both_ways
async def test_a_stuck_reader_is_told_to_come_back_and_its_memory_is_let_go(
    start: Start, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    for _ in range(400):
        commands.add("thr_1", "INPUT", text="x" * 50_000)
    server = await start(queue_bytes=100_000, stall_s=1.0, close_s=PATIENCE_S)
    others = _alive(Outbox)
    async with Raw.connect(server) as peer:
        await peer.upgrade()
        await peer.hello()
        await peer.send(frame(TEXT, SUBSCRIBE))
        await until(lambda: commands.listeners("thr_1"))
        await until(lambda: not commands.listeners("thr_1"))
        assert await peer.close_code() == 1013
    await until(lambda: not server.connections)
    planted = Outbox(SystemClock(), Limits())
    assert _alive(Outbox) == others + 1, "what somebody holds on to is found"
    del planted
    assert _alive(Outbox) == others
    assert not _alive(EventFollower)


def _alive(kind: type) -> int:
    """How many there are that somebody still holds on to."""
    gc.collect()
    return sum(isinstance(one, kind) for one in gc.get_objects())


# ------------------------------------------------------------------------------------------- leaving in the middle

SUBSCRIBE = b'{"jsonrpc":"2.0","id":2,"method":"events.subscribe","params":{"thread_id":"thr_1"}}'
POST = (
    b"POST /api/threads HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\n"
    b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
)
PLACES: dict[str, list[bytes]] = {
    "before anything": [],
    "in the request line": [b"GET /w"],
    "in the head": [upgrade()[:50]],
    "right behind the head": [upgrade()],
    "behind a head that is refused": [upgrade(host="evil.example")],
    "in a body": [POST],
    "in a frame's head": [upgrade(), frame(TEXT, HELLO)[:3]],
    "in a frame": [upgrade(), frame(TEXT, HELLO)[:50]],
    "in a message": [upgrade(), frame(TEXT, HELLO[:50], fin=False)],
    "right behind hello": [upgrade(), frame(TEXT, HELLO)],
    "right behind a request": [upgrade(), frame(TEXT, HELLO), frame(TEXT, STATUS)],
    "behind a thousand requests": [upgrade(), frame(TEXT, HELLO), frame(TEXT, STATUS) * 1000],
    "right behind a subscription": [upgrade(), frame(TEXT, HELLO), frame(TEXT, SUBSCRIBE)],
    "right behind a mistake": [upgrade(), frame(TEXT, HELLO), frame(TEXT, b"x", reserved=7)],
}


def _reset(peer: Raw) -> None:
    """Leave without a word: what was not read is thrown away, and the server gets an RST."""
    sock = peer.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.writer.transport.abort()


def _half_close(peer: Raw) -> None:
    """Say that nothing more comes, and go on listening."""
    peer.writer.write_eof()


@pytest.mark.parametrize("leave", [_reset, _half_close])
@pytest.mark.parametrize("name", PLACES)
async def test_who_leaves_in_the_middle_leaves_nothing_behind(
    server: Server, hostile: Hostile, commands: MemoryCommands, name: str, leave: Callable[[Raw], None]
) -> None:
    commands.make("thr_1")
    for _ in range(200):
        commands.add("thr_1", "INPUT", text="x" * 50_000)
    peer = await hostile()
    for place, piece in enumerate(PLACES[name]):
        await peer.send(piece)
        if place == 0 and len(PLACES[name]) > 1:
            async with asyncio.timeout(PATIENCE_S):
                await peer.reader.readuntil(b"\r\n\r\n")
    leave(peer)
    await until(lambda: server.connections == 1)
    await until(lambda: not commands.listeners("thr_1"))
