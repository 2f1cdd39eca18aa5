"""A question that comes too fast, against a daemon that does as the test says; time stands until it is moved."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from sulla.core.errors import RateLimited
from sulla.host.home import Home, Whereabouts
from sulla.terminal.exits import Exit
from sulla.terminal.follow import PATIENCE_S
from sulla.terminal.turn import Asking, Said
from sulla.testing.clock import ManualClock
from tests.gateway.peer import until

pytestmark = pytest.mark.usefixtures("foreign_frames")
Capsys = pytest.CaptureFixture[str]
HELLO: dict[str, object] = {"limits": {"frame_bytes": 100_000}}
END = {
    "thread_id": "thr_1",
    "seq": 3,
    "run_id": "run_1",
    "type": "RUN_FINISHED",
    "data": {"outcome": {"status": "done"}},
}


class Daemon:
    """Takes a message after it has refused it so often, telling a wait each time."""

    def __init__(self, *waits_s: float | None) -> None:
        self._waits_s = list(waits_s)
        self.asked: list[dict[str, Any]] = []
        """What was asked, without the greetings."""

    @property
    def sent(self) -> list[str]:
        """The ids of the messages that were sent."""
        return [request["params"]["message_id"] for request in self.asked if request["method"] == "turn.send"]

    async def serve(self, socket: ServerConnection) -> None:
        """Answer one client."""
        async for frame in socket:
            request = json.loads(frame)
            if request["method"] != "hello":
                self.asked.append(request)
            await socket.send(json.dumps({"id": request["id"], **self._answer(request["method"])}))
            if request["method"] == "events.subscribe":
                await socket.send(json.dumps({"method": "event", "params": END}))

    def _answer(self, method: str) -> dict[str, object]:
        if method == "turn.send" and self._waits_s:
            data = {"code": "rate_limited", "retryable": True, "retry_after_s": self._waits_s.pop(0)}
            return {"error": {"code": -32029, "message": "too fast", "data": data}}
        found: dict[str, dict[str, object]] = {
            "hello": HELLO,
            "thread.create": {"thread_id": "thr_1"},
            "turn.send": {"run_id": "run_1", "seq": 2},
        }
        return {"result": found.get(method, {"seq": 2})}


@pytest.fixture
def clock() -> ManualClock:
    """The client's."""
    return ManualClock()


@asynccontextmanager
async def asking(daemon: Daemon, home: Path, clock: ManualClock) -> AsyncIterator[Asking]:
    """A question to a daemon."""
    async with serve(daemon.serve, "127.0.0.1", 0, subprotocols=["sulla.v1"]) as server:  # type: ignore[list-item]  # a NewType that the package does not export
        port = next(iter(server.sockets)).getsockname()[1]
        place = Home(home)
        place.lock()
        try:
            place.token(lambda: "token")
            place.announce(Whereabouts(f"http://127.0.0.1:{port}", os.getpid()))
            yield Asking(home, None, Said("hi"), clock, as_json=False)
        finally:
            place.unlock()


async def test_a_message_that_came_too_fast_is_sent_again_when_the_daemon_said(
    tmp_path: Path, clock: ManualClock, capsys: Capsys
) -> None:
    daemon = Daemon(0.4, 2.0, None)
    async with asking(daemon, tmp_path / "home", clock) as question:
        answer = asyncio.ensure_future(question.answer())
        for number, wait_s in enumerate((0.4, 2.0, 0.25), start=1):
            await until(lambda: clock.sleepers)
            await clock.advance(wait_s - 0.01)
            assert (clock.sleepers, len(daemon.sent)) == (1, number), "not before its time"
            await clock.advance(0.01)
        assert await answer is Exit.OK
    assert len(daemon.sent) == 4
    assert len(set(daemon.sent)) == 1, "always the same message"
    assert "sent again" not in capsys.readouterr().err, "a short wait is nobody's business"


async def test_a_long_wait_is_told_beside_the_answer(tmp_path: Path, clock: ManualClock, capsys: Capsys) -> None:
    async with asking(Daemon(7.5), tmp_path / "home", clock) as question:
        answer = asyncio.ensure_future(question.answer())
        await until(lambda: clock.sleepers)
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", "[the daemon takes no more messages now; sent again in 8 s]\n")
        await clock.advance(7.5)
        assert await answer is Exit.OK


async def test_patience_has_an_end(tmp_path: Path, clock: ManualClock) -> None:
    daemon = Daemon(*[PATIENCE_S / 2] * 3)
    async with asking(daemon, tmp_path / "home", clock) as question:
        answer = asyncio.ensure_future(question.answer())
        for _ in range(2):
            await until(lambda: clock.sleepers)
            await clock.advance(PATIENCE_S / 2)
        with pytest.raises(RateLimited, match="too fast"):
            await answer
    assert len(daemon.sent) == 3
    assert daemon.asked[-1]["method"] == "thread.delete", "nobody wants an empty thread in their lists"


async def test_leaving_while_the_message_waits_stops_nobody_elses_turn(tmp_path: Path, clock: ManualClock) -> None:
    daemon = Daemon(7.5)
    async with asking(daemon, tmp_path / "home", clock) as question:
        answer = asyncio.ensure_future(question.answer())
        await until(lambda: clock.sleepers)
        answer.cancel()
        await asyncio.wait((answer,))
        assert await question.stop() is False
        methods = [request["method"] for request in daemon.asked]
        assert methods == ["thread.create", "turn.send", "thread.delete"], "and leaves no empty thread"


async def test_leaving_once_it_is_taken_stops_its_turn(tmp_path: Path, clock: ManualClock) -> None:
    daemon = Daemon()
    async with asking(daemon, tmp_path / "home", clock) as question:
        assert await question.answer() is Exit.OK
        assert await question.stop() is True
        assert daemon.asked[-1]["method"] == "turn.stop"
