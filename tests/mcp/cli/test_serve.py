"""What is carried between a host's pipes and the daemon (tests/daemon/clients/test_mcp.py: a real host and daemon)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from sulla.mcp.cli.serve import BY_HOST, StdioBridge
from sulla.terminal.exits import Exit
from sulla.terminal.place import Door
from sulla.testing.clock import ManualClock
from tests.cli.typed import typed

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}}
NEWER = {"name": "grüß", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
DONE = {"jsonrpc": "2.0", "id": 1, "result": {}}
Answer = Callable[[httpx2.Request], httpx2.Response]


class Hurried(ManualClock):
    """Nobody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.slept = list[float]()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class Host:
    """What a host says, and hears."""

    def __init__(self, *answers: Answer) -> None:
        self.asked = list[httpx2.Request]()
        self.heard = list[Any]()
        self.clock = Hurried()
        self._answers = [*answers]

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        return self._answers.pop(0)(request)

    async def say(self, *messages: object, query: str = "") -> None:
        reader = asyncio.StreamReader()
        for message in messages:
            reader.feed_data(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        reader.feed_eof()
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(self.answer)) as http:
            door = Door("http://daemon", "secret")
            await StdioBridge(http, lambda: door, self.clock, self.heard.append, query).serve(reader)


def gives(value: object, status: int = 200) -> Answer:
    return lambda request: httpx2.Response(status, json=value)


def streams(*values: object) -> Answer:
    text = ": ping\n\n" + "".join(f"event: message\ndata: {json.dumps(value)}\n\n" for value in values)
    return lambda request: httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"})


def is_away(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("nobody is there")


async def test_a_call_and_all_that_is_said_meanwhile() -> None:
    meanwhile = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    host = Host(streams(meanwhile, DONE))
    await host.say(CALL)
    assert host.heard == [meanwhile, DONE]
    (asked,) = host.asked
    assert (str(asked.url), asked.headers["authorization"]) == ("http://daemon/mcp", "Bearer secret")
    assert json.loads(asked.content) == CALL


async def test_what_the_host_was_set_up_for_stands_behind_each_address() -> None:
    host = Host(is_away, gives(DONE))
    await host.say(CALL, query=BY_HOST)
    assert {str(asked.url) for asked in host.asked} == {"http://daemon/mcp?approvals=tool"}


async def test_newer_versions_want_to_see_some_of_it_in_the_headers() -> None:
    host = Host(gives(DONE))
    await host.say({**CALL, "params": NEWER})
    headers = host.asked[0].headers
    assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", "tools/call")
    assert headers["mcp-name"] == "=?base64?Z3LDvMOf?="


async def test_a_daemon_that_is_away_is_asked_the_same_again() -> None:
    host = Host(is_away, streams(), gives(DONE))
    await host.say(CALL)
    assert host.heard == [DONE]
    assert host.clock.slept == [0.5, 1.0]
    assert len({asked.headers["idempotency-key"] for asked in host.asked}) == 1


async def test_a_daemon_that_stays_away_is_said_to_be() -> None:
    host = Host(*[is_away] * 6)
    await host.say(CALL)
    (heard,) = host.heard
    assert (heard["id"], heard["error"]["code"]) == (1, -32000)
    assert "nobody is there" in heard["error"]["message"]


async def test_a_refusal_has_the_name_of_what_was_refused() -> None:
    refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "no"}}
    host = Host(gives(refusal, 401))
    await host.say(CALL)
    assert host.heard == [{**refusal, "id": 1}]


async def test_what_nobody_can_read_is_said_and_the_rest_goes_on() -> None:
    host = Host(gives(DONE))
    await host.say(b"{\n", [1], {**CALL, "id": [1]}, {"jsonrpc": "2.0", "id": 5, "result": {}}, CALL)
    assert [one.get("error", {}).get("code") for one in host.heard] == [-32700, -32700, -32700, None]


async def test_notifications_have_no_answer_and_a_cancelled_request_has_none_either() -> None:
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    host = Host(gives({}), gives({}))
    await host.say(noted, CALL, cancel, {**cancel, "params": []}, {**cancel, "params": {"requestId": [1]}})
    assert host.heard == []


def test_without_a_daemon_a_host_learns_so_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = typed(capsys, "mcp", "serve", "--home", str(tmp_path))
    assert said.code == Exit.UNREACHABLE
    assert "no daemon runs on the home" in said.err
