"""The command line's own client, against daemons that misbehave. What good ones do: the commands' tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from sulla.core.errors import (
    NotFound,
    QueueFull,
    RateLimited,
    Refused,
    StoreReplaced,
    SullaError,
    TooLarge,
    Unavailable,
)
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import Door
from tests.servers.wire import WireRequest, WireResponse, WireServer

pytestmark = pytest.mark.usefixtures("foreign_frames")

HELLO = {"limits": {"frame_bytes": 1000}}

Answer = Callable[[dict[str, Any]], object]


@asynccontextmanager
async def _talk(answer: Answer) -> AsyncIterator[Client]:
    """A client of a daemon that takes everybody in, and then answers as the test says."""

    async def one(socket: ServerConnection) -> None:
        async for frame in socket:
            request = json.loads(frame)
            said = {"id": request["id"], "result": HELLO} if request["method"] == "hello" else answer(request)
            if said is None:
                return
            await socket.send(json.dumps(said))

    async with serve(one, "127.0.0.1", 0, subprotocols=["sulla.v1"]) as server:  # type: ignore[list-item]  # a NewType that the package does not export
        port = next(iter(server.sockets)).getsockname()[1]
        async with open_client(Door(f"http://127.0.0.1:{port}", "token")) as client:
            yield client


def _refusing(id_: object, code: str) -> Answer:
    return lambda request: {
        "id": request["id"] if id_ == "its" else id_,
        "error": {"code": -32000, "message": "no", "data": {"code": code}},
    }


@pytest.mark.parametrize(
    ("code", "kind"),
    [("queue_full", QueueFull), ("store_unavailable", Unavailable), ("not_available", Refused), ("of_2030", Refused)],
)
async def test_an_error_becomes_ours_by_its_code(code: str, kind: type[SullaError]) -> None:
    async with _talk(_refusing("its", code)) as client:
        with pytest.raises(kind, match="no"):
            await client.call("system.status")


@pytest.mark.parametrize(("told", "known"), [(1.5, 1.5), (2, 2.0), (None, None), ("soon", None)])
async def test_an_error_says_when_to_come_back_as_the_daemon_told(told: object, known: float | None) -> None:
    data = {"code": "rate_limited", "retry_after_s": told}
    error = {"code": -32029, "message": "too fast", "data": data}
    async with _talk(lambda request: {"id": request["id"], "error": error}) as client:
        with pytest.raises(RateLimited, match="too fast") as raised:
            await client.call("turn.send")
    assert (raised.value.retry_after_s, raised.value.retryable) == (known, True)


async def test_an_error_that_names_no_request_ends_the_wait_of_all() -> None:
    async with _talk(_refusing(None, "invalid_input")) as client:
        with pytest.raises(Refused, match="no"):
            await client.call("system.status")


async def test_a_connection_that_breaks_ends_every_wait() -> None:
    async with _talk(lambda request: None) as client:
        with pytest.raises(Unavailable, match="the connection to the daemon broke"):
            await client.call("system.status")
        with pytest.raises(Unavailable, match="the connection to the daemon broke"):
            await anext(client.events())


async def test_what_is_too_long_is_not_even_sent() -> None:
    reached = list[object]()
    async with _talk(reached.append) as client:
        with pytest.raises(TooLarge, match="the daemon takes at most 1000"):
            await client.call("turn.send", text="x" * 1000)
    assert reached == []


async def test_what_is_not_given_is_not_sent() -> None:
    async with _talk(lambda request: {"id": request["id"], "result": request["params"]}) as client:
        assert await client.call("thread.create", agent=None, title="") == {"title": ""}


async def test_something_else_on_the_port_is_not_taken_for_a_daemon() -> None:
    async def shop(request: WireRequest, response: WireResponse) -> None:
        await response.whole(404, b"<h1>Shop</h1>")

    async with WireServer(shop) as server:
        with pytest.raises(Unavailable, match=f"what answers at {server.url} is not our daemon"):
            async with open_client(Door(server.url, "token")):
                raise AssertionError("taken in")


async def test_nothing_on_the_port_is_no_daemon() -> None:
    with pytest.raises(Unavailable, match=r"no daemon answers at http://127\.0\.0\.1:1"):
        async with open_client(Door("http://127.0.0.1:1", "token")):
            raise AssertionError("taken in")


@pytest.mark.parametrize(("code", "kind"), [("not_found", NotFound), ("store_replaced", StoreReplaced)])
async def test_a_thread_that_can_be_followed_no_longer_ends_the_wait_for_its_events(
    code: str, kind: type[SullaError]
) -> None:
    error = {"code": -32000, "message": "gone", "data": {"code": code}}
    ended = {"jsonrpc": "2.0", "method": "events.ended", "params": {"thread_id": "thr_1", "error": error}}
    async with _talk(lambda request: ended) as client:
        asking = asyncio.ensure_future(client.call("events.subscribe"))
        with pytest.raises(kind, match="gone"):
            await anext(client.events())
    with pytest.raises(Unavailable):
        await asking


async def test_an_answer_to_somebody_who_has_just_left_does_not_end_the_connection() -> None:
    async with _talk(lambda request: {"id": request["id"], "result": {}}) as client:
        asking = asyncio.ensure_future(client.call("system.status"))
        while not client._asked:
            await asyncio.sleep(0)
        (id_,) = client._asked
        client._asked[id_].cancel()
        client._take({"id": id_, "result": {}})  # before the one who asked gets to know
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await client.call("system.status") == {}
