"""Requests that want a WebSocket and must not get one, or not more than one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest

from tests.gateway.abuse.wire import HELLO, TEXT, frame, upgrade
from tests.gateway.peer import PATIENCE_S, Raw

Hostile = Callable[..., Awaitable[Raw]]

CUT = 0
"""No answer at all: the connection is cut."""

PLAIN = {
    "no upgrade",
    "another upgrade",
    "a list of upgrades",
    "no connection header",
    "a connection that stays",
    "a connection that is garbage",
}
"""No upgrades, but requests without a token; their connections may stay."""

CASES: dict[str, tuple[bytes, int]] = {
    # ------------------------------------------------------------------------------------------------------- the key
    "no key": (upgrade(without=["Sec-WebSocket-Key"]), 400),
    "two keys": (upgrade(more=["Sec-WebSocket-Key: BAAAAAAAAAAAAAAAAAAAAA=="]), 400),
    "an empty key": (upgrade(key=""), 400),
    "a key of fifteen bytes": (upgrade(key="AAAAAAAAAAAAAAAAAAAA"), 400),
    "a key of seventeen bytes": (upgrade(key="AAAAAAAAAAAAAAAAAAAAAAA="), 400),
    "a key of a kilobyte": (upgrade(key="A" * 1024), 400),
    "a key that is no base64": (upgrade(key="?" * 24), 400),
    "a key beyond ASCII": (upgrade(key="\xe9" * 24), 400),
    # --------------------------------------------------------------------------------------------------- the version
    "no version": (upgrade(without=["Sec-WebSocket-Version"]), 400),
    "two versions": (upgrade(more=["Sec-WebSocket-Version: 8"]), 400),
    "a list of versions": (upgrade(version="13, 8"), 400),
    "version 0": (upgrade(version="0"), 400),
    "version 12": (upgrade(version="12"), 400),
    "version 14": (upgrade(version="14"), 400),
    "version 013": (upgrade(version="013"), 400),
    "version minus one": (upgrade(version="-1"), 400),
    # ------------------------------------------------------------------------------------------- Upgrade, Connection
    "no upgrade": (upgrade(without=["Upgrade"]), 401),
    "another upgrade": (upgrade(upgrade="h2c"), 401),
    "a list of upgrades": (upgrade(upgrade="websocket, h2c"), 401),
    "two upgrades": (upgrade(more=["Upgrade: websocket"]), 426),
    "no connection header": (upgrade(without=["Connection"]), 401),
    "a connection that stays": (upgrade(connection="keep-alive"), 401),
    "a connection that is garbage": (upgrade(connection="@@@"), 401),
    "a connection that is half garbage": (upgrade(connection="Upgrade, @@@"), 400),
    # ----------------------------------------------------------------------------------------------- method, version
    "HTTP/1.0": (upgrade("GET /ws HTTP/1.0"), 505),
    "HTTP/2.0": (upgrade("GET /ws HTTP/2.0"), 505),
    "HTTP/1.1 in small letters": (upgrade("GET /ws http/1.1"), 400),
    "no HTTP version": (upgrade("GET /ws"), 400),
    "POST": (upgrade("POST /ws HTTP/1.1"), 405),
    "HEAD": (upgrade("HEAD /ws HTTP/1.1"), 405),
    "a method in small letters": (upgrade("get /ws HTTP/1.1"), 405),
    "a method of a kilobyte": (upgrade("G" * 1024 + " /ws HTTP/1.1"), 405),
    # --------------------------------------------------------------------------------------------------------- bodies
    "a body": (upgrade(more=["Content-Length: 5"]) + b"hello", 400),
    "a body that does not come": (upgrade(more=["Content-Length: 5"]), 400),
    "a chunked body": (upgrade(more=["Transfer-Encoding: chunked"]) + b"5\r\nhello\r\n0\r\n\r\n", 400),
    "a body of both kinds": (upgrade(more=["Content-Length: 5", "Transfer-Encoding: chunked"]) + b"0\r\n\r\n", 400),
    "a body of no length": (upgrade(more=["Content-Length: -1"]), 400),
    "a body of two lengths": (upgrade(more=["Content-Length: 0", "Content-Length: 5"]), 400),
    "a frame behind the request": (upgrade() + frame(TEXT, HELLO), CUT),
    "a second request behind the first": (upgrade() + upgrade(), CUT),
    "a byte behind the request": (upgrade() + b"\0", CUT),
    # ---------------------------------------------------------------------------------------------------------- sizes
    "a header of 10 kB": (upgrade(more=["X-Big: " + "x" * 10_000]), 431),
    "a header of 17 KiB": (upgrade(more=["X-Big: " + "x" * 17_500]), 431),
    "a header of 200 kB": (upgrade(more=["X-Big: " + "x" * 200_000]), 431),
    "a header of 1 MB": (upgrade(more=["X-Big: " + "x" * 1_000_000]), 431),
    "200 headers": (upgrade(more=[f"X-{number}: y" for number in range(200)]), 431),
    "a header name of 10 kB": (upgrade(more=["X" * 10_000 + ": y"]), 431),
    "an address of 9 kB": (upgrade(f"GET /ws?{'a' * 9_000} HTTP/1.1"), 414),
    "an address of 20 kB": (upgrade(f"GET /ws?{'a' * 20_000} HTTP/1.1"), 431),
    # ------------------------------------------------------------------------------------------------------- injection
    "a space in a header's name": (upgrade(more=["X Y: z"]), 400),
    "a space before the colon": (upgrade(more=["X-Y : z"]), 400),
    "a header without a name": (upgrade(more=[": z"]), 400),
    "a line without a colon": (upgrade(more=["nonsense"]), 400),
    "a return in a value": (upgrade(more=["X-Y: a\rX-Z: b"]), 400),
    "a zero in a value": (upgrade(more=["X-Y: a\0b"]), 400),
    "an escape in a value": (upgrade(more=["X-Y: a\x1bb"]), 400),
    "a zero in the address": (upgrade("GET /ws\0 HTTP/1.1"), 400),
    "a space in the address": (upgrade("GET /ws x HTTP/1.1"), 400),
    "an address beyond ASCII": (upgrade("GET /w\xe9 HTTP/1.1"), 400),
    "a folded header to begin with": (upgrade("GET /ws HTTP/1.1\r\n folded: x"), 400),
    "a line before the request": (b"\r\n" + upgrade(), 400),
    "a TLS greeting": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(512), 400),
    "an HTTP/2 preface": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "nothing but zeros": (bytes(20_000), 400),
    # ------------------------------------------------------------------------------------------------- Host and Origin
    "no Host": (upgrade(without=["Host"]), 400),
    "two Hosts": (upgrade(more=["Host: 127.0.0.1"]), 400),
    "a name that was pointed here": (upgrade(host="evil.example"), 403),
    "a name that was pointed here, with our port": (upgrade(host="evil.example:8137"), 403),
    "our name in front of another": (upgrade(host="127.0.0.1.evil.example"), 403),
    "a list of hosts": (upgrade(host="127.0.0.1, evil.example"), 403),
    "an empty Host": (upgrade(host=""), 403),
    "a page from elsewhere": (upgrade(more=["Origin: https://evil.example"]), 403),
    "a page without an origin": (upgrade(more=["Origin: null"]), 403),
    "a page of another port": (upgrade(more=["Origin: http://127.0.0.1:1"]), 403),
    "two origins": (upgrade(more=["Origin: http://127.0.0.1", "Origin: https://evil.example"]), 400),
    "a forwarded Host": (upgrade(host="evil.example", more=["X-Forwarded-Host: 127.0.0.1"]), 403),
    # ------------------------------------------------------------------------------------------- secrets in an address
    "a token in the query": (upgrade("GET /ws?token=owner HTTP/1.1"), 400),
    "a token in the query, in disguise": (upgrade("GET /ws?%74oken=owner HTTP/1.1"), 400),
    "a token in front of the host": (upgrade(host="owner@127.0.0.1"), 403),
    "a token in an absolute address": (upgrade("GET http://owner@127.0.0.1/ws HTTP/1.1"), 401),
    "a token behind a hash": (upgrade("GET /ws#token=owner HTTP/1.1"), 401),
    "a token in the path": (upgrade("GET /ws/owner HTTP/1.1"), 401),
    # ------------------------------------------------------------------------------------------------ paths, protocols
    "another path": (upgrade("GET /other HTTP/1.1"), 401),
    "a path upwards": (upgrade("GET /ws/../ws HTTP/1.1"), 401),
    "a path upwards, in disguise": (upgrade("GET /%2e%2e/ws HTTP/1.1"), 401),
    "two slashes": (upgrade("GET //ws HTTP/1.1"), 401),
    "no protocol": (upgrade(without=["Sec-WebSocket-Protocol"]), 400),
    "another protocol": (upgrade(protocol="sulla.v9"), 400),
    "a protocol beyond ASCII": (upgrade(protocol="sulla.v1\xe9"), 400),
    "a wrong token": (upgrade(more=["Authorization: Bearer wrong"]), 401),
    "no form of a token": (upgrade(more=["Authorization: owner"]), 401),
}


async def answer(peer: Raw, data: bytes) -> tuple[int, bytes]:
    """The status and all that came with it until the server ended the connection."""
    with contextlib.suppress(ConnectionError):  # it may have refused before it has heard everything
        await peer.send(data)
    said = await peer.rest()
    return (int(said.split(b" ", 2)[1]) if said else CUT), said


@pytest.mark.parametrize("name", CASES)
async def test_a_bad_request_is_refused(hostile: Hostile, name: str) -> None:
    data, expected = CASES[name]
    peer = await hostile()
    if name in PLAIN:
        await peer.send(data)
        async with asyncio.timeout(PATIENCE_S):
            said = await peer.reader.readuntil(b"\r\n\r\n")
        status = int(said.split(b" ", 2)[1])
    else:
        status, said = await answer(peer, data)
    assert status == expected, said
    assert b"Traceback" not in said
    if "token" in name:
        assert b"owner" not in said.replace(b"owner@", b"").replace(b"owner's", b"")


LEGAL: dict[str, bytes] = {
    "as it should be": upgrade(),
    "in other letters": upgrade(upgrade="WebSocket", connection="uPgRaDe"),
    "Connection as a list": upgrade(connection="keep-alive, Upgrade"),
    "more protocols than ours": upgrade(protocol="graphql-ws, sulla.v1, bearer.owner"),
    "our protocol in a second header": upgrade(protocol="x", more=["Sec-WebSocket-Protocol: sulla.v1"]),
    "compression is offered": upgrade(more=["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"]),
    "garbage for an extension": upgrade(more=["Sec-WebSocket-Extensions: ;;;=,"]),
    "lines that end without a return": upgrade(end="\n"),
    "a query that says nothing": upgrade("GET /ws?a=b HTTP/1.1"),
}


@pytest.mark.parametrize("name", LEGAL)
async def test_what_is_merely_odd_is_taken(hostile: Hostile, name: str) -> None:
    peer = await hostile()
    await peer.send(LEGAL[name])
    async with asyncio.timeout(PATIENCE_S):
        head = await peer.reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101")
    assert b"deflate" not in head
    assert b"owner" not in head
    await peer.hello()
    assert (await peer.message())[0] == TEXT


async def test_a_token_among_the_protocols_opens_nothing(hostile: Hostile) -> None:
    peer = await hostile()
    await peer.send(upgrade(protocol="sulla.v1, owner"))
    async with asyncio.timeout(PATIENCE_S):
        await peer.reader.readuntil(b"\r\n\r\n")
    await peer.send(frame(TEXT, HELLO.replace(b',"token":"owner"', b"")))
    assert await peer.close_code() == 4401


async def test_a_request_before_the_upgrade_is_answered_first(hostile: Hostile) -> None:
    peer = await hostile()
    await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + upgrade())
    async with asyncio.timeout(PATIENCE_S):
        assert (await peer.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert b"HTTP/1.1 101" in await peer.reader.readuntil(b"\r\n\r\n")
