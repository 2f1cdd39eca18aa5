"""Every path of the REST interface does what its method of the protocol does, and says what was wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import (
    AlreadyAnswered,
    Busy,
    CorruptRecord,
    MessageIdReused,
    RateLimited,
    ShuttingDown,
    StoreUnavailable,
)
from sulla.gateway.commands import WaitingThread
from sulla.gateway.rest.models import Failure, TurnTaken
from sulla.gateway.rest.routes import ROUTES
from sulla.gateway.server.server import Server
from sulla.gateway.wire import QuestionRow, TurnSend
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Raw

OWNER = {"Authorization": "Bearer owner"}
IN_PATHS = {
    "thread_id": "thr_1",
    "begins": "thr_1",
    "id": "review:x",
    "project": "garden",
    "channel": "mail",
    "file": "none.js",
    "rule": "rule_1",
    "schedule": "sch_1",
    "playbook": "brew",
    "run": "run_1",
    "changes": "chg_1",
    "flow": "default",
    "model": "sulla",
    "name": "sulla",
    "agent_id": "sulla",
    "approval_id": "review:x",
    "ticket": "tkt_1",
    "agent": "sulla",
    "entity": "Ana",
    "code": "K7QM2XPD",
    "person": "ann",
}
"""What stands in the paths of routes."""


def browse(server: Server, headers: dict[str, str] | None = None) -> httpx.AsyncClient:
    """A client that is known."""
    found = OWNER if headers is None else headers
    return httpx.AsyncClient(base_url=server.url, headers=found, trust_env=False, timeout=PATIENCE_S)


@pytest.fixture
async def http(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(server) as client:
        yield client


def wrong(answer: httpx.Response, status: int, code: str) -> str:
    """The message of a failure, which has its form."""
    assert answer.headers["content-type"] == "application/json"
    failure = Failure.model_validate(answer.json())
    assert (answer.status_code, failure.error.code) == (status, code), answer.text
    return failure.error.message


# ---------------------------------------------------------------------------------------------------- what can be done


async def test_a_thread_is_made_once_for_one_key(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    body = {"title": "Rome", "agent": "sulla", "project": "trips"}
    first = await http.post("/api/threads", json=body, headers={"Idempotency-Key": "k1"})
    again = await http.post("/api/threads", json={**body, "request_id": "k1"})
    assert (first.status_code, first.json()) == (201, again.json())
    assert commands.calls == [("create_thread", "sulla", "Rome", "trips", "k1", "")] * 2


async def test_a_thread_needs_nothing_to_be_made(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    assert (await http.post("/api/threads")).status_code == 201
    assert commands.calls == [("create_thread", None, "", None, None, "")]


async def test_threads_come_in_pages(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    for name in ("thr_1", "thr_2", "thr_3"):
        commands.make(name, title=name.upper())
    first = (await http.get("/api/threads", params={"limit": 2})).json()
    assert ([row["title"] for row in first["threads"]], first["next"]) == (["THR_1", "THR_2"], "thr_2")
    rest = (await http.get("/api/threads", params={"after": first["next"]})).json()
    assert ([row["thread_id"] for row in rest["threads"]], rest["next"]) == (["thr_3"], None)


async def test_a_thread_named_like_a_number_is_a_name(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("7")
    commands.make("8")
    assert [row["thread_id"] for row in (await http.get("/api/threads?after=7")).json()["threads"]] == ["8"]


async def test_one_thread_is_shown_and_removed(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1", title="Rome")
    assert (await http.get("/api/threads/thr_1")).json()["title"] == "Rome"
    assert (await http.delete("/api/threads/thr_1")).json() == {"thread_id": "thr_1"}
    assert wrong(await http.get("/api/threads/thr_1"), 404, "not_found")


async def test_kept_events_come_in_pages(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    for number in range(5):
        commands.add("thr_1", "INPUT", text=str(number))
    page = (await http.get("/api/threads/thr_1/events", params={"after": 1, "before": 5, "limit": 2})).json()
    assert ([event["seq"] for event in page["events"]], page["more"]) == ([2, 3], True)


async def test_a_turn_is_taken_when_it_is_kept(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    body = {"text": "hello", "message_id": "m1", "mode": "steer", "agent": "sulla"}
    answer = await http.post("/api/threads/thr_1/turns", json=body)
    assert answer.status_code == 202
    assert TurnTaken.model_validate(answer.json()).message_id == "m1"
    assert commands.calls == [
        ("send", TurnSend(thread_id="thr_1", message_id="m1", text="hello", mode="steer", agent="sulla"), "owner")
    ]


async def test_the_same_message_again_does_nothing_twice(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    key = {"Idempotency-Key": "m1"}
    first = await http.post("/api/threads/thr_1/turns", json={"text": "hello"}, headers=key)
    again = await http.post("/api/threads/thr_1/turns", json={"text": "hello"}, headers=key)
    assert first.json() == again.json()
    assert await commands.last_seq("thr_1") == 1
    other = await http.post("/api/threads/thr_1/turns", json={"text": "bye"}, headers=key)
    assert wrong(other, 409, "message_id_reused")


async def test_a_message_without_a_name_gets_one_of_its_own(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    taken = [(await http.post("/api/threads/thr_1/turns", json={"text": "hello"})).json() for _ in range(2)]
    assert len({turn["message_id"] for turn in taken}) == len({turn["run_id"] for turn in taken}) == 2


async def test_a_turn_is_stopped_and_goes_on(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    stop = await http.post("/api/threads/thr_1/stop", headers={"Idempotency-Key": "s1"})
    on = await http.post("/api/threads/thr_1/continue", json={"request_id": "c1"})
    assert [(answer.status_code, answer.json()) for answer in (stop, on)] == [(202, {"seq": 1}), (202, {"seq": 2})]
    assert commands.calls == [("stop", "thr_1", "s1"), ("resume_turns", "thr_1", "c1")]


async def test_questions_are_listed_and_answered(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    commands.make("thr_1")
    commands.questions = [WaitingThread("thr_1", (QuestionRow("thr_1", "run_1", "review:tool_1", "Did it run?"),))]
    rows = (await http.get("/api/approvals")).json()
    assert [row["id"] for row in rows["questions"]] == ["review:tool_1"]
    answer = await http.post("/api/approvals/thr_1/review:tool_1", json={"verdict": "give_up", "text": "no"})
    assert (answer.status_code, answer.json()) == (202, {"seq": 1, "rule": None})
    assert commands.calls[-1] == ("answer", "thr_1", "review:tool_1", "give_up", "no")


async def test_every_request_has_a_name_of_its_own(http: httpx.AsyncClient) -> None:
    answers = [
        await http.get(path) for path in ("/api/status", "/api/status", "/api/threads/thr_1", "/api/threads?x=1")
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 404, 400]
    assert len({answer.headers["x-request-id"] for answer in answers}) == 4


async def test_agents_and_tools_are_listed(http: httpx.AsyncClient, commands: MemoryCommands) -> None:
    agents, tools = (await http.get("/api/agents")).json(), (await http.get("/api/tools")).json()
    assert [row["id"] for row in agents["agents"]] == [info.id for info in (await commands.list_agents()).agents]
    assert [row["name"] for row in tools["tools"]] == [info.name for info in (await commands.list_tools()).tools]


async def test_the_status_is_shown(http: httpx.AsyncClient) -> None:
    assert (await http.get("/api/status")).json() == {"version": "0", "model": "scripted"}


# ------------------------------------------------------------------------------------------------------ what is wrong


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (MessageIdReused("other content"), 409, "message_id_reused"),
        (AlreadyAnswered("too late"), 409, "already_answered"),
        (Busy("in use"), 429, "busy"),
        (StoreUnavailable("away"), 503, "store_unavailable"),
        (CorruptRecord("damaged"), 500, "corrupt_record"),
        (RuntimeError("secret detail"), 500, "internal"),
    ],
)
async def test_a_failure_has_the_status_that_its_kind_deserves(
    http: httpx.AsyncClient, commands: MemoryCommands, error: Exception, status: int, code: str
) -> None:
    commands.failures["status"] = error
    answer = await http.get("/api/status")
    assert "secret" not in wrong(answer, status, code)


@pytest.mark.parametrize("error", [RateLimited("slower", retry_after_s=1.2), ShuttingDown("bye", retry_after_s=1.2)])
async def test_a_client_is_told_when_to_come_back(
    http: httpx.AsyncClient, commands: MemoryCommands, error: Busy | ShuttingDown
) -> None:
    commands.failures["status"] = error
    answer = await http.get("/api/status")
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["error"] == {
        "code": error.code,
        "message": error.message,
        "retryable": True,
        "retry_after_s": 1.2,
    }


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({}, 400, "text: missing"),
        ({"text": ""}, 400, "text: got '', expected"),
        ({"text": 7}, 400, "text: got 7, expected a valid string"),
        ({"text": "x", "mod": "queue"}, 400, "mod: no such field; did you mean 'mode'?"),
        ({"text": "x", "mode": "now"}, 400, "mode: got 'now', expected 'queue', 'steer' or 'interrupt'"),
        ({"text": "x", "message_id": "a b"}, 400, "message_id: got 'a b', expected letters"),
        ({"text": "x", "thread_id": "thr_2"}, 400, "thread_id: it stands in the path already"),
        ({"text": "x" * 100_001}, 413, "text: got 100001 characters, expected at most 100000"),
        ([], 400, "got a list, expected an object"),
        ("x", 400, "got 'x', expected an object"),
    ],
)
async def test_a_wrong_body_is_explained(
    http: httpx.AsyncClient, commands: MemoryCommands, body: Any, status: int, says: str
) -> None:
    commands.make("thr_1")
    answer = await http.post("/api/threads/thr_1/turns", json=body)
    assert says in wrong(answer, status, "too_large" if status == 413 else "invalid_input")
    assert commands.calls == []


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/api/threads?limit=x", "limit: got 'x', expected a valid integer"),
        ("/api/threads?limit=0", "limit: got 0, expected greater than or equal to 1"),
        ("/api/threads?limit=1&limit=2", "'limit' stands in the query twice"),
        ("/api/threads?limits=1", "limits: no such field; did you mean 'limit'?"),
        ("/api/threads/%20", "thread_id: got ' ', expected letters"),
        ("/api/threads/thr_1/events?before=-1", "before: got -1, expected"),
        ("/api/status?verbose=1", "verbose: no such field"),
    ],
)
async def test_a_wrong_query_is_explained(http: httpx.AsyncClient, path: str, says: str) -> None:
    assert says in wrong(await http.get(path), 400, "invalid_input")


async def test_what_is_no_json_is_refused(http: httpx.AsyncClient) -> None:
    kind = {"Content-Type": "application/json"}
    wrong(await http.post("/api/threads", content=b"{", headers=kind), 400, "invalid_json")
    deep = b'{"title":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    wrong(await http.post("/api/threads", content=deep, headers=kind), 400, "invalid_json")
    not_utf8 = b'{"title":"\xff"}'
    wrong(await http.post("/api/threads", content=not_utf8, headers=kind), 400, "invalid_json")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
async def test_what_a_page_can_send_without_asking_is_refused(http: httpx.AsyncClient, kind: str) -> None:
    answer = await http.post("/api/threads", content=b"{}", headers={"Content-Type": kind})
    assert "application/json" in wrong(answer, 415, "unsupported_media_type")


async def test_values_in_the_wrong_place_are_refused(http: httpx.AsyncClient) -> None:
    assert "in the body" in wrong(await http.post("/api/threads?title=x"), 400, "invalid_input")
    body = await http.request("GET", "/api/threads", json={"limit": 1})
    assert "takes no body" in wrong(body, 400, "invalid_input")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/threads/", "/api/threads/a/b/c", "/nothing", "/docs"])
async def test_an_unknown_path_is_named(http: httpx.AsyncClient, path: str) -> None:
    assert repr(path) in wrong(await http.get(path), 404, "not_found")


@pytest.mark.parametrize("path", ["/api/threads/..%2F..%2Fetc%2Fpasswd", "/api/threads/%2e%2e", "/api/threads/a%00"])
async def test_a_name_leads_nowhere_else(http: httpx.AsyncClient, commands: MemoryCommands, path: str) -> None:
    assert (await http.get(path)).status_code in (400, 404)
    assert commands.calls == []


async def test_another_verb_is_refused_and_the_right_ones_are_named(http: httpx.AsyncClient) -> None:
    for path in dict.fromkeys(route.path for route in ROUTES):
        there = {one.verb for one in ROUTES if one.path == path}
        for verb in sorted({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - there):
            answer = await http.request(verb, path.format(**IN_PATHS))
            wrong(answer, 405, "method_not_allowed")
            assert set(answer.headers["allow"].split(", ")) == there, (verb, path)


async def test_the_framework_speaks_the_same_form(http: httpx.AsyncClient) -> None:
    answer = await http.post("/healthz")
    wrong(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["allow"]


# ------------------------------------------------------------------------------------------------------- large and slow


async def test_a_body_over_the_limit_is_refused_however_it_comes(start: Start) -> None:
    server = await start(frame_bytes=1000)
    kind = {"Content-Type": "application/json"}

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 100

    async with browse(server) as http:
        wrong(await http.post("/api/threads", content=b" " * 1001, headers=kind), 413, "too_large")
        wrong(await http.post("/api/threads", content=pieces(), headers=kind), 413, "too_large")
        assert (await http.post("/api/threads", content=b"{}".ljust(1000), headers=kind)).status_code == 201


async def test_a_client_that_asks_first_is_refused_before_it_sends(start: Start) -> None:
    server = await start(frame_bytes=1000)
    async with Raw.connect(server) as peer:
        await peer.send(head("POST /api/threads", "Content-Length: 1001", "Expect: 100-continue"))
        assert (await answer_of(peer)).startswith(b"HTTP/1.1 413 ")


async def test_a_body_that_does_not_come_is_given_up(start: Start, commands: MemoryCommands) -> None:
    server = await start(body_s=0.05)
    async with Raw.connect(server) as peer:
        await peer.send(head("POST /api/threads", "Content-Length: 10") + b"{")
        assert (await answer_of(peer)).startswith(b"HTTP/1.1 408 ")
    assert commands.calls == []


async def test_a_client_that_leaves_in_the_middle_of_its_body_has_asked_for_nothing(
    server: Server, commands: MemoryCommands, caplog: pytest.LogCaptureFixture
) -> None:
    async with Raw.connect(server) as peer:
        await peer.send(head("POST /api/threads", "Content-Length: 10") + b"{")
    async with browse(server) as http:
        assert (await http.get("/api/status")).status_code == 200
    assert [call[0] for call in commands.calls] == ["status"]
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 2", "Content-Length: 3"),
        ("Content-Length: 2", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        ("Content-Length: -2",),
        ("Content-Length: 2, 3",),
        ("Content-Length : 2",),
    ],
)
async def test_two_opinions_on_where_a_request_ends_are_refused(
    server: Server, commands: MemoryCommands, lines: tuple[str, ...]
) -> None:
    smuggled = b"DELETE /api/threads/thr_1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer owner\r\n\r\n"
    commands.make("thr_1")
    async with Raw.connect(server) as peer:
        await peer.send(head("POST /api/threads", *lines) + b"0\r\n\r\n" + smuggled)
        await peer.rest()
    assert [call for call in commands.calls if call[0] == "delete_thread"] == []


def head(request: str, *lines: str) -> bytes:
    """A request's head."""
    usual = ("Host: 127.0.0.1", "Authorization: Bearer owner", "Content-Type: application/json")
    return "\r\n".join([f"{request} HTTP/1.1", *usual, *lines, "", ""]).encode()


async def answer_of(peer: Raw) -> bytes:
    """The head of the answer; its body has the form of a failure."""
    async with asyncio.timeout(PATIENCE_S):
        answer = await peer.reader.readuntil(b"\r\n\r\n")
        size = next(int(line.split(b":")[1]) for line in answer.split(b"\r\n") if line.startswith(b"content-length"))
        Failure.model_validate(json.loads(await peer.reader.readexactly(size)))
    return answer


async def test_a_body_that_ends_after_its_token_was_revoked_does_nothing(
    server: Server, commands: MemoryCommands, tokens: MemoryTokens
) -> None:
    bob = (await tokens.create("bob", frozenset({"write"}), None, Principal("owner", ALL_SCOPES))).secret
    async with Raw.connect(server) as peer:
        lines = (
            "POST /api/threads HTTP/1.1",
            "Host: 127.0.0.1",
            f"Authorization: Bearer {bob}",
            "Expect: 100-continue",
        )
        more = ("Content-Type: application/json", "Content-Length: 2")
        await peer.send("\r\n".join([*lines, *more, "", ""]).encode())
        async with asyncio.timeout(PATIENCE_S):
            asked = await peer.reader.readuntil(b"\r\n\r\n")
        assert asked.startswith(b"HTTP/1.1 100 "), "it was let in, and its body is waited for"
        await tokens.revoke("bob", Principal("owner", ALL_SCOPES))
        await peer.send(b"{}")
        async with asyncio.timeout(PATIENCE_S):
            said = await peer.reader.readuntil(b"}")
    assert said.startswith(b"HTTP/1.1 401 ")
    assert b"the token 'bob' was revoked" in said
    assert commands.calls == []
