"""Threads that are followed over breaks, against a daemon that does as the test says; time stands until it is moved."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from sulla.core.errors import Unavailable
from sulla.host.home import Home, Whereabouts
from sulla.terminal.client import Client
from sulla.terminal.follow import PATIENCE_S, RESTART_S, Follow
from sulla.testing.clock import ManualClock
from tests.gateway.peer import until

pytestmark = pytest.mark.usefixtures("foreign_frames")
Row = dict[str, Any]


class Daemon:
    """Has threads with so many events each, and closes each connection behind so many that it sent."""

    def __init__(self, ends: dict[str, int], *breaks: int) -> None:
        self._ends = ends
        self._breaks = list(breaks)
        self.subscribed: list[tuple[str, int]] = []
        """What was subscribed to, and from where."""

    async def serve(self, socket: ServerConnection) -> None:
        """Answer one client."""
        left = self._breaks.pop(0) if self._breaks else None
        async for frame in socket:
            request = json.loads(frame)
            answer: Row = {"limits": {"frame_bytes": 100_000}}
            events: list[Row] = []
            if request["method"] == "events.subscribe":
                thread_id, after = request["params"]["thread_id"], request["params"]["after"]
                self.subscribed.append((thread_id, after))
                answer = {"seq": self._ends[thread_id]}
                events = [{"thread_id": thread_id, "seq": seq} for seq in range(after + 1, self._ends[thread_id] + 1)]
            await socket.send(json.dumps({"id": request["id"], "result": answer}))
            for event in events:
                if left == 0:
                    return
                left = None if left is None else left - 1
                await socket.send(json.dumps({"method": "event", "params": event}))


@asynccontextmanager
async def served(daemon: Daemon, home: Path) -> AsyncIterator[None]:
    """The daemon of a home."""
    async with serve(daemon.serve, "127.0.0.1", 0, subprotocols=["sulla.v1"]) as server:  # type: ignore[list-item]  # a NewType that the package does not export
        port = next(iter(server.sockets)).getsockname()[1]
        place = Home(home)
        place.lock()
        try:
            place.token(lambda: "token")
            place.announce(Whereabouts(f"http://127.0.0.1:{port}", os.getpid()))
            yield
        finally:
            place.unlock()


def following(home: Path, clock: ManualClock, *, begun: bool = True, lost: list[str] | None = None) -> Follow:
    """Somebody who looks at the thread ``a``."""

    async def begin(client: Client) -> bool:
        follow.add("a")
        return True

    said = lost if lost is not None else []
    follow = Follow(home, clock, begin, begun=begun, lost=lambda: said.append("lost"))
    return follow


async def take(follow: Follow, many: int, *, more: str = "") -> list[tuple[str, int]]:
    """The next events; the first of them brings another thread along."""
    found: list[tuple[str, int]] = []
    async with aclosing(follow.events()) as events:
        async for event in events:
            found.append((event["thread_id"], event["seq"]))
            if more:
                follow.add(more)
            if len(found) == many:
                break
    return found


async def test_each_event_is_told_once_over_a_break(tmp_path: Path) -> None:
    clock, lost = ManualClock(), list[str]()
    daemon = Daemon({"a": 5}, 2)
    async with served(daemon, tmp_path / "home"):
        taken = asyncio.ensure_future(take(following(tmp_path / "home", clock, lost=lost), 5))
        await until(lambda: clock.sleepers)
        await clock.advance(0.25)
        assert await taken == [("a", seq) for seq in range(1, 6)]
    assert daemon.subscribed == [("a", 0), ("a", 2)]
    assert lost == ["lost"]


async def test_a_thread_that_is_added_is_followed_from_then_on_and_after_a_break(tmp_path: Path) -> None:
    clock = ManualClock()
    daemon = Daemon({"a": 1, "b": 3}, 2)
    async with served(daemon, tmp_path / "home"):
        follow = following(tmp_path / "home", clock)
        taken = asyncio.ensure_future(take(follow, 4, more="b"))
        await until(lambda: clock.sleepers)
        await clock.advance(0.25)
        assert await taken == [("a", 1), ("b", 1), ("b", 2), ("b", 3)]
        assert follow.is_caught_up()
    assert daemon.subscribed == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


async def test_it_is_caught_up_when_the_history_of_every_thread_was_told(tmp_path: Path) -> None:
    async with served(Daemon({"a": 2, "b": 1}), tmp_path / "home"):
        follow = following(tmp_path / "home", ManualClock())
        async with aclosing(follow.events()) as events:
            await anext(events)
            assert not follow.is_caught_up("a")
            follow.add("b")
            await anext(events)
            assert (follow.is_caught_up("a"), follow.is_caught_up()) == (True, False)
            await anext(events)
            assert follow.is_caught_up()


async def test_nobody_waits_for_a_daemon_that_acknowledged_nothing(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no daemon runs"):
        await take(following(tmp_path / "home", ManualClock(), begun=False), 1)


async def test_a_daemon_that_is_being_restarted_is_waited_for_a_bounded_time(tmp_path: Path) -> None:
    clock, told = ManualClock(), list[str]()
    place = Home(tmp_path / "home")
    place.lock()
    place.say_who()  # it begins, and has not said yet where it answers

    async def begin(client: Client) -> bool:
        return False

    try:
        follow = Follow(tmp_path / "home", clock, begin, lost=lambda: told.append("lost"))
        looking = asyncio.ensure_future(_look(follow))
        for _ in range(int(RESTART_S * 4) + 2):
            await until(lambda: clock.sleepers or looking.done())
            await clock.advance(0.25)
        with pytest.raises(Unavailable, match="no daemon runs"):
            await looking
        assert told == ["lost"]
    finally:
        place.unlock()


async def _look(follow: Follow) -> None:
    async with aclosing(follow.events()) as events:
        async for _ in events:
            pass


async def test_a_daemon_that_stays_away_is_given_up(tmp_path: Path) -> None:
    clock, lost = ManualClock(), list[str]()
    taken = asyncio.ensure_future(take(following(tmp_path / "home", clock, lost=lost), 1))
    for wait_s in (PATIENCE_S, 0.25):
        await until(lambda: clock.sleepers)
        await clock.advance(wait_s)
    with pytest.raises(Unavailable, match="no daemon runs"):
        await taken
    assert lost == ["lost"], "it is told once"


async def test_whoever_has_time_waits_on_and_is_told_when_it_is_back(tmp_path: Path) -> None:
    clock, told = ManualClock(), list[str]()

    async def begin(client: Client) -> bool:
        follow.add("a")
        return True

    follow = Follow(
        tmp_path / "home",
        clock,
        begin,
        begun=True,
        lost=lambda: told.append("lost"),
        back=lambda: told.append("back"),
        patience_s=inf,
    )
    taken = asyncio.ensure_future(take(follow, 1))
    for wait_s in (PATIENCE_S, 0.25):
        await until(lambda: clock.sleepers)
        await clock.advance(wait_s)
    await until(lambda: clock.sleepers)
    async with served(Daemon({"a": 1}), tmp_path / "home"):
        await clock.advance(2.0)
        assert await taken == [("a", 1)]
    assert told == ["lost", "back"]
