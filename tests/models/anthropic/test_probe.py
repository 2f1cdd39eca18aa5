"""Asking Anthropic for a model by its name, against the fake of its wire."""

from __future__ import annotations

import pytest

from sulla.core.errors import (
    ProviderKeyMissing,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ProviderUnreachable,
    SettingsError,
)
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.host.system import SystemClock
from sulla.models.anthropic.probe import find_anthropic
from sulla.models.anthropic.provider import AnthropicProvider
from sulla.models.base import ChatRequest
from sulla.testing.clock import ManualClock
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Script
from tests.servers.wire import WireRequest, WireResponse, WireServer

KEY = "right-key-1234"


async def test_a_model_that_is_there_is_found_and_no_reply_is_asked_for() -> None:
    async with FakeAnthropic(Script(()), SystemClock(), key=KEY, models=("claude-a",)) as fake:
        assert await find_anthropic("claude-a", KEY, fake.url, SystemClock()) == ("claude-a",)
        assert await find_anthropic("claude-b", KEY, fake.url, SystemClock()) == ("claude-a",), "what there is"
        assert fake.requests == []


async def test_the_key_is_shown_as_with_every_other_request() -> None:
    asked: list[dict[str, str]] = []

    async def handle(request: WireRequest, response: WireResponse) -> None:
        asked.append(
            {name: request.headers[name] for name in ("authorization", "x-api-key") if name in request.headers}
        )
        await response.whole(400, b"{}")

    clock = SystemClock()
    async with WireServer(handle) as server:
        with pytest.raises(ProviderRejected):
            await find_anthropic("claude-a", KEY, server.url, clock)
        provider = AnthropicProvider(KEY, clock, base_url=server.url)
        hello = Message(MessageId("m"), "user", (Text("hello"),))
        request = ChatRequest("claude-a", (), [hello], (), 10, 20.0)
        with pytest.raises(ProviderRejected):
            await anext(provider.stream(request))
        with pytest.raises(ProviderRejected):
            await provider.count_tokens(request)
        await provider.close()
    assert asked == [{"authorization": f"Bearer {KEY}"}] * 3


async def test_a_wrong_key_is_refused_and_not_repeated() -> None:
    async with FakeAnthropic(Script(()), SystemClock(), key=KEY) as fake:
        with pytest.raises(ProviderUnauthorized, match="Check ANTHROPIC_API_KEY") as raised:
            await find_anthropic("claude-a", "wrong-key-9876", fake.url, SystemClock())
    assert "wrong-key-9876" not in raised.value.message


async def test_a_service_that_repeats_the_key_does_not_get_it_shown() -> None:
    async def handle(request: WireRequest, response: WireResponse) -> None:
        said = f'{{"type":"error","error":{{"type":"api_error","message":"key {KEY} is odd"}}}}'
        await response.whole(500, said.encode())

    async with WireServer(handle) as server:
        with pytest.raises(ProviderTransient, match=r"key \*\*\* is odd"):
            await find_anthropic("claude-a", KEY, server.url, SystemClock())


async def test_without_a_key_nobody_is_asked() -> None:
    with pytest.raises(ProviderKeyMissing, match="set ANTHROPIC_API_KEY"):
        await find_anthropic("claude-a", "", "http://127.0.0.1:1", SystemClock())


async def test_nobody_there_is_told_from_a_refusal() -> None:
    with pytest.raises(ProviderUnreachable, match=r"no connection to .*: check the network and ANTHROPIC_BASE_URL"):
        await find_anthropic("claude-a", KEY, "http://127.0.0.1:1", SystemClock())


async def test_a_service_that_does_not_answer_is_given_up_at_the_deadline() -> None:
    clock = ManualClock()

    async def handle(request: WireRequest, response: WireResponse) -> None:
        await clock.advance(11.0)

    async with WireServer(handle) as server:
        with pytest.raises(ProviderUnreachable, match="no answer within 10 s"):
            await find_anthropic("claude-a", KEY, server.url, clock)


async def test_a_name_with_a_slash_stays_one_name() -> None:
    asked = list[str]()

    async def handle(request: WireRequest, response: WireResponse) -> None:
        asked.append(request.path)
        await response.whole(200, b"{}")

    async with WireServer(handle) as server:
        await find_anthropic("a/../b", KEY, server.url, SystemClock())
    assert asked == ["/v1/models/a%2F..%2Fb"]


async def test_a_key_that_no_header_can_carry_is_refused_before_anybody_is_asked() -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY holds blanks"):
        await find_anthropic("a", "two words", "http://127.0.0.1:1", SystemClock())
