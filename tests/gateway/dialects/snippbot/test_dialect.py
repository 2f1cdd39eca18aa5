"""Snippbot's chat over a real socket."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.core.errors import StoreUnavailable
from sulla.gateway.server.server import Server
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.dialects.streams import Told, client, opened, told
from tests.gateway.peer import until
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

CHAT = "/api/chat/sulla"
TOKENS = {"input": 15, "output": 3}


def looks(run: Run) -> None:
    run.say("Let me ", "look.")
    run.call("look", "It is green.")
    run.say("Green.")
    run.finish()


def asks(run: Run) -> None:
    run.say("Let me see.")
    run.ask()


def posts(run: Run) -> None:
    run.add("TOOL_CALL_RESULT", call_id="call_1", text="posted")
    run.say("Posted.")
    run.finish()


async def chat(http: httpx2.AsyncClient, message: str = "Hello", **more: object) -> list[Told]:
    """All events of an answer."""
    async with opened(http, CHAT, {"message": message, **more}) as reading:
        return told(await reading.to_the_end())


def wrong(answer: httpx2.Response, status: int, error: str) -> str:
    value = answer.json()
    assert {**value, "message": ""} == {"error": error, "message": "", "status": status}
    assert answer.status_code == status
    message: str = value["message"]
    return message


async def test_a_whole_turn_with_a_tool(server: Server, commands: Played) -> None:
    commands.turns = [looks]
    async with client(server) as http:
        found = await chat(http)
    session = {"session_id": commands.threads[0]}
    assert found == [
        ("delta", {"text": "Let me look.", **session}),
        ("tool_use", {"tool": "look", "input": {"at": "home"}, "id": "call_1", **session}),
        (
            "tool_result",
            {"tool": "look", "output": "It is green.", "id": "call_1", "is_error": False, "failure": None, **session},
        ),
        ("delta", {"text": "\n\nGreen.", **session}),
        ("done", {"token_usage": TOKENS, "status": "done", **session}),
    ]


async def test_text_comes_as_it_is_written(server: Server, commands: Played) -> None:
    async with client(server) as http, opened(http, CHAT, {"message": "Hello"}) as reading:
        await until(lambda: commands.runs)
        run = commands.runs[0]
        run.call("look", "It is green.")
        await reading.until("tool_result")  # it has caught up
        message_id = run.begin()
        run.show("TEXT_MESSAGE_CONTENT", message_id=message_id, offset=0, delta="Hel")
        assert told([await reading.next()])[0][1]["text"] == "Hel"
        run.add("TEXT_MESSAGE_END", message_id=message_id, text="Hello.")
        assert told([await reading.next()])[0][1]["text"] == "lo."
        run.finish()
        assert [event.event for event in await reading.to_the_end()] == ["done"]


async def test_a_session_goes_on(server: Server, commands: Played) -> None:
    commands.turns = [says("1"), says("2"), says("3"), says("4")]
    async with client(server) as http:
        first = await chat(http, "one")
        assert (await chat(http, "two", session_id=first[-1][1]["session_id"]))[0][1]["text"] == "2"
        own = await chat(http, "three", session_id="sess_kitchen")
        await chat(http, "four", session_id="sess_kitchen")
    assert {data["session_id"] for _, data in own} == {"sess_kitchen"}
    a, b, c, d = commands.threads
    assert a == b != c == d
    assert commands.texts == ["one", "two", "three", "four"]


async def test_two_tokens_mean_two_sessions_by_the_same_name(
    server: Server, commands: Played, tokens: MemoryTokens
) -> None:
    other = await tokens.create("other", ALL_SCOPES, None, tokens.known()[0].principal)
    commands.turns = [says("1"), says("2")]
    for key in ("owner", other.secret):
        async with client(server, key) as http:
            await chat(http, session_id="kitchen")
    assert len(set(commands.threads)) == 2


# ----------------------------------------------------------------------------------------------------------- approvals


@pytest.mark.parametrize(("approved", "verdict"), [(True, "approve"), (False, "reject")])
async def test_a_stream_waits_for_an_approval_and_goes_on(
    server: Server, commands: Played, *, approved: bool, verdict: str
) -> None:
    commands.turns = [asks, posts]
    async with client(server) as http, opened(http, CHAT, {"message": "Post it", "session_id": "s"}) as reading:
        *_, (name, data) = told(await reading.until("approval_request"))
        assert (name, data["prompt"], data["tool"], data["kind"]) == (
            "approval_request",
            "May I post this?",
            "post",
            "approval",
        )
        answer = {"session_id": "s", "approved": approved}
        said = await http.post(f"{CHAT}/approvals/{data['approval_id']}", json=answer)
        status = "approved" if approved else "rejected"
        assert said.json() == {"approval_id": "approval:call_1", "session_id": "s", "status": status}
        assert [event.event for event in await reading.to_the_end()] == ["tool_result", "delta", "done"]
    assert [call[1:] for call in commands.calls if call[0] == "answer"] == [
        (commands.threads[0], "approval:call_1", verdict, "")
    ]


async def test_who_lost_the_stream_answers_and_is_told_the_rest(server: Server, commands: Played) -> None:
    commands.turns = [asks, posts]
    async with client(server) as http:
        async with opened(http, CHAT, {"message": "Post it", "session_id": "s"}) as reading:
            await reading.until("approval_request")
        path, body = f"{CHAT}/approvals/approval:call_1", {"session_id": "s", "decision": "always"}
        async with opened(http, path, body, accept="text/event-stream") as reading:
            rest = told(await reading.to_the_end())
    assert [name for name, _ in rest] == ["tool_result", "delta", "done"]
    assert [call[3] for call in commands.calls if call[0] == "answer"] == ["always"]


async def test_of_two_questions_each_is_shown_once(server: Server, commands: Played) -> None:
    def asks_twice(run: Run) -> None:
        waits = [{"wait_id": f"approval:{one}", "prompt": one, "tool": "post", "call_id": one} for one in ("a", "b")]
        run.add("SUSPENDED", waits=waits)
        run.add("RESUMED", reason="answered", wait_id="approval:a")
        run.add("RESUMED", reason="answered", wait_id="approval:b")
        run.finish()

    commands.turns = [asks_twice]
    async with client(server) as http:
        found = await chat(http)
    assert [data["approval_id"] for name, data in found if name == "approval_request"] == ["approval:a", "approval:b"]


async def test_a_message_behind_a_question_is_kept_and_shows_what_is_in_the_way(
    server: Server, commands: Played
) -> None:
    commands.turns = [asks]
    async with client(server) as http:
        async with opened(http, CHAT, {"message": "Post it", "session_id": "s"}) as reading:
            await reading.until("approval_request")
        async with opened(http, CHAT, {"message": "And?", "session_id": "s"}) as reading:
            ((name, data),) = told([await reading.next()])
            assert (name, data["approval_id"]) == ("approval_request", "approval:call_1")
    assert commands.texts == ["Post it", "And?"]


async def test_nobody_approves_without_the_scope(server: Server, commands: Played, tokens: MemoryTokens) -> None:
    made = await tokens.create("talker", ALL_SCOPES - {"approve", "admin"}, None, tokens.known()[0].principal)
    commands.turns = [asks]
    async with client(server, made.secret) as http:
        async with opened(http, CHAT, {"message": "Post it", "session_id": "s"}) as reading:
            await reading.until("approval_request")
        answer = await http.post(f"{CHAT}/approvals/approval:call_1", json={"session_id": "s", "approved": True})
        assert "'approve'" in wrong(answer, 403, "forbidden")
    assert not [call for call in commands.calls if call[0] == "answer"]


async def test_whoever_may_not_read_is_not_told_the_rest(
    server: Server, commands: Played, tokens: MemoryTokens
) -> None:
    made = await tokens.create("nodder", frozenset(("approve",)), None, tokens.known()[0].principal)
    commands.turns = [asks, posts]
    async with client(server) as http, opened(http, CHAT, {"message": "Post it"}) as reading:
        session = told(await reading.until("approval_request"))[-1][1]["session_id"]
        path, body = f"{CHAT}/approvals/approval:call_1", {"session_id": session, "approved": True}
        async with client(server, made.secret) as other:
            wrong(await other.post(path, json=body, headers={"Accept": "text/event-stream"}), 403, "forbidden")
            assert (await other.post(path, json=body)).json()["status"] == "approved"


# -------------------------------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize("header", ["Authorization", "X-API-Key"])
async def test_the_key_goes_into_either_header(server: Server, commands: Played, header: str) -> None:
    commands.turns = [says("Hi.")]
    value = "Bearer owner" if header == "Authorization" else "owner"
    headers = {header: value}
    async with httpx2.AsyncClient(base_url=server.url, headers=headers, trust_env=False) as http:
        assert (await chat(http))[0][1]["text"] == "Hi."


@pytest.mark.parametrize("headers", [{}, {"X-API-Key": "wrong"}, {"Authorization": "Bearer wrong"}])
async def test_a_wrong_key(server: Server, commands: Played, headers: dict[str, str]) -> None:
    async with httpx2.AsyncClient(base_url=server.url, headers=headers, trust_env=False) as http:
        wrong(await http.post(CHAT, json={"message": "Hello"}), 401, "unauthorized")
        wrong(await http.post("/api/chat/nobody/at/all", json={}), 401, "unauthorized")
    assert not commands.calls


async def test_an_agent_that_there_is_not(server: Server, commands: Played) -> None:
    async with client(server) as http:
        answer = await http.post("/api/chat/sula", json={"message": "Hello"})
        assert "did you mean 'sulla'?" in wrong(answer, 404, "not_found")
        body = {"session_id": "s", "approved": True}
        wrong(await http.post("/api/chat/sula/approvals/approval:call_1", json=body), 404, "not_found")
    assert not [call for call in commands.calls if call[0] in ("create_thread", "send", "answer")]


async def test_a_session_that_there_is_not(server: Server) -> None:
    async with client(server) as http:
        answer = await http.post(CHAT, json={"message": "Hello", "session_id": "thr_none"})
        assert "thr_none" in wrong(answer, 404, "not_found")


@pytest.mark.parametrize(
    ("body", "status", "says_"),
    [
        ({}, 422, "message: expected a text"),
        ({"message": " "}, 422, "got nothing"),
        ({"message": 7}, 422, "got 7"),
        ({"message": "x", "session_id": 7}, 422, "session_id"),
        ({"message": "x", "session_id": "a\nb"}, 422, "printable"),
        ({"message": "x", "files": []}, 422, "'files' is unknown here"),
        ({"message": "x", "stream": False}, 422, "always a stream"),
        ({"message": "x" * 100_001}, 413, "at most 100000"),
        ([], 400, "expected an object"),
    ],
)
async def test_what_is_no_message(server: Server, commands: Played, body: Any, status: int, says_: str) -> None:
    async with client(server) as http:
        answer = await http.post(CHAT, json=body)
        error = "too_large" if status == 413 else "invalid_input"
        assert says_ in wrong(answer, status, error)
    assert not [call for call in commands.calls if call[0] == "create_thread"]


@pytest.mark.parametrize(
    ("body", "says_"),
    [
        ({"session_id": "s"}, "expected one of 'approved'"),
        ({"session_id": "s", "approved": True, "decision": "approve"}, "expected one of 'approved'"),
        ({"session_id": "s", "approved": "yes"}, "expected true or false"),
        ({"session_id": "s", "decision": "maybe"}, "expected one of 'approve'"),
        ({"approved": True}, "session_id: expected a text"),
    ],
)
async def test_what_is_no_answer(server: Server, commands: Played, body: Any, says_: str) -> None:
    async with client(server) as http:
        answer = await http.post(f"{CHAT}/approvals/approval:call_1", json=body)
        assert says_ in wrong(answer, 422, "invalid_input")
    assert not [call for call in commands.calls if call[0] == "answer"]


async def test_a_body_over_the_limit(start: Start) -> None:
    server = await start(frame_bytes=1000)
    async with client(server) as http:
        wrong(await http.post(CHAT, json={"message": "x" * 1000}), 413, "too_large")


async def test_a_store_that_hangs_is_not_waited_for(start: Start, commands: Played) -> None:
    server = await start(call_s=0.05)
    commands.gates["list_agents"] = asyncio.Event()
    async with client(server) as http:
        wrong(await http.post(CHAT, json={"message": "Hello"}), 503, "unavailable")


async def test_other_verbs_and_paths(server: Server) -> None:
    async with client(server) as http:
        wrong(await http.get(CHAT), 405, "method_not_allowed")
        wrong(await http.post("/api/chat", json={}), 404, "not_found")


async def test_a_failure_is_an_error_and_the_end(server: Server, commands: Played) -> None:
    async with client(server) as http, opened(http, CHAT, {"message": "Hello", "session_id": "s"}) as reading:
        await until(lambda: commands.runs)
        commands.runs[0].call("look", "It is green.")
        await reading.until("tool_result")  # it has caught up
        message_id = commands.runs[0].begin()
        commands.runs[0].show("TEXT_MESSAGE_CONTENT", message_id=message_id, offset=0, delta="Well,")
        found = told([await reading.next()])
        commands.runs[0].fail("provider_protocol", "the reply broke off")
        found += told(await reading.to_the_end())
    session = {"session_id": "s"}
    assert found == [
        ("delta", {"text": "Well,", **session}),
        ("error", {"error": "provider_protocol", "message": "the reply broke off", "status": 502, **session}),
        ("done", {"token_usage": {"input": 0, "output": 0}, "status": "failed", **session}),
    ]


# ---------------------------------------------------------------------------------------------------------- leaving


async def test_a_request_that_is_made_again_does_nothing_twice_and_tells_all_again(
    server: Server, commands: Played
) -> None:
    commands.turns = [looks]
    async with client(server, **{"Idempotency-Key": "k-1"}) as http:
        assert await chat(http) == await chat(http)
    assert len(commands.texts) == 1


async def test_a_turn_goes_on_when_its_client_leaves(server: Server, commands: Played) -> None:
    async with client(server) as http, opened(http, CHAT, {"message": "Hello"}):
        await until(lambda: commands.runs)
    await until(lambda: commands.listeners(commands.threads[0]) == 0)
    assert not [call for call in commands.calls if call[0] == "stop"]


async def test_or_is_stopped_if_that_is_wanted(start: Start, commands: Played) -> None:
    server = await start("stop")
    async with client(server) as http, opened(http, CHAT, {"message": "Hello"}):
        await until(lambda: commands.runs)
    await until(lambda: [call for call in commands.calls if call[0] == "stop"])


async def test_a_request_that_is_made_again_asks_nobody_what_was_answered_meanwhile(
    server: Server, commands: Played
) -> None:
    commands.turns = [asks]
    async with client(server, **{"Idempotency-Key": "k-1"}) as http:
        async with opened(http, CHAT, {"message": "Post it", "session_id": "s"}) as reading:
            await reading.until("approval_request")
        commands.runs[0].go_on("approval:call_1")
        posts(commands.runs[0])
        names = [name for name, _ in await chat(http, "Post it", session_id="s")]
    assert names == ["delta", "tool_result", "delta", "done"]


async def test_nothing_is_kept_of_a_message_that_is_refused(server: Server, commands: Played) -> None:
    commands.failures["questions_of"] = StoreUnavailable("the store is away", retry_after_s=1.0)
    async with client(server) as http:
        wrong(await http.post(CHAT, json={"message": "Hello"}), 503, "store_unavailable")
    assert commands.texts == []


async def test_a_session_can_be_about_a_project(server: Server, commands: Played) -> None:
    commands.turns = [looks, looks, looks]
    async with client(server) as http:
        named = await chat(http, session_id="kitchen", project="garden")
        again = await chat(http, session_id="kitchen", project="garden")
        await chat(http, session_id="kitchen")
        elsewhere = await http.post(CHAT, json={"message": "x", "session_id": commands.threads[0], "project": "rome"})
    made = [call[3:] for call in commands.calls if call[0] == "create_thread"]
    assert [project for project, *_ in made] == ["garden", "garden", None]
    assert named[-1][0] == again[-1][0] == "done"
    first, second, third = (request_id for _, request_id, *_ in made)
    assert (first == second, first == third) == (True, False)
    assert "belongs to no project" in wrong(elsewhere, 422, "invalid_input")
