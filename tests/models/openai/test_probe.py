"""Asking a service that speaks OpenAI's API for its models, against the fake of its wire."""

from __future__ import annotations

import pytest

from sulla.core.errors import ProviderProtocol, ProviderUnauthorized, ProviderUnreachable, SettingsError
from sulla.host.system import SystemClock
from sulla.models.openai.probe import list_openai
from sulla.testing.clock import ManualClock
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Script
from tests.servers.wire import WireRequest, WireResponse, WireServer

KEY = "right-key-1234"


async def test_the_models_are_listed_as_the_service_says_and_no_reply_is_asked_for() -> None:
    async with FakeOpenAi(Script(()), SystemClock(), key=KEY, models=("a", "b")) as fake:
        assert await list_openai("a", KEY, fake.url, SystemClock()) == ("a", "b")
        assert fake.requests == []


async def test_a_server_of_ones_own_needs_no_key() -> None:
    async with FakeOpenAi(Script(()), SystemClock()) as fake:
        assert await list_openai("a", "", fake.url, SystemClock()) == ("fake:1b",)


async def test_a_wrong_key_is_refused_and_not_repeated() -> None:
    async with FakeOpenAi(Script(()), SystemClock(), key=KEY) as fake:
        with pytest.raises(ProviderUnauthorized, match="Check OPENAI_API_KEY") as raised:
            await list_openai("a", "wrong-key-9876", fake.url, SystemClock())
    assert "wrong-key-9876" not in raised.value.message


async def test_nobody_there_is_told_from_a_refusal() -> None:
    with pytest.raises(ProviderUnreachable, match=r"no connection to .*: check the network and OPENAI_BASE_URL"):
        await list_openai("a", KEY, "http://127.0.0.1:1/v1", SystemClock())


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 5}', b'{"data": [{"name": "x"}]}', b"{}"])
async def test_an_answer_that_is_no_list_is_named(body: bytes) -> None:
    async def handle(request: WireRequest, response: WireResponse) -> None:
        await response.whole(200, body)

    async with WireServer(handle) as server:
        with pytest.raises(ProviderProtocol, match="gave no list of models: check OPENAI_BASE_URL"):
            await list_openai("a", KEY, server.url, SystemClock())


async def test_a_service_that_does_not_answer_is_given_up_at_the_deadline() -> None:
    clock = ManualClock()

    async def handle(request: WireRequest, response: WireResponse) -> None:
        await clock.advance(11.0)

    async with WireServer(handle) as server:
        with pytest.raises(ProviderUnreachable, match="no answer within 10 s"):
            await list_openai("a", KEY, server.url, clock)


async def test_a_key_that_no_header_can_carry_is_refused_before_anybody_is_asked() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY holds blanks"):
        await list_openai("a", "two words", "http://127.0.0.1:1", SystemClock())
