"""What watches a daemon is told whether it works; strangers are told no more than that."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import httpx
import pytest

from sulla.gateway.app import WORKER, GatewayConfig, build_app
from sulla.gateway.methods.observing import Unobserved
from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.host.health import Trouble
from sulla.host.system import SystemClock, random_id
from sulla.rpc.caller import Way
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens

STORE = Trouble("store_unavailable", "no answer from redis://host", 1_800_000_000_000, blocks=True)
MODEL = Trouble("model_service", "the service at https://host failed", 1_800_000_060_000, blocks=False)
SINCE = "2027-01-15T08:00:00.000Z"


class Operations:
    """Keeps `gateway.Operations` as a test says."""

    def __init__(self) -> None:
        self.now: list[Trouble] = []
        self.accepted: list[str] = []

    def troubles(self) -> list[Trouble]:
        return self.now

    async def metrics(self, accept: str) -> tuple[str, bytes]:
        self.accepted.append(accept)
        return "text/plain; version=1.0.0; charset=utf-8", b"sulla_ready 1.0\n"


class Refusals(Unobserved):
    """Remembers who was not let in."""

    def __init__(self) -> None:
        self.codes: list[tuple[str, str]] = []

    def refused(self, way: Way, address: str, code: str) -> None:
        self.codes.append((way, code))


@pytest.fixture
def operations() -> Operations:
    return Operations()


@pytest.fixture
def refusals() -> Refusals:
    return Refusals()


@pytest.fixture
async def http(operations: Operations, refusals: Refusals) -> AsyncIterator[httpx.AsyncClient]:
    tokens = MemoryTokens({"reader": ["read"], "writer": ["write"]})
    config = GatewayConfig("1", ("test",))
    app = build_app(MemoryCommands(), tokens, config, SystemClock(), refusals, make_id=random_id, operations=operations)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        yield client


def _as(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


async def test_a_daemon_without_trouble_is_ready(http: httpx.AsyncClient) -> None:
    answer = await http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "blocking": [], "degraded": []}
    assert answer.headers["cache-control"] == "no-store"


async def test_trouble_that_leaves_turns_possible_is_degraded_and_ready(
    http: httpx.AsyncClient, operations: Operations
) -> None:
    operations.now = [MODEL]
    answer = await http.get("/readyz")
    assert answer.status_code == 200
    degraded = [{"what": "model_service", "since": "2027-01-15T08:01:00.000Z"}]
    assert answer.json() == {"status": "ready", "blocking": [], "degraded": degraded}


async def test_trouble_that_blocks_is_503_with_a_code_for_strangers(
    http: httpx.AsyncClient, operations: Operations
) -> None:
    operations.now = [STORE, MODEL]
    answer = await http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "not_ready"
    assert answer.json()["blocking"] == [{"what": "store_unavailable", "since": SINCE}]
    assert "host" not in answer.text


async def test_who_may_read_is_told_why(http: httpx.AsyncClient, operations: Operations) -> None:
    operations.now = [STORE]
    answer = await http.get("/readyz", headers=_as("reader"))
    assert answer.status_code == 503
    assert answer.json()["blocking"] == [{"what": STORE.what, "since": SINCE, "why": STORE.why}]


async def test_who_may_only_write_is_a_stranger_here(http: httpx.AsyncClient, operations: Operations) -> None:
    operations.now = [STORE]
    assert STORE.why not in (await http.get("/readyz", headers=_as("writer"))).text


@pytest.mark.parametrize("header", ["Bearer wrong", "Basic cmVhZGVy", "Bearer "])
async def test_a_wrong_token_is_refused_and_told(http: httpx.AsyncClient, refusals: Refusals, header: str) -> None:
    answer = await http.get("/readyz", headers={"authorization": header})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "unauthorized"
    assert refusals.codes == [("rest", "unauthorized")]


async def test_tokens_cannot_be_tried_without_end(http: httpx.AsyncClient) -> None:
    answers = [await http.get("/readyz", headers=_as(f"guess {number}")) for number in range(WRONG_TOKENS + 1)]
    assert {answer.status_code for answer in answers} == {401}
    assert ["retry-after" in answer.headers for answer in answers] == [False] * WRONG_TOKENS + [True]
    assert (await http.get("/readyz", headers=_as("reader"))).status_code == 200, "the right one, from wherever"


async def test_the_figures_need_a_token_that_may_read(http: httpx.AsyncClient, refusals: Refusals) -> None:
    assert (await http.get("/metrics")).status_code == 401
    forbidden = await http.get("/metrics", headers=_as("writer"))
    assert (forbidden.status_code, forbidden.json()["error"]["code"]) == (403, "forbidden")
    assert refusals.codes == [("rest", "unauthorized"), ("rest", "forbidden")]


async def test_the_figures_come_in_the_form_that_was_asked_for(http: httpx.AsyncClient, operations: Operations) -> None:
    answer = await http.get("/metrics", headers={**_as("reader"), "accept": "application/openmetrics-text"})
    assert answer.status_code == 200
    assert answer.text == "sulla_ready 1.0\n"
    assert answer.headers["content-type"] == "text/plain; version=1.0.0; charset=utf-8"
    assert operations.accepted == ["application/openmetrics-text"]


@pytest.mark.parametrize("path", ["/readyz", "/metrics"])
async def test_they_are_only_read(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.post(path, headers=_as("reader"))
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "method_not_allowed"


async def test_a_daemon_that_serves_no_clients_answers_nothing_but_who_watches_it(operations: Operations) -> None:
    tokens, config = MemoryTokens({"reader": ["read"]}), GatewayConfig("1", ("test",), serves_clients=False)
    app = build_app(MemoryCommands(), tokens, config, SystemClock(), make_id=random_id, operations=operations)
    paths = ("/healthz", "/readyz", "/metrics", "/", "/api/threads", "/v1/models", "/mcp", "/openapi.json", "/session")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        told = {path: (await client.get(path, headers=_as("reader"))).status_code for path in paths}
    assert {path for path, status in told.items() if status != 404} == {"/healthz", "/readyz", "/metrics"}


async def test_a_client_that_comes_to_one_without_a_door_for_it_is_told_so(operations: Operations) -> None:
    config = GatewayConfig("1", ("test",), serves_clients=False)
    app = build_app(MemoryCommands(), MemoryTokens({}), config, SystemClock(), make_id=random_id, operations=operations)
    sent = list[MutableMapping[str, Any]]()

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    socket = {
        "type": "websocket",
        "path": "/ws",
        "headers": [(b"host", b"test")],
        "query_string": b"",
        "client": ("127.0.0.1", 1),
        "extensions": {"websocket.http.response": {}},
    }
    await app(socket, receive, send)
    assert sent[0]["status"] == 501
    assert json.loads(sent[1]["body"])["error"]["message"] == WORKER
