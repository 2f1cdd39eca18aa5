"""Tokens and the audit log of real daemons: on one home, and on two that share a Redis."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from sulla.access.audit import FILE
from sulla.core.errors import NotFound, Unauthorized
from sulla.host.home import Home
from sulla.host.system import SystemClock
from sulla.terminal.client import open_client
from sulla.terminal.place import Door, door
from tests.daemon.running import PATIENCE_S, Place
from tests.servers.stores.redis import RedisServer, redis_server
from tests.soon import attempts

__all__ = ["redis_server"]

CLOCK = SystemClock()

HELLO = {"client": {"name": "test", "version": "1"}, "protocol": 1}


@asynccontextmanager
async def opened(where: Door) -> AsyncIterator[ClientConnection]:
    """A bare socket that has said hello."""
    async with connect(
        where.url.replace("http", "ws", 1) + "/ws",
        subprotocols=[Subprotocol("sulla.v1")],
        additional_headers={"Authorization": f"Bearer {where.token}"},
        proxy=None,
        open_timeout=PATIENCE_S,
    ) as socket:
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "hello", "params": HELLO}))
        assert "result" in json.loads(await socket.recv())
        yield socket


async def closed(socket: ClientConnection) -> tuple[int | None, str | None]:
    """How the daemon has closed a socket, once it has."""
    async with asyncio.timeout(PATIENCE_S):
        await socket.wait_closed()
    return socket.close_code, socket.close_reason


def audited(home: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (home / FILE).read_text().splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_GATEWAY__PORT="0")


async def test_a_token_lives_and_dies_and_the_log_says_so(place: Place) -> None:
    with place.up() as daemon:
        here = door(place.home)
        async with open_client(here) as owner:
            made = await owner.call("token.create", name="phone", scopes=["read", "write"])
            bob = Door(here.url, made["token"])
            async with opened(bob) as socket:
                thread = (await owner.call("thread.create", title="a secret title"))["thread_id"]
                async with open_client(bob) as phone:
                    await phone.call("turn.send", thread_id=thread, message_id="m1", text="a secret text")
                assert await owner.call("token.revoke", name="phone") == {"revoked": True}
                assert await closed(socket) == (4401, "the token 'phone' was revoked")
            with pytest.raises(Unauthorized):
                async with open_client(bob):
                    pass
            status = await owner.call("system.status")
            assert (status["audit"], status["audit_missing"]) == ("on", 0)
        assert daemon.ended(signal.SIGTERM) == 0
    told = [(line.get("token"), line["method"], line["code"]) for line in audited(place.home)]
    assert told == [
        ("owner", "token.create", "ok"),
        ("owner", "thread.create", "ok"),
        ("phone", "turn.send", "ok"),
        ("owner", "token.revoke", "ok"),
        (None, "admission", "unauthorized"),
    ]
    text = (place.home / FILE).read_text()
    assert "secret" not in text
    assert made["token"] not in text


async def test_a_token_outlives_its_daemon_and_the_owners_can_be_replaced_under_an_open_socket(place: Place) -> None:
    with place.up() as daemon:
        async with open_client(door(place.home)) as owner:
            token = (await owner.call("token.create", name="phone", scopes=["admin"]))["token"]
        daemon.process.kill()
        daemon.process.wait(PATIENCE_S)
    with place.up():
        old = door(place.home)
        async with opened(old) as socket, open_client(Door(old.url, token)) as phone:
            await phone.call("token.revoke", name="owner")
            assert await closed(socket) == (4401, "the token 'owner' was revoked")
        new = door(place.home)
        assert new.token != old.token
        assert (place.home / "token").stat().st_mode & 0o777 == 0o600
        with pytest.raises(Unauthorized):
            async with open_client(old):
                pass
        async with open_client(new) as owner:
            assert [row["name"] for row in (await owner.call("token.list"))["tokens"]] == ["owner", "phone"]


async def test_a_token_expires_under_an_open_socket(place: Place) -> None:
    with place.up():
        here = door(place.home)
        name, made = "", dict[str, Any]()
        async with open_client(here) as owner:
            for took in attempts(1.0):
                name, life_s = f"guest{len(took)}", 2 ** len(took)  # whoever is slow needs longer to come in
                began_s = CLOCK.elapsed()
                made = await owner.call("token.create", name=name, scopes=["read"], expires_s=life_s)
                try:
                    async with opened(Door(here.url, made["token"])) as socket:
                        assert await closed(socket) == (4401, f"the token '{name}' has expired")
                except (InvalidStatus, ConnectionClosed):
                    assert CLOCK.elapsed() - began_s >= life_s, "it was good still"
                    took.append(inf)
                else:
                    took.append(CLOCK.elapsed() - began_s - life_s)
        with pytest.raises(Unauthorized, match=f"'{name}' expired at"):
            async with open_client(Door(here.url, made["token"])):
                pass


async def test_threads_and_the_store_check_do_not_stumble_over_the_log_of_tokens(place: Place) -> None:
    with place.up():
        async with open_client(door(place.home)) as owner:
            await owner.call("token.create", name="phone", scopes=["read"])
            assert (await owner.call("thread.list"))["threads"] == []
            report = await owner.call("system.check")
            assert (report["damaged"], report["finished"]) == (0, True)
            with pytest.raises(NotFound):
                await owner.call("thread.history", thread_id="access.tokens")
    assert place.run("thread", "export", "--all", "--out", str(place.home / "out"))[0] == 0
    assert place.run("doctor")[0] == 0


async def test_two_daemons_on_one_redis_share_tokens_and_their_end(tmp_path: Path, redis_server: RedisServer) -> None:
    url = redis_server.new_url()
    one, two = (Place(tmp_path / name, SULLA_MODEL="offline", REDIS_URL=url) for name in ("one", "two"))
    with one.up(), two.up():
        here, there = door(one.home), door(two.home)
        assert here.token != there.token
        async with AsyncExitStack() as stack:
            owner = await stack.enter_async_context(open_client(here))
            neighbour = await stack.enter_async_context(open_client(there))
            for took in attempts(1.0):
                name = f"phone{len(took)}"
                made = await owner.call("token.create", name=name, scopes=["read"])
                assert name in [row["name"] for row in (await neighbour.call("token.list"))["tokens"]]
                sockets = [
                    await stack.enter_async_context(opened(Door(where.url, made["token"])))
                    for where in (there, here, there)
                ]
                began_s = CLOCK.elapsed()
                await owner.call("token.revoke", name=name)
                for socket in sockets:
                    assert await closed(socket) == (4401, f"the token '{name}' was revoked")
                took.append(CLOCK.elapsed() - began_s)
        assert Home(one.home).known_token() == here.token, "each home has its own owner"


def test_it_does_not_listen_beyond_this_machine_by_accident(place: Place) -> None:
    code, out, said = place.run("up", "--port", "0", "--host", "0.0.0.0")
    assert (code, out) == (7, "")
    assert "gateway.expose" in said
    assert "TLS" in said


def test_if_that_is_meant_it_says_what_it_takes(place: Place) -> None:
    place.environ["SULLA_GATEWAY__EXPOSE"] = "true"
    with place.up("--host", "0.0.0.0") as daemon:
        assert "warning: gateway.allowed_hosts is empty" in "\n".join(daemon.greeting)
    (place.home / "token").write_text("a short one\n")
    code, _, said = place.run("up", "--port", "0", "--host", "0.0.0.0")
    assert (code, "11 characters" in said, "a short one" in said) == (7, True, False)
