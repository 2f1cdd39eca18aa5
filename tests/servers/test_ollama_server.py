"""The fake of Ollama's service."""

from __future__ import annotations

import orjson

from sulla.testing.clock import ManualClock
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.servers.test_anthropic_server import post

BODY = {"model": "fake:1b", "messages": [{"role": "user", "content": "hello"}]}


async def test_a_reply_comes_line_by_line_and_ends_with_its_counts() -> None:
    reply = Reply("Hi there", "hm", (ToolUse("t", {"a": 1}),), pieces=2)
    async with FakeOllama(Script([Rule(reply)]), ManualClock()) as fake:
        status, stream = await post(fake.url, "/api/chat", BODY)
        assert fake.requests == [BODY]
    lines = [orjson.loads(line) for line in stream.split(b"\r\n") if line.startswith(b"{")]
    assert status == 200
    assert "".join(line["message"].get("content", "") for line in lines) == "Hi there"
    assert "".join(line["message"].get("thinking", "") for line in lines) == "hm"
    assert lines[-2]["message"]["tool_calls"] == [{"function": {"name": "t", "arguments": {"a": 1}}}]
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert lines[-1]["eval_count"] > 0


async def test_it_refuses_what_the_service_refuses() -> None:
    async with FakeOllama(Script([Rule(Failure(500, message="no"), times=1), Rule(Reply("x"))]), ManualClock()) as fake:
        assert await post(fake.url, "/api/chat", BODY) == (500, b'{"error":"no"}')
        assert (await post(fake.url, "/api/chat", {**BODY, "model": "other"}))[0] == 404
        assert (await post(fake.url, "/api/else", BODY))[0] == 404
        assert fake.ended == ["failed", "failed"]
