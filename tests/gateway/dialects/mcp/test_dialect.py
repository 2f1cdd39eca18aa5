"""The MCP server over a real socket, by the protocol's own client: of now, and as it was before 2026."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.dialects.mcp.offers import OFFERS
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.system import SystemClock, random_id
from sulla.rpc.limits import Limits
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.peer import PATIENCE_S, until
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

Era = Literal["legacy", "auto"]
ERAS: list[Era] = ["legacy", "auto"]
OWNER = Principal("owner", ALL_SCOPES)
BY_TOOL = "?approvals=tool"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@asynccontextmanager
async def dial(
    server: Server, key: str = "owner", mode: Era = "auto", query: str = "", **more: Any
) -> AsyncIterator[Client]:
    headers, url = {"authorization": f"Bearer {key}"}, f"{server.url}/mcp{query}"
    http = httpx2.AsyncClient(trust_env=False, timeout=PATIENCE_S, headers=headers)
    async with http, Client(streamable_http_client(url, http_client=http), mode=mode, **more) as client:
        yield client


async def ask(client: Client, message: str = "Hello", **more: Any) -> Any:
    result = await client.call_tool("ask", {"message": message, **more})
    assert isinstance(result, types.CallToolResult)
    return result


def words(result: Any) -> str:
    """What the host's model reads."""
    (content,) = result.content
    return str(content.text)


def asks(run: Run) -> None:
    run.say("Let me see.")
    run.call("look", "nothing")
    run.ask()


def ends(run: Run) -> None:
    run.say("It is done.")
    run.finish()


@pytest.mark.parametrize("mode", ERAS)
async def test_a_turn_with_a_tool(server: Server, commands: Played, mode: Era) -> None:
    def play(run: Run) -> None:
        run.say("Let me", " look.")
        run.call("look", "nothing")
        ends(run)

    commands.turns = [play]
    heard = list[str | None]()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with dial(server, mode=mode) as client:
        result = await client.call_tool("ask", {"message": "Look"}, progress_callback=hear)
    reply = result.structured_content
    assert not result.is_error
    assert (reply["text"], reply["status"]) == ("Let me look.\n\nIt is done.", "done")
    assert reply["tools"] == [
        {"id": "call_1", "name": "look", "arguments": {"at": "home"}, "done": True, "is_error": False}
    ]
    assert result.content == [types.TextContent(text="Let me look.\n\nIt is done.")]
    assert "tool look begins" in heard


@pytest.mark.parametrize("mode", ERAS)
async def test_all_tools_are_described(server: Server, mode: Era) -> None:
    async with dial(server, mode=mode, query=BY_TOOL) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [offer.name for offer in OFFERS]
    for tool in tools:
        assert tool.description
        assert tool.annotations is not None
        assert (tool.input_schema["type"], (tool.output_schema or {})["type"]) == ("object", "object")
    told = {tool.name: tool.description or "" for tool in tools}
    assert "by id" in told["list_threads"], "ids say nothing of when: a model would look for the newest at one end"


# ---------------------------------------------------------------------------------------------------------- approvals


@pytest.mark.parametrize("mode", ERAS)
async def test_where_the_host_was_set_up_so_a_tool_answers_and_the_turn_is_waited_for(
    server: Server, commands: Played, mode: Era
) -> None:
    commands.turns = [asks, ends]
    async with dial(server, mode=mode, query=BY_TOOL) as client:
        asked = await ask(client)
        assert "with answer_approval as they decided" in words(asked)
        reply = asked.structured_content
        assert (reply["status"], reply["text"]) == ("waiting", "Let me see.")
        assert reply["questions"] == [
            {"id": "approval:call_1", "prompt": "May I post this?", "tool": "post", "choices": []}
        ]
        open_now = await client.call_tool("list_approvals", {})
        assert [row["id"] for row in open_now.structured_content["questions"]] == ["approval:call_1"]
        answer = {"thread_id": reply["thread_id"], "id": "approval:call_1", "verdict": "approve"}
        answered = await client.call_tool("answer_approval", answer)
        whole = await client.call_tool("wait_for_reply", answered.structured_content)
        assert (whole.structured_content["status"], whole.structured_content["text"]) == ("done", "It is done.")
        again = {name: reply[name] for name in ("thread_id", "run_id", "after")}
        told = (await client.call_tool("wait_for_reply", again)).structured_content
    assert (told["status"], told["text"]) == ("done", "Let me see.\n\nIt is done.")
    assert commands.texts == ["Hello"]


@pytest.mark.parametrize("mode", ERAS)
async def test_by_itself_no_model_answers_for_people_and_the_reply_says_where_they_do(
    server: Server, commands: Played, mode: Era
) -> None:
    commands.turns = [asks]
    async with dial(server, mode=mode) as client:
        asked = await ask(client)
        names = [tool.name for tool in (await client.list_tools()).tools]
        answer = {"thread_id": asked.structured_content["thread_id"], "id": "approval:call_1", "verdict": "approve"}
        refused = await client.call_tool("answer_approval", answer)
        unknown = await client.call_tool("answer_approval", {"colour": "red"})
        open_now = (await client.call_tool("list_approvals", {})).structured_content["questions"]
        with pytest.raises(MCPError) as other:
            await client.session.call_tool("answer_approvals", {})
    assert names == [offer.name for offer in OFFERS if offer.name != "answer_approval"]
    assert "answer_approval" not in other.value.message.partition("there are")[2]
    assert (asked.structured_content["status"], asked.is_error) == ("waiting", False)
    assert "Only a person can answer that: with `sulla approvals`" in words(asked)
    for one in (refused, unknown):
        assert one.is_error
        assert words(one).startswith("forbidden: people answer that: with `sulla approvals`")
    assert [row["id"] for row in open_now] == ["approval:call_1"]
    assert [call for call in commands.calls if call[0] == "answer"] == []


@pytest.mark.parametrize("query", ["?approvals=1", "?approvals=", "?approval=tool", "?approvals=tool&approvals=tool"])
async def test_an_address_that_asks_for_what_there_is_not_is_refused(server: Server, query: str) -> None:
    async with httpx2.AsyncClient(trust_env=False, base_url=server.url) as http:
        found = await http.post(f"/mcp{query}", headers=HEADERS | {"authorization": "Bearer owner"}, content=b"{}")
    assert found.status_code == 400
    assert "approvals=tool" in found.json()["error"]["message"]


@pytest.mark.parametrize(
    ("action", "content", "verdict"),
    [("accept", {"answer": "yes"}, "approve"), ("accept", {"answer": "no"}, "reject"), ("decline", None, "reject")],
)
async def test_a_person_who_can_be_asked_is_asked_while_the_call_waits(
    server: Server, commands: Played, action: Any, content: Any, verdict: str
) -> None:
    commands.turns = [asks, ends]
    shown = list[str]()

    async def elicit(context: ClientRequestContext, params: Any) -> types.ElicitResult:
        shown.append(params.message)
        return types.ElicitResult(action=action, content=content)

    async with dial(server, elicitation_callback=elicit) as client:
        reply = (await ask(client)).structured_content
    assert (reply["status"], reply["text"]) == ("done", "Let me see.\n\nIt is done.")
    assert [text.split("\n")[2] for text in shown] == ["    May I post this?"]
    assert [call[3] for call in commands.calls if call[0] == "answer"] == [verdict]
    assert commands.texts == ["Hello"]


async def test_a_person_who_does_not_decide_leaves_the_question_open(server: Server, commands: Played) -> None:
    commands.turns = [asks, ends]

    async def elicit(context: ClientRequestContext, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="cancel")

    async with dial(server, elicitation_callback=elicit) as client:
        reply = (await ask(client)).structured_content
    assert (reply["status"], reply["text"]) == ("waiting", "Let me see.")
    assert [call for call in commands.calls if call[0] == "answer"] == []


@pytest.mark.parametrize("query", ["", BY_TOOL])
async def test_without_the_scope_nobody_is_asked_and_the_tool_is_not_there(
    start: Start, commands: Played, tokens: MemoryTokens, query: str
) -> None:
    key = (await tokens.create("writer", frozenset({"read", "write"}), None, OWNER)).secret
    commands.turns = [asks]

    async def elicit(context: ClientRequestContext, params: Any) -> types.ElicitResult:
        raise AssertionError("nobody may be asked")

    async with dial(await start(), key, query=query, elicitation_callback=elicit) as client:
        asked = await ask(client)
        reply = asked.structured_content
        names = {tool.name for tool in (await client.list_tools()).tools}
        answer = {"thread_id": reply["thread_id"], "id": "approval:call_1", "verdict": "approve"}
        refused = await client.call_tool("answer_approval", answer)
    assert reply["status"] == "waiting"
    assert {"ask"} <= names
    assert "answer_approval" not in names
    assert "Only a person can answer that" in words(asked)
    assert refused.is_error
    assert words(refused).startswith("forbidden: ")
    assert [call for call in commands.calls if call[0] == "answer"] == []


# ------------------------------------------------------------------------------------------ waiting, and twice the same


async def test_a_wait_has_an_end_and_can_be_gone_on_with(server: Server, commands: Played) -> None:
    async with dial(server) as client:
        reply = (await ask(client, wait_s=0)).structured_content
        assert reply["status"] == "in_progress"
        says("Hello", " you")(commands.runs[0])
        where = {name: reply[name] for name in ("thread_id", "run_id", "after")}
        told = (await client.call_tool("wait_for_reply", where)).structured_content
    assert (told["status"], told["text"]) == ("done", "Hello you")


async def test_the_same_request_is_asked_once(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi"), says("Not this")]
    async with dial(server) as client:
        first, second = [(await ask(client, request_id="r-1")).structured_content for _ in range(2)]
    assert first == second
    assert commands.texts == ["Hello"]


async def test_what_a_host_asks_is_a_models_words(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi")]
    async with dial(server) as client:
        await ask(client)
    assert [sent.from_model for sent in commands.sent] == [True]


async def test_a_playbook_that_a_host_runs_is_trusted_as_little(server: Server, commands: Played) -> None:
    async with dial(server) as client:
        assert not (await client.call_tool("run_playbook", {"playbook": "brew", "inputs": {}})).is_error
    (begin,) = commands.playbooks.begun.values()
    assert begin.by.tainted


async def test_a_conversation_goes_on_in_its_thread_and_can_be_read(server: Server, commands: Played) -> None:
    commands.turns = [says("Hi"), says("Rome")]
    async with dial(server) as client:
        thread_id = (await ask(client)).structured_content["thread_id"]
        await ask(client, "Where?", thread_id=thread_id)
        listed = (await client.call_tool("list_threads", {})).structured_content["threads"]
        read = (await client.call_tool("read_thread", {"thread_id": thread_id})).structured_content
    assert [row["thread_id"] for row in listed] == [thread_id]
    assert [(entry["who"], entry["text"]) for entry in read["entries"] if entry["who"] == "agent"] == [
        ("agent", "Hi"),
        ("agent", "Rome"),
    ]
    assert read["next"] is None


async def test_a_playbook_is_run_and_looked_at(server: Server, commands: Played) -> None:
    async with dial(server) as client:
        listed = (await client.call_tool("list_playbooks", {})).structured_content["playbooks"]
        begin = {"playbook": listed[0]["playbook"], "inputs": {"leaf": "oolong"}, "request_id": "r-1"}
        first, again = [(await client.call_tool("run_playbook", begin)).structured_content for _ in range(2)]
        stands = await client.call_tool("playbook_run", {"run": first["run"]})
    assert (first["first"], again) == (True, {"run": first["run"], "first": False})
    assert stands.structured_content["about"]["playbook"] == listed[0]["playbook"]


# ------------------------------------------------------------------------------------------------- leaving, and errors


@pytest.mark.parametrize(("on_leave", "stops"), [("go_on", 0), ("stop", 1)])
@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_vanishes(start: Start, commands: Played, mode: Era, on_leave: Any, stops: int) -> None:
    server = await start(on_leave=on_leave)
    async with dial(server, mode=mode) as client:
        asking = asyncio.ensure_future(ask(client))
        await until(lambda: commands.runs)
        commands.runs[0].say("Let me see.")
    asking.cancel()
    await asyncio.wait([asking])
    await until(lambda: len([call for call in commands.calls if call[0] == "stop"]) == stops)
    ends(commands.runs[0])
    async with dial(server, mode=mode) as client:
        (row,) = (await client.call_tool("list_threads", {})).structured_content["threads"]
        read = (await client.call_tool("read_thread", {"thread_id": row["thread_id"]})).structured_content
    assert [entry["text"] for entry in read["entries"] if entry["who"] == "agent"] == ["Let me see.", "It is done."]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_turn_that_fails_is_an_error_that_a_model_can_read(server: Server, commands: Played, mode: Era) -> None:
    def play(run: Run) -> None:
        run.say("Let me see.")
        run.fail("provider_overloaded", "the model's service is overloaded", retryable=True)

    commands.turns = [play]
    async with dial(server, mode=mode) as client:
        result = await ask(client)
    assert result.is_error
    assert result.structured_content["error"] == {
        "code": "provider_overloaded",
        "message": "the model's service is overloaded",
        "retryable": True,
    }
    assert (result.structured_content["status"], result.structured_content["text"]) == ("failed", "Let me see.")


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("ask", {"message": "Hello", "agent": "nobody"}, "not_found: no agent 'nobody'"),
        ("ask", {"message": "Hello", "thread_id": "thr_gone"}, "not_found: "),
        ("ask", {}, "invalid_input: message: "),
        ("ask", {"message": "Hello", "wait_s": 601}, "invalid_input: wait_s: "),
        ("ask", {"message": "Hello", "colour": "red"}, "invalid_input: "),
        ("read_thread", {"thread_id": "thr_gone"}, "not_found: "),
        ("list_threads", {"limit": 1000}, "invalid_input: limit: "),
        ("playbook_run", {"run": "thr_gone"}, "not_found: "),
    ],
)
async def test_what_is_wrong_with_a_call_is_said_where_the_model_reads_it(
    server: Server, commands: Played, name: str, values: Any, said: str
) -> None:
    async with dial(server) as client:
        result = await client.call_tool(name, values)
    assert isinstance(result, types.CallToolResult)
    assert result.is_error
    assert result.content[0].text.startswith(said)  # type: ignore[union-attr]  # a text
    assert commands.runs == []


async def test_a_tool_that_there_is_not(server: Server) -> None:
    async with dial(server) as client:
        with pytest.raises(MCPError, match="no tool 'asc': there are ask, ") as caught:
            await client.session.call_tool("asc", {})
    assert caught.value.code == types.INVALID_PARAMS


async def test_before_anybody_reads_a_message_errors_have_the_same_form(start: Start) -> None:
    server = await start(frame_bytes=2000)
    owner = {"authorization": "Bearer owner"}
    async with httpx2.AsyncClient(trust_env=False, base_url=server.url) as http:
        bad = await http.post("/mcp", headers=HEADERS | {"authorization": "Bearer wrong"}, content=b"{}")
        long = await http.post("/mcp", headers=HEADERS | owner, content=b" " * 3000)
        verb = await http.get("/mcp", headers=HEADERS | owner)
        none = await http.post("/mcp", headers=HEADERS, content=b"{}")
        text = await http.post("/mcp", headers=HEADERS | owner, content=b"{")
    assert [one.status_code for one in (bad, long, verb, none, text)] == [401, 413, 405, 401, 400]
    assert bad.headers["www-authenticate"] == "Bearer"
    assert verb.headers["allow"] == "POST"
    for one in (bad, long, verb, none, text):
        said = one.json()
        assert (said["jsonrpc"], said.get("id")) == ("2.0", None)
        assert isinstance(said["error"]["code"], int)
    assert [one.json()["error"]["data"]["code"] for one in (bad, long)] == ["unauthorized", "too_large"]


async def test_a_token_that_is_taken_back_ends_a_wait(start: Start, commands: Played, tokens: MemoryTokens) -> None:
    key = (await tokens.create("guest", frozenset(ALL_SCOPES), None, OWNER)).secret
    async with dial(await start(), key) as client:
        asking = asyncio.ensure_future(ask(client))
        await until(lambda: commands.runs)
        await tokens.revoke("guest", OWNER)
        result = await asking
    assert result.structured_content["error"]["code"] == "unauthorized"
    assert result.structured_content["status"] == "in_progress"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_daemon_that_stops_says_so(commands: Played, tokens: MemoryTokens, mode: Era) -> None:
    clock, limits = SystemClock(), Limits()
    app = build_app(commands, tokens, GatewayConfig("1.2.3"), clock, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0, limits), clock, limits)
    async with dial(server, mode=mode) as client:
        asking = asyncio.ensure_future(ask(client))
        await until(lambda: commands.runs)
        commands.runs[0].say("Let me see.")
        await app.settle(PATIENCE_S)
        result = await asking
    await server.stop(1.0)
    assert result.structured_content["error"]["code"] == "shutting_down"
    assert result.structured_content["text"] == "Let me see."


@pytest.mark.parametrize("state", ["", "{}", "nonsense", '{"thread_id": "thr_1"}'])
async def test_a_state_that_is_none_of_ours_is_refused(server: Server, commands: Played, state: str) -> None:
    async with dial(server) as client:
        result = await client.session.call_tool("ask", {"message": "Hello"}, request_state=state)
    assert isinstance(result, types.CallToolResult)
    assert result.is_error
    assert commands.texts == []
