"""Finding an Ollama without its library."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import SettingsError
from sulla.models.ollama.probe import address, find_ollama
from sulla.testing.clock import ManualClock
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Script
from tests.servers.wire import WireRequest, WireResponse, WireServer


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:9000", "http://gpu-box:9000"),
        (":9000", "http://127.0.0.1:9000"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://gpu-box", "http://gpu-box:80"),
        ("HTTPS://gpu-box/ollama/", "https://gpu-box:443/ollama"),
        ("http://gpu-box:9000", "http://gpu-box:9000"),
        ("[::1]:9000", "http://[::1]:9000"),
        ("http://[::]", "http://[::1]:80"),
    ],
)
def test_a_host_in_any_form_is_an_address(host: str, url: str) -> None:
    assert address(host) == url


@pytest.mark.parametrize("host", ["ftp://x", "gpu-box:port", "gpu box", "http://[::1"])
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(SettingsError, match="OLLAMA_HOST"):
        address(host)


async def test_its_models_are_found() -> None:
    clock = ManualClock()
    async with FakeOllama(Script([]), clock, models=("qwen3:8b", "llama3:latest")) as fake:
        assert await find_ollama(fake.url, clock) == ("qwen3:8b", "llama3:latest")


async def test_an_ollama_without_models_is_one() -> None:
    clock = ManualClock()
    async with FakeOllama(Script([]), clock, models=()) as fake:
        assert await find_ollama(fake.url, clock) == ()


@pytest.mark.parametrize("answer", [b"", b"hello", b"{}", b'{"models": 7}', b'{"models": [7]}', b"[]"])
async def test_another_service_at_its_address_is_none(answer: bytes) -> None:
    async def other(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200, answer)

    async with WireServer(other) as server:
        assert await find_ollama(server.url, ManualClock()) is None


async def test_an_error_is_none() -> None:
    async def failing(request: WireRequest, response: WireResponse) -> None:
        await response.whole(500, b'{"models": []}')

    async with WireServer(failing) as server:
        url = server.url
        assert await find_ollama(url, ManualClock()) is None
    assert await find_ollama(url, ManualClock()) is None


async def test_a_service_that_does_not_answer_in_time_is_none() -> None:
    came = asyncio.Event()

    async def silent(request: WireRequest, response: WireResponse) -> None:
        came.set()
        await asyncio.Event().wait()

    clock = ManualClock()
    async with WireServer(silent) as server:
        looking = asyncio.create_task(find_ollama(server.url, clock))
        await came.wait()
        await clock.advance(0.9)
        assert not looking.done()
        await clock.advance(0.2)
        assert await looking is None
