"""Webhooks come in through a real server: signed ones begin a run, others learn nothing."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from sulla.access.principal import ALL_SCOPES
from sulla.core.errors import MessageIdReused, QueueFull
from sulla.core.jsontypes import Json
from sulla.gateway.app import Brought, GatewayConfig, build_app
from sulla.gateway.methods.observing import Done, Unobserved
from sulla.gateway.rest.hooks import UNPROVEN
from sulla.gateway.rest.webhook import sign
from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.system import SystemClock, random_id
from sulla.playbooks.definition import WebhookForm
from sulla.playbooks.rpc_forms import PlayBegun
from sulla.playbooks.webhook_message import HookEnd, HookMessage, HookTerms
from sulla.rpc.caller import Way
from sulla.rpc.limits import Limits
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.peer import PATIENCE_S, Raw
from tests.gateway.rest.test_app import answer_of, head, wrong

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "playbooks.md"
SAID = "the message is not signed as it should be"


class MemoryHooks:
    """Keeps `gateway.Hooks`: playbooks that take messages, each in its own form."""

    def __init__(self) -> None:
        self.begun: dict[str, Json] = {}
        self.heard: list[HookMessage] = []
        self.failure: Exception | None = None
        self.end: HookEnd | None = None
        self.forms = {"brew": WebhookForm(), "deploy": WebhookForm()}
        self.forms |= {"push": WebhookForm(signed="github"), "chat": WebhookForm(signed="slack")}
        self.forms |= {
            "ask": WebhookForm(answer="run", within_s=PATIENCE_S),
            "hurry": WebhookForm("standard", answer="run", within_s=0.05),
        }

    async def terms_of(self, playbook: str) -> HookTerms | None:
        secret = "whistle whistle whistle" if playbook == "deploy" else SECRET
        return HookTerms(secret, self.forms[playbook]) if playbook in self.forms else None

    async def begin(self, playbook: str, message: HookMessage) -> PlayBegun:
        if self.failure is not None:
            raise self.failure
        first = message.id not in self.begun
        self.heard.append(message)
        if self.begun.setdefault(message.id, message.payload) != message.payload:
            raise MessageIdReused("another payload")
        return PlayBegun(f"thr_{message.id}", first)

    async def ended(self, run: str, form: WebhookForm) -> HookEnd | None:
        return self.end


class Watching(Unobserved):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str, str]] = []
        self.not_let_in: list[str] = []

    def done(self, done: Done) -> None:
        asked = done.asked
        self.told.append((asked.caller.principal.name, asked.method, asked.request_id, done.code))

    def refused(self, way: Way, address: str, code: str) -> None:
        self.not_let_in.append(code)


@pytest.fixture
def hooks() -> MemoryHooks:
    return MemoryHooks()


@pytest.fixture
def watching() -> Watching:
    return Watching()


@pytest.fixture
def body_s() -> float:
    """How long a body may take; whoever tests that gives less."""
    return PATIENCE_S


@pytest.fixture
async def server(hooks: MemoryHooks, watching: Watching, body_s: float) -> AsyncIterator[Server]:
    clock, limits = SystemClock(), Limits(frame_bytes=2000, body_s=body_s)
    config = GatewayConfig("1", (), (), limits)
    tokens = MemoryTokens({"owner": ALL_SCOPES})
    commands = MemoryCommands()
    commands.make("thr_m-1")
    app = build_app(commands, tokens, config, clock, watching, make_id=random_id, brought=Brought(hooks))
    running = await serve(app, bind("127.0.0.1", 0, limits), clock, limits)
    yield running
    await running.stop(1.0)


@pytest.fixture
async def http(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
        yield client


def signature(secret: str, id_: str, at_s: int, body: bytes) -> str:
    return "v1," + sign(WebhookForm(), secret, f"{id_}.{at_s}.", body)


def signed(body: bytes, id_: str = "m-1", secret: str = SECRET, late_s: int = 0, kind: str = "application/json"):  # type: ignore[no-untyped-def]  # keywords of a request
    at_s = round(SystemClock().now()) - late_s
    said = {"webhook-id": id_, "webhook-timestamp": str(at_s), "webhook-signature": signature(secret, id_, at_s, body)}
    return {"content": body, "headers": said | {"content-type": kind}}


async def test_a_signed_message_begins_one_run_however_often_it_comes(
    http: httpx.AsyncClient, hooks: MemoryHooks, watching: Watching
) -> None:
    first = await http.post("/hooks/brew", **signed(b'{"leaf": "mate"}'))
    assert (first.status_code, first.json()) == (202, {"run": "thr_m-1", "first": True})
    again = await http.post("/hooks/brew", **signed(b'{"leaf": "mate"}', late_s=200))
    assert (again.status_code, again.json()) == (202, {"run": "thr_m-1", "first": False})
    assert hooks.begun == {"m-1": {"leaf": "mate"}}
    assert watching.told == [("webhook brew", "workflow.start", "m-1", "ok")] * 2
    text = await http.post("/hooks/brew", **signed("grün".encode(), "m-2", kind="text/plain"))
    assert (text.status_code, hooks.begun["m-2"]) == (202, "grün")


async def test_the_same_name_with_other_words_is_a_conflict(http: httpx.AsyncClient) -> None:
    await http.post("/hooks/brew", **signed(b"1"))
    wrong(await http.post("/hooks/brew", **signed(b"2")), 409, "message_id_reused")


async def test_nobody_learns_which_playbooks_there_are(
    http: httpx.AsyncClient, hooks: MemoryHooks, watching: Watching
) -> None:
    good = signed(b"1")
    answers = [
        await http.post("/hooks/brew", **signed(b"1", secret="whsec_" + "A" * 32)),
        await http.post("/hooks/tea", **signed(b"1")),
        await http.post("/hooks/brew", **signed(b"1", late_s=301)),
        await http.post("/hooks/brew", **signed(b"1", late_s=-302)),
        await http.post("/hooks/brew", **{**good, "content": b"2"}),
        await http.post("/hooks/brew", content=b"1"),
        await http.post("/hooks/brew", content=b"1", headers={"Authorization": "Bearer owner"}),
        await http.get("/hooks/brew", headers=good["headers"]),
    ]
    messages = {wrong(answer, 401, "unauthorized") for answer in answers}
    assert len(messages) == 1
    assert messages.pop().startswith(SAID)
    assert hooks.begun == {}
    assert watching.not_let_in == ["unauthorized"] * len(answers)
    assert watching.told == []


@pytest.mark.parametrize(
    ("id_", "why"),
    [
        ("m 4", "its id holds ' ', and may hold ASCII letters, digits and signs alone, and no blank"),
        ("m" * 257, "its id has 257 characters, and may have 256 at the most"),
        ("", "a header is missing, or of another form, that messages have which are signed as 'standard'"),
    ],
)
async def test_what_is_wrong_with_an_id_is_said_in_the_log_and_to_nobody_else(
    http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, id_: str, why: str
) -> None:
    said = wrong(await http.post("/hooks/brew", **signed(b"1", id_)), 401, "unauthorized")
    assert said.startswith(SAID)
    assert f"refused a webhook for 'brew': {why}" in caplog.text
    assert (await http.post("/hooks/brew", **signed(b"1", "m" * 256))).status_code == 202


@pytest.mark.parametrize("playbook", ["brew", "tea"])
async def test_who_guesses_has_to_wait_whether_there_is_such_a_playbook_or_not(
    http: httpx.AsyncClient, playbook: str
) -> None:
    for number in range(WRONG_TOKENS):
        wrong(
            await http.post(f"/hooks/{playbook}", **signed(b"1", secret=f"a guess of some length {number}")),
            401,
            "unauthorized",
        )
    for asked in (signed(b"1", secret="one more guess of some length"), {"content": b"1"}):
        answer = await http.post(f"/hooks/{playbook}", **asked)
        assert "too many messages" in wrong(answer, 401, "unauthorized")
        assert 0 < int(answer.headers["retry-after"]) <= 60
    other = "tea" if playbook == "brew" else "brew"  # somebody else's door is not locked by it
    assert "too many" not in (await http.post(f"/hooks/{other}", **signed(b"1"))).text


async def test_beside_wrong_signatures_the_right_one_is_taken_for_all_may_have_one_address(
    http: httpx.AsyncClient,
) -> None:
    for number in range(2 * WRONG_TOKENS):
        await http.post("/hooks/brew", **signed(b"1", secret=f"a guess of some length {number}"))
    assert (await http.post("/hooks/brew", **signed(b"1"))).status_code == 202


async def test_the_same_stale_message_again_and_again_locks_nobody_out(http: httpx.AsyncClient) -> None:
    stale = signed(b"1", secret="the secret of before")
    for _ in range(2 * WRONG_TOKENS):
        wrong(await http.post("/hooks/brew", **stale), 401, "unauthorized")
    assert (await http.post("/hooks/brew", **signed(b"1"))).status_code == 202


async def test_a_body_that_is_too_large_or_not_what_it_says_is_named(http: httpx.AsyncClient) -> None:
    wrong(await http.post("/hooks/brew", **signed(b" " * 2001)), 413, "too_large")
    assert "not JSON" in wrong(await http.post("/hooks/brew", **signed(b"{")), 400, "invalid_input")


@pytest.mark.parametrize("body_s", [0.05])
async def test_a_body_that_does_not_come_is_given_up(server: Server) -> None:
    said = [f"{name}: {value}" for name, value in signed(b"1" * 10)["headers"].items()]
    async with Raw.connect(server) as peer:
        await peer.send(head("POST /hooks/brew", "Content-Length: 10", *said) + b"1")
        assert (await answer_of(peer)).startswith(b"HTTP/1.1 408 ")


async def test_so_many_messages_of_which_nothing_is_proven_are_read_at_once_and_no_more(
    server: Server, http: httpx.AsyncClient
) -> None:
    said = [f"{name}: {value}" for name, value in signed(b"1" * 10, "m-9")["headers"].items()]
    begun = head("POST /hooks/brew", "Content-Length: 10", *said) + b"1"
    async with AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(Raw.connect(server)) for _ in range(UNPROVEN)]
        for peer in peers:
            await peer.send(begun)
        async with asyncio.timeout(PATIENCE_S):
            while (answer := await http.post("/hooks/brew", **signed(b"1"))).status_code == 202:
                pass  # the others are still coming in
        assert "send it again" in wrong(answer, 429, "busy")
        for peer in peers:
            await peer.send(b"1" * 9)
            assert (await peer.reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 202 ")
    assert (await http.post("/hooks/brew", **signed(b"1"))).status_code == 202


async def test_what_the_daemon_refuses_can_be_sent_again(http: httpx.AsyncClient, hooks: MemoryHooks) -> None:
    hooks.failure = QueueFull("ten runs are open", retry_after_s=5.0)
    answer = await http.post("/hooks/brew", **signed(b"1"))
    assert (wrong(answer, 429, "queue_full"), answer.headers["retry-after"]) == ("ten runs are open", "5")
    hooks.failure = None
    assert (await http.post("/hooks/brew", **signed(b"1"))).json()["first"] is True


async def test_the_pages_own_command_is_taken(server: Server, hooks: MemoryHooks) -> None:
    if shutil.which("curl") is None or shutil.which("openssl") is None:
        pytest.skip("no curl or no openssl here: the vector of the standard is tested without them")
    (command,) = re.findall(r"^```sh\n(BODY=.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    given = dict(os.environ) | {"URL": server.url, "GIT_SECRET": "whistle whistle whistle"}
    process = await asyncio.create_subprocess_exec("sh", "-ec", command, env=given, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    assert json.loads(said) == {"run": "thr_push-1", "first": True}
    assert hooks.begun == {"push-1": {"branch": "main"}}


def from_slack(body: bytes) -> dict[str, object]:
    at_s = round(SystemClock().now())
    mark = sign(WebhookForm(signed="slack"), SECRET, f"v0:{at_s}:", body)
    said = {"x-slack-request-timestamp": str(at_s), "x-slack-signature": f"v0={mark}"}
    return {"content": body, "headers": said | {"content-type": "application/json"}}


async def test_a_push_of_github_begins_one_run_and_says_what_it_is(http: httpx.AsyncClient, hooks: MemoryHooks) -> None:
    body = b'{"ref": "refs/heads/main"}'
    mark = sign(WebhookForm(signed="github"), SECRET, "", body)
    said = {"x-hub-signature-256": f"sha256={mark}", "x-github-delivery": "d-1", "x-github-event": "push"}
    asked = {"content": body, "headers": said | {"content-type": "application/json"}}
    answers = [(await http.post("/hooks/push?to=live", **asked)).json() for _ in range(2)]  # type: ignore[arg-type]  # keywords of a request
    assert answers == [{"run": "thr_d-1", "first": True}, {"run": "thr_d-1", "first": False}]
    (one, _) = hooks.heard
    assert (one.payload, one.headers["x-github-event"], one.query) == (
        {"ref": "refs/heads/main"},
        "push",
        {"to": "live"},
    )
    assert "x-hub-signature-256" not in one.headers
    said["x-hub-signature-256"] = f"sha256={'0' * 64}"
    assert wrong(await http.post("/hooks/push", content=body, headers=said), 401, "unauthorized").startswith(SAID)


async def test_slack_is_told_that_somebody_is_there_and_no_run_begins(
    http: httpx.AsyncClient, hooks: MemoryHooks
) -> None:
    question = from_slack(b'{"type": "url_verification", "challenge": "3eZ"}')
    answer = await http.post("/hooks/chat", **question)  # type: ignore[arg-type]  # keywords of a request
    assert (answer.status_code, answer.json(), hooks.begun) == (200, {"challenge": "3eZ"}, {})


async def test_an_event_of_slack_is_answered_with_200_which_is_all_that_slack_takes(
    http: httpx.AsyncClient, hooks: MemoryHooks
) -> None:
    answer = await http.post("/hooks/chat", **from_slack(b'{"type": "event_callback", "event_id": "Ev1"}'))  # type: ignore[arg-type]  # keywords of a request
    assert (answer.status_code, answer.json(), list(hooks.begun)) == (200, {}, ["Ev1"])


@pytest.mark.parametrize(
    ("end", "status", "kind", "text"),
    [
        (HookEnd(True, {"leaf": "mate"}), 200, "application/json", '{"leaf":"mate"}'),
        (HookEnd(True, "grün"), 200, "text/plain; charset=utf-8", "grün"),
    ],
)
async def test_the_answer_is_what_came_of_the_run_where_the_playbook_says_so(
    http: httpx.AsyncClient, hooks: MemoryHooks, end: HookEnd, status: int, kind: str, text: str
) -> None:
    hooks.end = end
    answer = await http.post("/hooks/ask", **signed(b"1"))
    assert (answer.status_code, answer.headers["content-type"], answer.text) == (status, kind, text)


async def test_of_a_run_that_failed_is_told_that_and_not_why(http: httpx.AsyncClient, hooks: MemoryHooks) -> None:
    hooks.end = HookEnd(False, {})
    assert "thr_m-1" in wrong(await http.post("/hooks/ask", **signed(b"1")), 500, "run_failed")


async def test_a_run_that_takes_longer_is_answered_with_its_beginning(http: httpx.AsyncClient) -> None:
    answer = await http.post("/hooks/hurry", **signed(b"1"))
    assert (answer.status_code, answer.json()) == (202, {"run": "thr_m-1", "first": True})


async def test_the_schema_of_playbooks_is_there_for_everybody(http: httpx.AsyncClient) -> None:
    answer = await http.get("/schemas/playbook.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/schema+json")
    assert answer.json()["title"] == "A playbook of Sulla"
