"""MCP requests that come again, and those that the protocol's library has no words for."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.gateway.server.server import Server
from tests.gateway.dialects.mcp.test_dialect import BY_TOOL, HEADERS, ask, asks, dial, ends, words
from tests.gateway.dialects.playing import Played, says

OWNER = HEADERS | {"authorization": "Bearer owner"}


def call(name: str, **given: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}


async def test_a_name_that_is_left_open_does_not_take_the_requests_own(server: Server, commands: Played) -> None:
    commands.turns = [says("Hello."), says("Hello again.")]
    async with httpx2.AsyncClient(trust_env=False, base_url=server.url, headers=OWNER) as http:
        for _ in range(2):
            named = {"idempotency-key": "mcp_1"}
            found = await http.post("/mcp", headers=named, json=call("ask", message="Hi", request_id=None))
            assert '"text":"Hello."' in found.text
    assert commands.texts == ["Hi"]


async def test_the_same_answer_again_is_no_error_and_no_other_question(server: Server, commands: Played) -> None:
    commands.turns = [asks, ends]
    async with dial(server, query=BY_TOOL) as client:
        asked = (await ask(client)).structured_content
        answer = {"thread_id": asked["thread_id"], "id": "approval:call_1", "verdict": "approve"}
        first = (await client.call_tool("answer_approval", answer)).structured_content
        again = await client.call_tool("answer_approval", answer)
        unknown = await client.call_tool("answer_approval", {**answer, "id": "approval:call_2"})
    assert not again.is_error
    assert (again.structured_content["run_id"], first["run_id"]) == (asked["run_id"], asked["run_id"])
    assert words(unknown).startswith("not_found: no question 'approval:call_2'")


@pytest.mark.parametrize("version", [{}, {"mcp-protocol-version": "2026-07-28"}])
@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("content-type", "text/plain", 415),
        ("content-type", "", 415),
        ("accept", "application/json", 406),
        ("accept", "text/html", 406),
        ("accept", "", 406),
    ],
)
async def test_other_kinds_of_bodies_and_answers_are_refused_in_the_protocols_form(
    server: Server, version: dict[str, str], header: str, value: str, status: int
) -> None:
    async with httpx2.AsyncClient(trust_env=False, base_url=server.url, headers=OWNER | version) as http:
        found = await http.post("/mcp", headers={header: value}, json=call("list_agents"))
    assert found.status_code == status
    assert (found.json()["jsonrpc"], found.json()["error"]["code"]) == ("2.0", -32600)


async def test_what_was_kept_is_said_to_be_when_the_store_goes_away_behind_it(server: Server, commands: Played) -> None:
    commands.turns = [asks]
    commands.failures["questions_of"] = StoreUnavailable("the store is away")
    async with dial(server) as client:
        reply = await ask(client)
        del commands.failures["questions_of"]
        assert (reply.is_error, reply.structured_content["error"]["code"]) == (True, "store_unavailable")
        assert (reply.structured_content["status"], "wait_for_reply" in words(reply)) == ("in_progress", True)
        place = {name: reply.structured_content[name] for name in ("thread_id", "run_id", "after")}
        waiting = await client.call_tool("wait_for_reply", place)
    assert waiting.structured_content["status"] == "waiting"
    assert commands.texts == ["Hello"]


async def test_what_could_not_be_heard_is_not_asked(server: Server, commands: Played) -> None:
    commands.failures["last_seq"] = StoreUnavailable("the store is away")
    async with dial(server) as client:
        refused = await ask(client)
    assert words(refused) == "store_unavailable: the store is away"
    assert commands.texts == []
