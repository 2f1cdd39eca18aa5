"""One short question to a model's service."""

from __future__ import annotations

import pytest

from sulla.host.system import SystemClock
from sulla.models.wire.listing import get
from tests.servers.wire import WireRequest, WireResponse, WireServer


async def test_whatever_it_answers_is_an_answer() -> None:
    async def handle(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200 if request.headers.get("x-api-key") == "k" else 401, request.path.encode())

    async with WireServer(handle) as server:
        found = await get(f"{server.url}/a?b=1", {"x-api-key": "k"}, SystemClock(), 10.0)
        assert (found.status, found.body) == (200, b"/a?b=1")
        assert (await get(server.url, {}, SystemClock(), 10.0)).status == 401


async def test_a_key_follows_no_redirect() -> None:
    asked: list[str] = []

    async def handle(request: WireRequest, response: WireResponse) -> None:
        asked.append(request.path)
        await response.whole(302, b"", {"location": f"http://{request.headers['host']}/thief"})

    async with WireServer(handle) as server:
        assert (await get(f"{server.url}/models", {"x-api-key": "k"}, SystemClock(), 10.0)).status == 302
    assert asked == ["/models"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "file:///etc/passwd", "127.0.0.1:1", "http://", "http://[x"])
async def test_nobody_there_is_an_error_of_the_system_whatever_the_address(url: str) -> None:
    with pytest.raises(OSError, match=r"refused|begins|no host|answer|given"):
        await get(url, {}, SystemClock(), 10.0)
