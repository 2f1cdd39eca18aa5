"""Tokens at the door: what they allow, and that they allow nothing from the moment on that they are revoked."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
from websockets.exceptions import InvalidStatus

from sulla.core.redact import MARK
from sulla.gateway.app import GatewayConfig, build_app
from sulla.gateway.methods.observing import Unobserved
from sulla.gateway.methods.table import METHODS
from sulla.gateway.server.auth import WRONG_TOKENS
from sulla.gateway.server.server import Server, bind, serve
from sulla.gateway.server.sockets import WebSocket
from sulla.host.system import SystemClock, random_id
from sulla.rpc.caller import Way
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.doubles.tokens import MemoryTokens
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Peer, Raw, until
from tests.soon import attempts, queued_s

Connect = Callable[..., Awaitable[Peer]]
OUTSIDE = [
    "../x",
    "..",
    "a/b",
    "a\\b",
    "%2e%2e%2fx",
    "a\0b",
    "a\nb",
    ".hidden",
    "access:tokens",
    "\uff41bc",
    "b\u043eb",
]
"""What leads out of a folder or a name space, or looks like something that it is not."""


async def made(owner: Peer, name: str = "bob", scopes: tuple[str, ...] = ("read", "write")) -> str:
    token: str = (await owner.call("token.create", name=name, scopes=list(scopes)))["token"]
    return token


async def test_a_new_token_opens_the_door_for_what_it_was_granted(connect: Connect, server: Server) -> None:
    token = await made(await connect())
    async with Peer.connect(server, token=token) as bob:
        assert (await bob.hello(token=None))["scopes"] == ["read", "write"]
        assert (await bob.fail("token.list"))["data"]["code"] == "forbidden"


async def test_revoking_closes_what_was_opened_and_nothing_else(
    connect: Connect, server: Server, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    owner = await connect()
    token = await made(owner)
    async with Peer.connect(server, token=token) as by_header, Peer.connect(server) as by_hello:
        await by_header.hello(token=None)
        await by_hello.hello(token=token)
        await by_hello.call("events.subscribe", thread_id="thr_1")
        assert await owner.call("token.revoke", name="bob") == {"revoked": True}
        for peer in (by_header, by_hello):
            assert await peer.closed() == (4401, "the token 'bob' was revoked")
        await until(lambda: commands.listeners("thr_1") == 0)
    assert (await owner.call("system.status"))["model"] == "scripted"


async def test_a_socket_that_was_let_in_but_has_not_said_hello_is_closed_too(connect: Connect, server: Server) -> None:
    owner = await connect()
    token = await made(owner)
    async with Peer.connect(server, token=token) as bob:
        await owner.call("token.revoke", name="bob")
        assert (await bob.closed())[0] == 4401


async def test_a_request_under_way_ends_with_its_token_and_the_next_one_is_not_begun(
    connect: Connect, server: Server, commands: MemoryCommands
) -> None:
    owner = await connect()
    token = await made(owner)
    commands.gates["list_threads"] = asyncio.Event()
    async with Peer.connect(server, token=token) as bob:
        await bob.hello(token=None)
        for id_, method in enumerate(("thread.list", "thread.create")):
            await bob.say({"jsonrpc": "2.0", "id": f"late {id_}", "method": method, "params": {}})
        await until(lambda: commands.calls)
        await owner.call("token.revoke", name="bob")
        assert (await bob.closed())[0] == 4401
    commands.gates["list_threads"].set()
    await owner.call("system.status")
    assert [call[0] for call in commands.calls] == ["list_threads", "status"]


async def test_whoever_revokes_his_own_token_gets_the_answer_first(connect: Connect, server: Server) -> None:
    token = await made(await connect(), scopes=("admin",))
    async with Peer.connect(server, token=token) as bob:
        await bob.hello(token=None)
        assert await bob.call("token.revoke", name="bob") == {"revoked": True}
        assert await bob.closed() == (4401, "the token 'bob' was revoked")


async def test_a_socket_of_an_earlier_token_does_not_live_on_under_a_new_one_of_the_same_name(
    connect: Connect, server: Server, tokens: MemoryTokens
) -> None:
    owner = await connect()
    token = await made(owner)
    async with Peer.connect(server, token=token) as bob:
        await bob.hello(token=None)
        old, tokens.tokens = tokens.tokens, [known for known in tokens.tokens if known.principal.name != "bob"]
        tokens.tokens.append(MemoryTokens({"bob": ["read", "write"]}).tokens[0])
        assert old[-1].principal.name == tokens.tokens[-1].principal.name
        await made(owner, "ann")  # any change has everybody looked at
        assert (await bob.closed())[0] == 4401


async def test_an_expired_token_is_refused_and_told_so(connect: Connect, server: Server, tokens: MemoryTokens) -> None:
    owner = await connect()
    made = await owner.call("token.create", name="bob", scopes=["read"], expires_s=1)
    known = tokens.tokens[-1]
    tokens.tokens[-1] = type(known)(known.digest, known.principal, 1000)
    for _ in range(2 * WRONG_TOKENS):
        async with Peer.connect(server) as bob:
            error = await bob.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token=made["token"])
            assert error["message"].startswith("the token 'bob' expired at 1970-01-01T00:00:01")
    assert await owner.call("system.status"), "it is no guess, so nobody is locked out"


@pytest.mark.parametrize("more", [{"scopes": ["admin"]}, {"scope": "admin"}, {"role": "owner"}])
async def test_nobody_declares_his_own_scopes(server: Server, more: dict[str, object]) -> None:
    async with Peer.connect(server) as peer:
        client = {"name": "t", "version": "1"}
        error = await peer.fail("hello", client=client, protocol=1, token="reader", **more)
        assert "no such field" in error["message"]
        assert (await peer.closed())[0] == 1008
    async with Peer.connect(server) as peer:
        assert (await peer.hello("reader"))["scopes"] == ["read"]


async def test_a_token_without_approve_cannot_answer_for_a_person(
    connect: Connect, server: Server, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    token = await made(await connect(), scopes=("read", "write", "admin"))
    async with Peer.connect(server, token=token) as bob:
        await bob.hello(token=None)
        error = await bob.fail("approval.answer", thread_id="thr_1", id="review:tool_1", verdict="run_again")
        assert error["data"]["code"] == "forbidden"
        assert commands.calls == []


async def test_a_message_replayed_with_another_token_is_the_same_message(
    connect: Connect, server: Server, commands: MemoryCommands
) -> None:
    commands.make("thr_1")
    owner = await connect()
    message = {"thread_id": "thr_1", "message_id": "m1", "text": "pay"}
    first = await owner.call("turn.send", **message)
    async with Peer.connect(server, token=await made(owner)) as bob:
        await bob.hello(token=None)
        assert await bob.call("turn.send", **message) == first
        error = await bob.fail("turn.send", **message | {"text": "pay twice"})
        assert error["data"]["code"] == "message_id_reused"
    assert [event.type for event in await commands.history("thr_1", 0, None, 10)] == ["INPUT"]


@pytest.mark.parametrize("method", ["token.steal", "Token.create", "token.create ", "../token.create", "__init__", ""])
async def test_an_unknown_method_does_nothing(connect: Connect, commands: MemoryCommands, method: str) -> None:
    assert (await (await connect()).fail(method))["code"] == -32601
    assert commands.calls == []


@pytest.mark.parametrize("outside", OUTSIDE)
async def test_no_id_and_no_name_leads_anywhere_else(connect: Connect, commands: MemoryCommands, outside: str) -> None:
    owner = await connect()
    named: list[tuple[str, str]] = [
        (method, field)
        for method, row in METHODS.items()
        for field in row.params.model_fields
        if field in ("thread_id", "message_id", "request_id", "agent", "project", "name")
    ]
    assert len(named) > 15
    rest = {
        "thread_id": "thr_1",
        "message_id": "m1",
        "text": "x",
        "id": "review:tool_1",
        "name": "n",
        "scopes": ["read"],
    }
    for method, field in named:
        params = {name: value for name, value in rest.items() if name in METHODS[method].params.model_fields}
        error = await owner.fail(method, **params | {field: outside})
        assert error["data"]["code"] == "invalid_input", (method, field)
    assert commands.calls == []


async def guess(server: Server, number: int, **headers: str) -> dict[str, object]:
    with pytest.raises(InvalidStatus) as caught:
        await Peer.connect(server, token=f"guess {number}", headers=headers).__aenter__()
    assert caught.value.response.body is not None
    error: dict[str, object] = json.loads(caught.value.response.body)["error"]
    return error


async def test_after_200_bad_tokens_the_next_has_to_wait_and_the_right_one_does_not(server: Server) -> None:
    said = [await guess(server, number) for number in range(200)]
    assert [error["retryable"] for error in said] == [False] * WRONG_TOKENS + [True] * (200 - WRONG_TOKENS)
    async with Peer.connect(server) as peer:
        error = await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token="guess 200")
        assert "too many wrong tokens" in error["message"]
    async with Peer.connect(server) as peer:
        await peer.hello("owner")


async def test_a_browser_on_this_machine_is_no_exception(server: Server) -> None:
    for number in range(WRONG_TOKENS):
        await guess(server, number, Origin=server.url)
    assert (await guess(server, 99, Origin=server.url))["retryable"] is True


SECRET = "sulla_" + "S3cr3t-" * 6 + "x"


async def test_a_secret_shows_up_nowhere_wherever_it_is_put(
    server: Server, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for path in (f"/ws?token={SECRET}", f"/ws?access_token={SECRET}"):
        with pytest.raises(InvalidStatus) as caught:
            await Peer.connect(server, path=path).__aenter__()
        assert caught.value.response.status_code == 400
        assert SECRET.encode() not in (caught.value.response.body or b"")
    for headers in ({"Authorization": f"Basic {SECRET}"}, {"Authorization": f"Bearer {SECRET}"}):
        with pytest.raises(InvalidStatus) as caught:
            await Peer.connect(server, headers=headers).__aenter__()
        assert SECRET.encode() not in (caught.value.response.body or b"")
    async with Peer.connect(server) as peer:
        error = await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token=SECRET)
        code, reason = await peer.closed()
        assert (SECRET in str(error), SECRET in reason, code) == (False, False, 4401)
    async with Peer.connect(server) as peer:
        error = await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token=[SECRET])
        assert SECRET not in str(error)
    listed = await (await connect()).call("token.list")
    assert "secret" not in str(listed)
    ours = " ".join(record.getMessage() for record in caplog.records if not record.name.startswith("websockets.client"))
    assert "refused a request" in ours
    assert SECRET not in ours
    assert MARK not in ours, "it never got as far as a log at all"


async def test_agents_and_tools_are_listed(connect: Connect) -> None:
    reader = await connect(token="reader")
    assert (await reader.call("agent.list"))["agents"][0]["id"] == "sulla"
    (tool,) = (await reader.call("tool.list"))["tools"]
    assert set(tool) == {"name", "description", "category", "effect", "parameters", "missing"}


async def test_a_hundred_sockets_are_closed_within_a_second(
    start: Start, connect: Connect, manual_clock: ManualClock
) -> None:
    """Whatever else the machine does meanwhile; and nothing is waited for."""
    server = await start(clock=manual_clock)
    owner, clock = await connect(server), SystemClock()
    for took in attempts(1.0):
        token = await made(owner)
        async with AsyncExitStack() as stack:
            peers = [await stack.enter_async_context(Peer.connect(server, token=token)) for _ in range(100)]
            for peer in peers:
                await peer.hello(token=None)
            began_s = clock.elapsed() - queued_s()
            await owner.call("token.revoke", name="bob")
            assert {await peer.closed() for peer in peers} == {(4401, "the token 'bob' was revoked")}
            took.append(clock.elapsed() - queued_s() - began_s)


async def test_whoever_reads_nothing_is_gone_within_a_second_too(
    start: Start, connect: Connect, commands: MemoryCommands, manual_clock: ManualClock
) -> None:
    server = await start(clock=manual_clock, close_s=4 * PATIENCE_S)  # of which nobody may make use
    commands.make("thr_1")
    for number in range(200):
        commands.add("thr_1", "INPUT", message_id=f"m{number}", text="x" * 100_000)
    owner = await connect(server)
    token = await made(owner)
    async with Raw.connect(server) as stuck:
        await stuck.upgrade(f"Authorization: Bearer {token}")
        for id_, method, params in (
            (0, "hello", {"client": {"name": "raw", "version": "1"}, "protocol": 1}),
            (1, "events.subscribe", {"thread_id": "thr_1"}),
        ):
            await stuck.text({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        await until(lambda: [call for call in commands.calls if call[0] == "history"])
        await until(lambda: server.connections == 2)
        await until(lambda: any(not one.writable.is_set() for one in sockets_of(server)))
        await owner.call("token.revoke", name="bob")
        await manual_clock.advance(1.0)
        await until(lambda: server.connections == 1)


def sockets_of(server: Server) -> list[WebSocket]:
    """The WebSockets that a server has open."""
    return [one for one in server._uvicorn.server_state.connections if isinstance(one, WebSocket)]


class Refused(Unobserved):
    """Remembers who was not let in."""

    def __init__(self) -> None:
        self.told: list[tuple[Way, str, str]] = []

    def refused(self, way: Way, address: str, code: str) -> None:
        self.told.append((way, address, code))


async def test_whoever_keeps_the_audit_log_is_told_of_every_kind_of_refusal(tokens: MemoryTokens) -> None:
    clock, watching = SystemClock(), Refused()
    app = build_app(MemoryCommands(), tokens, GatewayConfig("1"), clock, watching, make_id=random_id)
    server = await serve(app, bind("127.0.0.1", 0), clock)
    attempts: list[dict[str, str]] = [
        {"Origin": "https://evil.example"},
        {"Authorization": "Bearer wrong"},
    ]
    try:
        for headers in attempts:
            with pytest.raises(InvalidStatus):
                await Peer.connect(server, headers=headers).__aenter__()
        with pytest.raises(InvalidStatus):
            await Peer.connect(server, path="/ws?token=owner").__aenter__()
        async with Peer.connect(server) as peer:
            await peer.fail("hello", client={"name": "t", "version": "1"}, protocol=1, token="wrong too")
            await peer.closed()
    finally:
        await server.stop(1.0)
    codes = ["forbidden", "unauthorized", "invalid_input", "unauthorized"]
    assert watching.told == [("ws", "127.0.0.1", code) for code in codes]
