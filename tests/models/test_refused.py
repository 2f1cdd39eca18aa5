"""What every provider says of a refusal: by this machine itself it is sure, and by the service it costs nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sulla.core.errors import ProviderError, ProviderUnreachable
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.host.system import SystemClock, random_id
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import ChatRequest, Provider
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.openai.provider import OpenAiProvider
from sulla.models.wire.failures import HERE_S
from tests.servers.wire import WireRequest, WireResponse, WireServer

ASKED = ChatRequest("m", (), [Message(MessageId("m1"), "user", (Text("hi"),))], (), 100, 30.0, "")

PROVIDERS: dict[str, Callable[[str], Provider]] = {
    "anthropic": lambda host: AnthropicProvider("k", SystemClock(), base_url=f"http://{host}"),
    "openai": lambda host: OpenAiProvider("k", SystemClock(), random_id, base_url=f"http://{host}/v1"),
    "ollama": lambda host: OllamaProvider(host, SystemClock(), random_id),
}


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:1"])
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_refusal_of_this_machine_is_tried_again_within_seconds(name: str, host: str) -> None:
    provider = PROVIDERS[name](host)
    try:
        with pytest.raises(ProviderUnreachable) as raised:
            async for _ in provider.stream(ASKED):
                pass
    finally:
        await provider.close()
    assert raised.value.retry_after_s == HERE_S


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        *((status, False) for status in (400, 401, 404, 429, 500, 503, 529)),
        *((status, True) for status in (408, 502, 504, 524)),
    ],
)
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_refusal_of_the_service_counts_nothing_and_a_proxys_may(name: str, status: int, asked: bool) -> None:
    async def refuse(request: WireRequest, response: WireResponse) -> None:
        await response.whole(status, b'{"error": {"type": "x", "message": "no"}}')

    async with WireServer(refuse) as server:
        provider = PROVIDERS[name](server.url.removeprefix("http://"))
        try:
            with pytest.raises(ProviderError) as raised:
                async for _ in provider.stream(ASKED):
                    pass
        finally:
            await provider.close()
    assert raised.value.asked is asked
