"""A service that takes a request and hangs up is there: it is not told like one that is off."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from sulla.core.errors import ProviderTransient
from sulla.host.system import SystemClock
from sulla.models.anthropic.probe import find_anthropic
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.openai.probe import list_openai
from sulla.models.wire.failures import hung_up, no_connection


@asynccontextmanager
async def service(*, reset: bool) -> AsyncIterator[str]:
    """One that reads a request and ends the connection, properly or not."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        if reset:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def ollama(url: str) -> None:
    provider = OllamaProvider(url, SystemClock(), lambda prefix: prefix)
    try:
        await provider.embed("m", ["x"])
    finally:
        await provider.close()


async def anthropic(url: str) -> None:
    await find_anthropic("m", "key-1", url, SystemClock())


async def openai(url: str) -> None:
    await list_openai("m", "key-1", f"{url}/v1", SystemClock())


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("ask", [ollama, anthropic, openai])
async def test_who_hangs_up_is_no_reason_to_look_at_the_network(
    ask: Callable[[str], Awaitable[None]], reset: bool
) -> None:
    async with service(reset=reset) as url:
        with pytest.raises(ProviderTransient, match="closed the connection without an answer for") as raised:
            await ask(url)
    assert type(raised.value) is ProviderTransient
    assert url in raised.value.message


def test_a_refused_connection_is_none_that_was_closed() -> None:
    outer = ValueError("it failed")
    outer.__cause__ = ConnectionRefusedError("refused")
    assert not hung_up(outer)
    assert "no connection to" in no_connection("m", "http://there", "X_BASE_URL", outer).message
