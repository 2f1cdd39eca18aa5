"""Servers on loopback that stand for sites of the web, and a fetcher that takes them for that."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest

from sulla.core.errors import Refused, SullaError
from sulla.host.system import SystemClock
from sulla.tools.web.fetch import Fetcher
from sulla.tools.web.urls import OwnHosts
from tests.servers.internet import FakeInternet
from tests.servers.wire import WireRequest, WireResponse, WireServer

PUBLIC, OTHER = "93.184.215.14", "93.184.215.15"
NAMES = {"example.org": [PUBLIC], "www.example.org": [PUBLIC], "other.example": [OTHER]}
HTML = {"content-type": "text/html; charset=utf-8"}

Answer = Callable[[WireRequest, WireResponse], Awaitable[None]]


class Site:
    """A server that answers by a table of paths, and remembers what it was asked."""

    def __init__(self, **pages: Answer | bytes | str) -> None:
        self.pages = pages
        self.asked: list[WireRequest] = []

    async def __call__(self, request: WireRequest, response: WireResponse) -> None:
        self.asked.append(request)
        page = self.pages[request.path.strip("/").partition("?")[0] or "root"]
        if isinstance(page, str):  # a redirect
            await response.whole(302, b"moved", {"location": page})
        elif isinstance(page, bytes):
            await response.whole(200, page, HTML)
        else:
            await page(request, response)

    @property
    def hosts(self) -> list[str]:
        return [request.headers["host"] for request in self.asked]


@asynccontextmanager
async def world(
    site: Answer,
    names: Mapping[str, Sequence[str] | Sequence[Sequence[str]]] | None = None,
    own: OwnHosts | None = None,
) -> AsyncIterator[tuple[Fetcher, FakeInternet]]:
    """A fetcher in an internet of one server."""
    async with WireServer(site) as server:
        places = {(address, port): server.url for address in (PUBLIC, OTHER, "127.0.0.1") for port in (80, 8080, 9000)}
        net = FakeInternet({**NAMES, **(names or {})}, places)
        yield Fetcher(own or OwnHosts(), net.resolve, net.connect), net


async def refused(fetcher: Fetcher, url: str, kind: type[SullaError] = Refused) -> str:
    with pytest.raises(kind) as caught:
        await fetcher.get(url, SystemClock())
    return caught.value.message


def says(body: bytes, status: int = 200, **fields: str) -> Answer:
    async def answer(request: WireRequest, response: WireResponse) -> None:
        await response.whole(
            status, body, {**HTML, **{name.replace("_", "-"): value for name, value in fields.items()}}
        )

    return answer
