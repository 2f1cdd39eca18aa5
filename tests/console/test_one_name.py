"""The page is at one name of this machine, since a browser keeps who is signed in for each name apart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from sulla.console.files import WebFiles
from sulla.core.dataclass import dataclass
from sulla.gateway.app import Brought, GatewayConfig, build_app
from sulla.gateway.rest.one_name import moved
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.system import SystemClock, random_id
from tests.console.house import OWNER_TOKEN, PAGE, SCRIPT, House, sign_in
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import Peer


async def called(url: str, host: str, path: str = "/", verb: str = "GET") -> httpx.Response:
    async with httpx.AsyncClient(base_url=url) as client:
        return await client.request(verb, path, headers={"Host": host})


@dataclass(frozen=True, slots=True)
class _Named:
    """A daemon as somebody calls it."""

    url: str


@asynccontextmanager
async def listening(web: Path, address: str, *allowed: str) -> AsyncIterator[Server]:
    config = GatewayConfig("1", allowed, listens_at=address)
    brought, time = Brought(None, WebFiles(web)), SystemClock()
    app = build_app(MemoryCommands(), MemoryTokens({}), config, time, make_id=random_id, brought=brought)
    server = await serve(app, bind(address, 0), time)
    try:
        yield server
    finally:
        await server.stop(1.0)


@pytest.mark.parametrize("verb", ["GET", "HEAD"])
@pytest.mark.parametrize("name", ["localhost", "LocalHost", "[::1]", "127.0.0.2"])
async def test_the_page_at_another_name_of_this_machine_leads_to_the_one(house: House, name: str, verb: str) -> None:
    port = house.server.port
    answer = await called(house.url, f"{name}:{port}", "/?a=1&b=%2F%0d%0aX:", verb)
    assert (answer.status_code, answer.headers["location"]) == (307, f"//127.0.0.1:{port}/?a=1&b=%2F%0d%0aX:")
    assert answer.headers["cache-control"] == "no-store"
    assert (await called(house.url, "localhost")).headers["location"] == "//127.0.0.1/"


async def test_nothing_but_the_page_is_led_elsewhere(house: House) -> None:
    port = house.server.port
    there = {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}
    for path in (f"/{SCRIPT}", "/healthz", "/openapi.json", "/icon.svg"):
        assert (await called(house.url, there["Host"], path)).status_code == 200, path
    assert (await called(house.url, f"127.0.0.1:{port}")).text == PAGE
    assert (await sign_in(house.url, {"token": OWNER_TOKEN}, there)).key
    async with Peer.connect(_Named(house.url.replace("127.0.0.1", "localhost"))) as peer:
        assert (await peer.hello(OWNER_TOKEN))["scopes"]


@pytest.mark.parametrize(
    ("address", "allowed", "status"),
    [
        ("127.0.0.2", (), 200),  # nobody answers at 127.0.0.1 then
        ("127.0.0.1", ("localhost",), 200),
        ("0.0.0.0", (), 307),  # as in a container, where none comes in at 127.0.0.1
        ("127.0.0.1", (), 307),
    ],
)
async def test_it_leads_only_where_the_page_is_and_where_nobody_means_the_name(
    web: Path, address: str, allowed: tuple[str, ...], status: int
) -> None:
    async with listening(web, address, *allowed) as server:
        way = "127.0.0.2" if address == "0.0.0.0" else address
        answer = await called(f"http://{way}:{server.port}", f"localhost:{server.port}")
        assert answer.status_code == status


@pytest.mark.parametrize(("came_to", "leads"), [("::1", False), ("::ffff:127.0.0.1", True), ("10.0.0.2", False)])
def test_a_daemon_that_listens_at_every_address_of_both_kinds_goes_by_how_the_browser_came(
    came_to: str, leads: bool
) -> None:
    scope = {"headers": [(b"host", b"localhost:8137")], "server": (came_to, 8137), "path": "/", "query_string": b""}
    assert (moved(scope, "::", ()) is not None) == leads
