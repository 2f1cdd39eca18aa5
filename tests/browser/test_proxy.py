"""The browser's way out, without a browser."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest

from sulla.browser.metrics import CONNECTIONS, COUNTERS
from sulla.browser.proxy import MAX_REFUSALS, MORE_BYTES, OURS, USER, GuardedProxy
from sulla.host.system import SystemClock
from sulla.telemetry.tally import Tally
from sulla.tools.web.fetch import Fetcher
from tests.servers.internet import FakeInternet
from tests.servers.wire import WireRequest, WireResponse, WireServer

PUBLIC = "93.184.215.14"
NAMES: Mapping[str, Sequence[str] | Sequence[Sequence[str]]] = {
    "example.org": [PUBLIC],
    "inner.example": ["10.0.0.5"],
    "rebind.example": [[PUBLIC], ["127.0.0.1"]],
    "127.0.0.1": ["127.0.0.1"],
    "::1": ["::1"],
}
PLENTY = 1_000_000


class Line:
    """A client of the proxy, and what is behind it."""

    def __init__(
        self, proxy: GuardedProxy, port: int, net: FakeInternet, asked: list[WireRequest], tally: Tally
    ) -> None:
        self.proxy, self.port, self.net, self.asked, self.tally = proxy, port, net, asked, tally

    async def says(self, head: str, *more: bytes, until: tuple[bytes, ...] = ()) -> bytes:
        """All that is answered until the proxy hangs up, or as far as is wanted."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head.replace("\n", "\r\n").encode())
        for piece in more:
            writer.write(piece)
        answer = b""
        while not answer.endswith(until) and (piece := await reader.read(1000)):
            answer += piece
        writer.close()
        return answer


@asynccontextmanager
async def line(credential: str = "", most_bytes: int = PLENTY) -> AsyncIterator[Line]:
    asked: list[WireRequest] = []

    async def answer(request: WireRequest, response: WireResponse) -> None:
        asked.append(request)
        await response.whole(200, b"x" * 1000 if request.path == "/big" else b"hello", {"content-type": "text/plain"})

    async with WireServer(answer) as server:
        places = {(address, port): server.url for address in (PUBLIC, "10.0.0.5", "127.0.0.1") for port in (80, 443)}
        net, tally = FakeInternet(NAMES, places), Tally(COUNTERS, ())
        proxy = GuardedProxy(Fetcher(resolve=net.resolve, connect=net.connect), SystemClock(), tally, credential)
        proxy.allow(most_bytes)
        port = await proxy.listen()
        try:
            yield Line(proxy, port, net, asked, tally)
        finally:
            await proxy.close()


async def test_a_plain_request_is_passed_on_alone() -> None:
    second = b"GET http://inner.example/b HTTP/1.1\r\nHost: inner.example\r\n\r\n"
    async with line() as one:
        said = await one.says(
            "GET http://example.org/a?b=1 HTTP/1.1\nHost: example.org\nCookie: c=1\nProxy-Connection: keep-alive\n"
            "Connection: keep-alive, Cookie\n\n",
            second,
        )
        assert said.startswith(b"HTTP/1.1 200 ")
        assert said.endswith(b"\r\n\r\nhello")
        assert b"connection: close" in said.lower()
        (request,) = one.asked
        assert (request.method, request.path, request.headers["host"]) == ("GET", "/a?b=1", "example.org")
        assert request.headers["connection"] == "close"
        assert "proxy-connection" not in request.headers
        assert one.net.connected == [(PUBLIC, 80)]


async def test_a_body_is_passed_on_too() -> None:
    async with line() as one:
        await one.says("POST http://example.org/ HTTP/1.1\nHost: example.org\nContent-Length: 5\n\nabcde")
        assert one.asked[0].body == b"abcde"


async def test_a_tunnel_carries_whatever_there_is() -> None:
    async with line() as one:
        said = await one.says(
            "CONNECT example.org:443 HTTP/1.1\nHost: example.org:443\n\n",
            b"GET /t HTTP/1.1\r\n\r\n",
            until=(b"hello",),
        )
        assert said.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 ")
        assert one.net.connected == [(PUBLIC, 443)]


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("GET http://127.0.0.1/ HTTP/1.1\nHost: x\n\n", "this machine itself"),
        ("GET http://[::1]/ HTTP/1.1\nHost: x\n\n", "this machine itself"),
        ("CONNECT 127.0.0.1:443 HTTP/1.1\nHost: x\n\n", "this machine itself"),
        ("CONNECT inner.example:443 HTTP/1.1\nHost: x\n\n", "private network"),
        ("CONNECT example.org:22 HTTP/1.1\nHost: x\n\n", "port 22 is not one of"),
        ("CONNECT 0x7f.1:443 HTTP/1.1\nHost: x\n\n", "in a spelling of its own"),
        ("GET ftp://example.org/ HTTP/1.1\nHost: x\n\n", "only plain addresses of http"),
        ("GET /a HTTP/1.1\nHost: example.org\n\n", "only plain addresses of http"),
        ("GET http://a:b@example.org/ HTTP/1.1\nHost: x\n\n", "only plain addresses of http"),
        ("GET http://nowhere.example/ HTTP/1.1\nHost: x\n\n", "could not be looked up"),
    ],
)
async def test_what_may_not_be_asked_is_refused_and_nobody_is_connected_to(head: str, why: str) -> None:
    async with line() as one:
        said = await one.says(head)
        assert said.startswith(b"HTTP/1.1 403 ")
        assert OURS in said.decode()
        assert why in said.decode()
        assert one.net.connected == []
        (refusal,) = one.proxy.refusals(0)
        assert why in refusal.why
        assert one.proxy.refusals(refusal.number) == ()
        assert dict(one.tally.counted())[CONNECTIONS] == {("refused",): 1.0}


async def test_a_name_that_changes_its_mind_leads_nowhere() -> None:
    async with line() as one:
        asks = "GET http://rebind.example/ HTTP/1.1\nHost: rebind.example\n\n"
        assert (await one.says(asks)).startswith(b"HTTP/1.1 200 ")
        assert (await one.says(asks)).startswith(b"HTTP/1.1 403 ")
        assert one.net.connected == [(PUBLIC, 80)]


async def test_whoever_does_not_know_the_credential_is_not_served() -> None:
    known, wrong = (base64.b64encode(f"{USER}:{word}".encode()).decode() for word in ("right", "wrong"))
    asks = "GET http://example.org/ HTTP/1.1\nHost: example.org\n"
    async with line("right") as one:
        for more in ("\n", f"Proxy-Authorization: Basic {wrong}\n\n", "Proxy-Authorization: Basic\n\n"):
            said = await one.says(asks + more)
            assert said.startswith(b"HTTP/1.1 407 ")
            assert b"Proxy-Authenticate: Basic" in said
        assert one.net.connected == []
        assert (await one.says(f"{asks}Proxy-Authorization: Basic {known}\n\n")).startswith(b"HTTP/1.1 200 ")
        assert "proxy-authorization" not in one.asked[0].headers


async def test_what_is_more_than_may_be_loaded_is_broken_off_and_told_once() -> None:
    async with line(most_bytes=600) as one:
        for _ in range(2):
            assert b"x" not in await one.says("GET http://example.org/big HTTP/1.1\nHost: example.org\n\n")
        assert [refusal.why for refusal in one.proxy.refusals(0)] == [MORE_BYTES]
        one.proxy.allow(PLENTY)
        assert (await one.says("GET http://example.org/big HTTP/1.1\nHost: example.org\n\n")).endswith(b"x" * 1000)


async def test_what_is_no_http_ends_the_connection_and_nothing_else() -> None:
    async with line() as one:
        assert await one.says("\x16\x03\x01 hello\n\n") == b""
        assert (await one.says("GET http://example.org/ HTTP/1.1\nHost: x\n\n")).startswith(b"HTTP/1.1 200 ")


async def test_the_newest_refusals_are_remembered() -> None:
    async with line() as one:
        for _ in range(MAX_REFUSALS + 2):
            await one.says("CONNECT 127.0.0.1:443 HTTP/1.1\nHost: x\n\n")
        assert one.proxy.refused == MAX_REFUSALS + 2
        assert next(refusal.number for refusal in one.proxy.refusals(0)) == 3
