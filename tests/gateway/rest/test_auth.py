"""Nobody gets in uninvited, whatever the path and the verb."""

from __future__ import annotations

from itertools import product
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, WebSocketRoute
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from sulla.access.principal import ALL_SCOPES
from sulla.access.principal import Scope as TokenScope
from sulla.gateway.app import Gateway, GatewayConfig, build_app
from sulla.gateway.methods.observing import Done, Unobserved
from sulla.gateway.rest.auth import OPEN
from sulla.gateway.rest.routes import ROUTES, RestRoute
from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.gateway.server.server import Server
from sulla.host.system import SystemClock, random_id
from sulla.rpc.caller import Way
from sulla.rpc.pages import BESIDE
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import Peer
from tests.gateway.rest.test_app import IN_PATHS, OWNER, browse, wrong

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


def make_app() -> Gateway:
    config = GatewayConfig("1", ("test",))
    return build_app(MemoryCommands(), MemoryTokens({"owner": ALL_SCOPES}), config, SystemClock(), make_id=random_id)


def inside(app: Gateway, headers: dict[str, str] | None = None) -> httpx.AsyncClient:
    """A client without a network between."""
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


PATHS = sorted({getattr(route, "path", "/").replace(":path", "") for route in make_app().http.routes} - {"/ws"})


def test_the_table_below_is_the_applications_own() -> None:
    assert {route.path for route in ROUTES} < set(PATHS)
    assert OPEN - {"/readyz"} <= set(PATHS)


async def test_every_path_but_the_listed_ones_asks_for_a_token() -> None:
    judged_there = {"/console/session": (403, 405), "/assets/{file}": (404, 405)}
    judged_there |= dict.fromkeys(BESIDE, (404, 405))
    open_to_all = ("/", "/healthz", "/readyz", "/openapi.json", "/asyncapi.json", "/schemas/playbook.json")
    found: list[str] = []
    async with inside(make_app()) as http:
        for verb, path in product(VERBS, [*PATHS, "/", "/nothing", "/ws"]):
            answer = await http.request(verb, path.format(**IN_PATHS))
            right = answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
            if path in open_to_all:
                right = answer.status_code in (200, 405, 503)
            if path in judged_there:  # by who makes the request and what it brings, and by what was built
                right = answer.status_code in judged_there[path]
            if not right:
                found.append(f"{verb} {path}: {answer.status_code} {dict(answer.headers)}")
    assert not found


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "owner"},
        {"Authorization": "Basic b3duZXI6"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"X-Api-Key": "owner"},
        {"Cookie": "token=owner"},
    ],
)
async def test_a_token_comes_in_one_place_only(server: Server, headers: dict[str, str]) -> None:
    async with browse(server, headers) as http:
        message = wrong(await http.get("/api/status"), 401, "unauthorized")
    assert "wrong" not in message


async def test_two_tokens_are_none(server: Server) -> None:
    async with browse(server, {}) as http:
        headers = [("Authorization", "Bearer owner"), ("Authorization", "Bearer reader")]
        assert "2 Authorization headers" in wrong(await http.get("/api/status", headers=headers), 401, "unauthorized")


async def test_a_token_in_the_address_is_refused(server: Server) -> None:
    async with browse(server) as http:
        message = wrong(await http.get("/api/status?token=owner"), 400, "invalid_input")
    assert "owner" not in message


@pytest.mark.parametrize("needed", sorted(ALL_SCOPES))
async def test_a_token_does_what_it_allows_and_nothing_else(
    server: Server, commands: MemoryCommands, tokens: MemoryTokens, needed: TokenScope
) -> None:
    commands.make("thr_1")
    made = await tokens.create("small", ALL_SCOPES - {needed}, None, tokens.known()[0].principal)
    async with browse(server, {"Authorization": f"Bearer {made.secret}"}) as http:
        for route in [one for one in ROUTES if one.method.scope == needed]:
            path = route.path.format(**IN_PATHS)
            answer = await http.request(route.verb, path, json={"scopes": ["admin"]} if route.verb == "POST" else None)
            assert repr(needed) in wrong(answer, 403, "forbidden"), route
    assert commands.calls == []


def test_every_route_needs_something_that_a_token_allows() -> None:
    assert {route.method.scope for route in ROUTES} <= ALL_SCOPES


class Watching(Unobserved):
    """Remembers which requests were made, by whom, and what came of them."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Way, str, str]] = []

    def done(self, done: Done) -> None:
        self.told.append((done.asked.caller.principal.name, done.asked.caller.way, done.asked.method, done.code))


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.verb} {route.path}")
async def test_whoever_keeps_the_audit_log_is_told_whose_token_did_not_allow_it(route: RestRoute) -> None:
    watching, needed = Watching(), route.method.scope
    assert needed is not None
    tokens = MemoryTokens({"small": ALL_SCOPES - {needed}})
    config = GatewayConfig("1", ("test",))
    app = build_app(MemoryCommands(), tokens, config, SystemClock(), watching, make_id=random_id)
    async with inside(app, {"Authorization": "Bearer small"}) as http:
        path = route.path.format(**IN_PATHS)
        wrong(await http.request(route.verb, path), 403, "forbidden")
    assert watching.told == [("small", "rest", route.name, "forbidden")]


async def test_who_guesses_has_to_wait_and_is_told_how_long(server: Server) -> None:
    async with browse(server, {}) as http:
        for number in range(WRONG_TOKENS):
            answer = await http.get("/api/status", headers={"Authorization": f"Bearer wrong{number}"})
            assert "retry-after" not in answer.headers
            wrong(answer, 401, "unauthorized")
        answer = await http.get("/api/status", headers={"Authorization": "Bearer one more"})
        wrong(answer, 401, "unauthorized")
        assert 0 < int(answer.headers["retry-after"]) <= 60
        assert (await http.get("/healthz")).status_code == 200
    async with Peer.connect(server) as peer:  # the same door: who guessed here cannot go on there
        error = await peer.fail("hello", client={"name": "test", "version": "1"}, protocol=1, token="one more")
        assert "too many wrong tokens" in error["message"]


async def test_the_right_token_gets_in_beside_wrong_ones_from_the_same_address(server: Server) -> None:
    async with browse(server, {}) as http:
        for number in range(2 * WRONG_TOKENS):
            wrong(await http.get("/api/status", headers={"Authorization": f"Bearer {number}"}), 401, "unauthorized")
            assert (await http.get("/api/status", headers=OWNER)).status_code == 200
    async with Peer.connect(server) as peer:
        await peer.hello("owner")
    async with Peer.connect(server, token="owner") as peer:
        await peer.hello()


async def test_a_revoked_token_is_refused_at_once(server: Server, tokens: MemoryTokens) -> None:
    async with browse(server, {"Authorization": "Bearer reader"}) as http:
        assert (await http.get("/api/status")).status_code == 200
        await tokens.revoke("reader", tokens.known()[0].principal)
        wrong(await http.get("/api/status"), 401, "unauthorized")


@pytest.mark.parametrize("path", ["/api/status", "/api/threads/thr_1/turns", "/healthz", "/nothing"])
async def test_a_page_of_somebody_elses_is_refused_even_with_a_token(server: Server, path: str) -> None:
    async with browse(server) as http:
        for headers in ({"Host": "rebound.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
            wrong(await http.post(path, headers=headers, json={"text": "hi"}), 403, "forbidden")
        assert (await http.get("/api/status", headers={"Origin": "https://console.test"})).status_code == 200


# -------------------------------------------------------------------------------------------------------------- mounts


async def secret(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("secret")(scope, receive, send)


async def test_what_is_mounted_later_is_behind_the_same_door() -> None:
    app = make_app()
    app.http.router.routes.append(Mount("/dialect", secret))
    async with inside(app) as http:
        assert (await http.get("/dialect/chat")).status_code == 401
        assert (await http.get("/dialect/chat", headers=OWNER)).text == "secret"


@pytest.mark.parametrize(("token", "accepted"), [(None, False), ("wrong", False), ("owner", True)])
async def test_another_socket_asks_for_a_token_before_it_opens(token: str | None, accepted: bool) -> None:
    app = make_app()

    async def other(socket: WebSocket) -> None:
        await socket.accept()
        await socket.close()

    app.http.router.routes.append(WebSocketRoute("/other", other))
    headers = [(b"host", b"test")] + ([(b"authorization", f"Bearer {token}".encode())] if token else [])
    scope: dict[str, Any] = {
        "type": "websocket",
        "path": "/other",
        "raw_path": b"/other",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "subprotocols": [],
        "extensions": {"websocket.http.response": {}},
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    assert sent[0]["type"] == ("websocket.accept" if accepted else "websocket.http.response.start")
    assert accepted or sent[0]["status"] == 401


async def test_a_lock_ends_by_itself() -> None:
    clock = ManualClock()
    config = GatewayConfig("1", ("test",))
    app = build_app(MemoryCommands(), MemoryTokens(), config, clock, make_id=random_id)
    async with inside(app) as http:
        for number in range(WRONG_TOKENS):
            await http.get("/openapi.json", headers={"Authorization": f"Bearer wrong{number}"})
            await http.get("/api/status", headers={"Authorization": f"Bearer wrong{number}"})
        guess = {"Authorization": "Bearer one more"}
        assert "too many" in (await http.get("/api/status", headers=guess)).json()["error"]["message"]
        await clock.advance(61)
        assert "not valid" in (await http.get("/api/status", headers=guess)).json()["error"]["message"]
