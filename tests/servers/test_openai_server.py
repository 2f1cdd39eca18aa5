"""The fake of OpenAI's API."""

from __future__ import annotations

import pytest

from sulla.testing.clock import ManualClock
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Failure, Reply, Rule, Script
from tests.servers.test_anthropic_server import post

CHAT = {"model": "fake:1b", "messages": [{"role": "user", "content": "hello"}]}
RESPONSES = {"model": "fake:1b", "input": [{"role": "user", "content": "hello"}]}


@pytest.mark.parametrize(("path", "body"), [("/chat/completions", CHAT), ("/responses", RESPONSES)])
async def test_a_reply_streams_in_either_form(path: str, body: dict[str, object]) -> None:
    async with FakeOpenAi(Script([Rule(Reply("Hi there"))]), ManualClock()) as fake:
        status, stream = await post(fake.url.removesuffix("/v1"), f"/v1{path}", body)
        assert fake.requests == [body]
        assert fake.ended == ["done"]
    assert status == 200
    assert b"data: " in stream


async def test_it_refuses_what_the_service_refuses() -> None:
    rules = [Rule(Failure(429, message="slow down"), times=1), Rule(Reply("x"))]
    async with FakeOpenAi(Script(rules), ManualClock()) as fake:
        url = fake.url.removesuffix("/v1")
        status, said = await post(url, "/v1/chat/completions", CHAT)
        assert (status, b"slow down" in said) == (429, True)
        assert (await post(url, "/v1/chat/completions", {"model": "m"}))[0] == 400
        assert (await post(url, "/v1/else", CHAT))[0] == 404
        assert fake.ended == ["failed", "failed"]
    async with FakeOpenAi(Script(rules), ManualClock(), key="k") as fake:
        assert (await post(fake.url.removesuffix("/v1"), "/v1/responses", RESPONSES))[0] == 401
        assert fake.requests == []
