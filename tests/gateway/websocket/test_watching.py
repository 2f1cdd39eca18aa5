"""What a connection is told behind an answer, until it wants no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.jsontypes import JsonObject
from tests.doubles.commands import MemoryCommands
from tests.doubles.live import NO_PAUSE, live_row
from tests.gateway.peer import Frame, Peer, until

Connect = Callable[..., Awaitable[Peer]]
NEWS: JsonObject = {"changed": [live_row("thr_2")], "gone": ["thr_1"], "more": False, "switch": NO_PAUSE}


async def told(peer: Peer) -> Frame:
    """The next notification."""
    frame = peer.ahead.pop(0) if peer.ahead else await peer.frame()
    assert frame["method"] == "live"
    params: Frame = frame["params"]
    return params


async def test_the_answer_comes_first_and_then_what_changes(connect: Connect, commands: MemoryCommands) -> None:
    commands.live.news.put_nowait(NEWS)
    peer = await connect()
    await peer.say({"jsonrpc": "2.0", "id": 1, "method": "live.watch"})
    assert (await peer.frame())["result"]["rows"] == [live_row("thr_1")]
    assert await told(peer) == NEWS


async def test_a_second_watch_on_a_connection_is_refused(connect: Connect) -> None:
    peer = await connect()
    await peer.call("live.watch")
    assert (await peer.fail("live.watch"))["data"]["code"] == "conflict"


async def test_nothing_comes_behind_the_answer_to_its_end_and_it_can_begin_again(
    connect: Connect, commands: MemoryCommands
) -> None:
    peer = await connect()
    assert await peer.call("live.unwatch") == {"ended": False}
    await peer.call("live.watch")
    assert await peer.call("live.unwatch") == {"ended": True}
    assert commands.live.watching == 0
    await peer.call("live.watch")
    commands.live.news.put_nowait(NEWS)
    assert await told(peer) == NEWS


async def test_a_watch_ends_with_its_connection(connect: Connect, commands: MemoryCommands) -> None:
    peer = await connect()
    await peer.call("live.watch")
    await until(lambda: commands.live.watching == 1)
    await peer.socket.close()
    await until(lambda: commands.live.watching == 0)


async def test_one_that_was_refused_can_begin_again(
    connect: Connect, commands: MemoryCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> Frame:
        raise StoreUnavailable("the store does not answer")

    peer = await connect()
    with monkeypatch.context() as patch:
        patch.setattr(commands.live, "now", away)
        assert (await peer.fail("live.watch"))["data"]["code"] == "store_unavailable"
    assert (await peer.call("live.watch"))["more"] is False
