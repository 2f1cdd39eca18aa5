"""What every dialect has from its door: bounds, good ends, and errors in its own form."""

from __future__ import annotations

import asyncio
import json
from typing import cast

import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.core.errors import StoreUnavailable
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.dialects.table import ERROR_STYLES, ROOTS, dialect_at
from sulla.gateway.methods.table import METHODS
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.system import SystemClock, random_id
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.dialects.playing import Played, Run, says
from tests.gateway.peer import PATIENCE_S, Raw, until
from tests.gateway.rest.test_app import browse, head
from tests.gateway.rest.test_auth import Watching, inside

CHAT = "/v1/chat/completions"
BODY = {"model": "sulla", "messages": [{"role": "user", "content": "Hello"}]}
STREAM = {**BODY, "stream": True}


def test_every_route_says_what_a_token_needs_and_what_it_is_for() -> None:
    for dialect in map(dialect_at, ROOTS):
        for route in dialect.routes:
            assert route.summary.endswith("."), route.path
            assert route.needs, route.path
            assert set(route.needs) <= set(METHODS), route.path


def test_no_two_dialects_have_the_same_path() -> None:
    paths = [path for dialect in map(dialect_at, ROOTS) for path in dialect.paths]
    assert len(set(paths)) == len(paths)


@pytest.mark.parametrize("root", ROOTS)
def test_all_that_a_dialect_answers_lies_below_its_root_and_is_answered_in_its_manner(root: str) -> None:
    dialect = dialect_at(root)
    assert [path for path in dialect.paths if not f"{path}/".startswith(f"{root}/")] == []
    assert {ERROR_STYLES.of(path) for path in (root, f"{root}/nothing/there", *dialect.paths)} == {dialect.manner}


async def test_a_silent_stream_says_that_somebody_is_there(start: Start, commands: Played) -> None:
    server = await start(keep_alive_s=0.02)
    async with browse(server) as http, http.stream("POST", CHAT, json=STREAM) as answer:
        lines = answer.aiter_lines()
        seen = [await anext(lines) for _ in range(6)]
        assert seen.count(":") >= 2
        says("Hi")(commands.runs[0])
        rest = [line async for line in lines if line]
    assert rest[-1] == "data: [DONE]"


async def test_a_silent_whole_answer_is_not_begun_before_it_is_known(start: Start, commands: Played) -> None:
    server = await start(keep_alive_s=0.01)
    async with browse(server) as http:
        asking = asyncio.create_task(http.post(CHAT, json=BODY))
        await until(lambda: commands.runs and commands.listeners(commands.threads[0]))
        commands.runs[0].fail("provider_error", "away")
        answer = await asking
    assert answer.status_code == 502
    assert answer.json()["error"]["message"] == "away"


@pytest.mark.parametrize("body", [BODY, STREAM])
async def test_a_token_that_is_taken_back_ends_the_answer(
    server: Server, commands: Played, tokens: MemoryTokens, body: dict[str, object]
) -> None:
    owner = tokens.known()[0].principal
    made = await tokens.create("guest", ALL_SCOPES, None, owner)
    async with browse(server, {"Authorization": f"Bearer {made.secret}"}) as http:
        asking = asyncio.create_task(http.post(CHAT, json=body))
        await until(lambda: commands.runs and commands.listeners(commands.threads[0]))
        await tokens.revoke("guest", owner)
        answer = await asking
    assert "revoked" in answer.text
    if "stream" in body:
        assert answer.text.endswith("data: [DONE]\n\n")
    else:
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key")


@pytest.mark.parametrize("body", [BODY, STREAM])
async def test_a_daemon_that_stops_says_so_and_that_asking_again_helps(
    commands: Played, tokens: MemoryTokens, body: dict[str, object]
) -> None:
    clock = SystemClock()
    app = build_app(commands, tokens, GatewayConfig("1"), clock, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), clock)
    async with browse(server) as http:
        asking = asyncio.create_task(http.post(CHAT, json=body))
        await until(lambda: commands.runs and commands.listeners(commands.threads[0]))
        await app.settle(PATIENCE_S)
        answer = await asking
    await server.stop(1.0)
    assert "shutting_down" in answer.text
    if "stream" not in body:
        assert (answer.status_code, answer.headers["x-should-retry"]) == (503, "true")


async def test_a_reader_that_is_stuck_is_cut_off_and_its_turn_goes_on(start: Start, commands: Played) -> None:
    server = await start(queue_bytes=10_000, stall_s=0.05, close_s=0.05)
    raw = json.dumps(STREAM).encode()
    async with Raw.connect(server) as peer:
        await peer.send(head(f"POST {CHAT}", f"Content-Length: {len(raw)}") + raw)
        await until(lambda: commands.runs and commands.listeners(commands.threads[0]))
        cast(asyncio.Transport, peer.writer.transport).pause_reading()
        for _ in range(200):
            commands.runs[0].say("x" * 100_000)
        await until(lambda: commands.listeners(commands.threads[0]) == 0)
        await until(lambda: server.connections == 0)
    assert not [call for call in commands.calls if call[0] == "stop"]


@pytest.mark.parametrize("body", [BODY, STREAM])
async def test_a_turn_is_stopped_when_its_client_leaves_if_that_is_set(
    start: Start, commands: Played, body: dict[str, object]
) -> None:
    server, raw = await start(on_leave="stop"), json.dumps(body).encode()
    async with Raw.connect(server) as peer:
        await peer.send(head(f"POST {CHAT}", f"Content-Length: {len(raw)}") + raw)
        await until(lambda: commands.runs and commands.listeners(commands.threads[0]))
    await until(lambda: [call for call in commands.calls if call[0] == "stop"])


async def test_whoever_keeps_the_audit_log_is_told_of_what_is_done_and_of_who_was_not_let_in(
    commands: Played, tokens: MemoryTokens
) -> None:
    watching = Watching()
    app = build_app(commands, tokens, GatewayConfig("1", ("test",)), SystemClock(), watching, make_id=random_id)
    commands.turns = [says("Hi.")]
    async with inside(app, {"Authorization": "Bearer owner"}) as http:
        assert (await http.post(CHAT, json=BODY)).status_code == 200
    async with inside(app, {"Authorization": "Bearer reader"}) as http:
        assert (await http.post(CHAT, json=BODY)).status_code == 403
    assert watching.told == [
        ("owner", "rest", "thread.create", "ok"),
        ("owner", "rest", "turn.send", "ok"),
        ("reader", "rest", "turn.send", "forbidden"),
    ]


async def test_there_is_a_bound_to_how_many_are_answered_at_once(start: Start, commands: Played) -> None:
    server = await start(streams=1)
    async with browse(server) as http, http.stream("POST", CHAT, json=STREAM) as answer:
        await anext(answer.aiter_lines())
        refused = await http.post(CHAT, json=BODY)
    assert refused.status_code == 429
    assert refused.json()["error"]["type"] == "rate_limit_error"
    assert len(commands.texts) == 1


async def test_a_store_that_is_away_is_said_in_the_dialects_form_and_may_be_asked_again(
    server: Server, commands: Played
) -> None:
    commands.failures["send"] = StoreUnavailable("the store is away", retry_after_s=1.5)
    async with browse(server) as http:
        answer = await http.post(CHAT, json=BODY)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
    assert (answer.headers["x-should-retry"], answer.headers["retry-after"]) == ("true", "2")
    assert answer.headers["x-request-id"]


async def test_a_bookmark_that_cannot_be_kept_costs_no_answer(server: Server, commands: Played) -> None:
    def play(run: Run) -> None:
        says("Hi.")(run)
        commands.bookmarks.failure = StoreUnavailable("the store is away")

    commands.turns = [play]
    async with browse(server) as http:
        answer = await http.post(CHAT, json=BODY)
    assert answer.json()["choices"][0]["message"]["content"] == "Hi."


@pytest.mark.parametrize(
    ("headers", "content", "status", "code"),
    [
        ({"Content-Type": "text/plain"}, b"{}", 415, "unsupported_media_type"),
        ({"Content-Type": "application/json"}, b"{", 400, "invalid_json"),
        ({"Content-Type": "application/json"}, b"[]", 400, "invalid_input"),
        ({"Content-Type": "application/json; charset=utf-8"}, b"{}", 400, "missing_required_parameter"),
    ],
)
async def test_a_body_of_another_form_is_refused(
    server: Server, commands: Played, headers: dict[str, str], content: bytes, status: int, code: str
) -> None:
    async with browse(server) as http:
        answer = await http.post(CHAT, content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert not commands.texts


async def test_a_body_that_does_not_come_is_not_waited_for(start: Start, commands: Played) -> None:
    server = await start(body_s=0.05)

    async with Raw.connect(server) as peer:
        await peer.send(head(f"POST {CHAT}", "Content-Length: 100"))
        async with asyncio.timeout(PATIENCE_S):
            answer = await peer.reader.readuntil(b"}}")
    assert b" 408 " in answer
    assert b'"type":"invalid_request_error"' in answer
    assert not commands.texts
