"""What a connection that does nothing weighs, and how long a request takes, beside the server that Sulla stands on.

`bench.bare_socket` is that server with nothing on it. Each server has a processor to itself and starts anew each round.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
from websockets.asyncio.client import ClientConnection

from bench.frame import Frame, Row, Samples
from bench.process import at_rest, ready_url, running
from bench.talk import ask, dial, hello, on_core
from sulla.terminal.place import door

NAME = "connections"

IDLE_BAR = 1.2
"""Issue 4's."""
IDLE = 500
"""Connections that do nothing."""
TRIPS = 200
"""Round trips, one after the other."""
_ROUNDS_PER_WEIGHING = 20

Step = Callable[[ClientConnection], Coroutine[object, object, object]]


def run(frame: Frame) -> list[Row]:
    """The bar is issue 4's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_rows(frame, Path(folder)))


async def _rows(frame: Frame, folder: Path) -> list[Row]:
    weights: dict[str, list[float]] = {"idle connection, bare": [], "idle connection, Sulla": []}
    trips: dict[str, list[float]] = {"round trip, bare": [], "round trip, Sulla": []}
    rounds = max(1, frame.rounds // _ROUNDS_PER_WEIGHING)
    for round_ in range(rounds):
        with running(("-m", "bench.bare_socket")) as process:
            url = ready_url(process)
            on_core(process.pid, 0)
            weights["idle connection, bare"].append(await _weigh(process.pid, url, "", _echo))
            trips["round trip, bare"].append(await _round_trips(url, "", _echo))
        home = folder / f"idle-{round_}"
        up = ("-m", "sulla", "up", "--port", "0", "--home", str(home))
        with running(up, {"SULLA_MODEL": "offline", "SULLA_DAEMON__LOG_LEVEL": "error"}) as daemon:
            ready_url(daemon)
            at_rest(daemon.pid)  # what is loaded in idle time is no connection's
            on_core(daemon.pid, 0)
            where = door(home)
            weights["idle connection, Sulla"].append(await _weigh(daemon.pid, f"{where.url}/ws", where.token, hello))
            trips["round trip, Sulla"].append(await _round_trips(f"{where.url}/ws", where.token, hello, _trip))
    weight, trip = Samples(weights, "KiB"), Samples(trips, "µs")
    return [
        weight.row("idle connection, bare"),
        weight.row("idle connection, Sulla", "idle connection, bare", bar=IDLE_BAR),
        trip.row("round trip, bare"),
        trip.row("round trip, Sulla", "round trip, bare"),
    ]


async def _weigh(pid: int, url: str, token: str, greet: Step) -> float:
    """What one of many connections that have spoken once adds to the server's own memory, in KiB."""
    async with AsyncExitStack() as stack:
        for _ in range(20):  # what is made once, for the first connections
            await greet(await stack.enter_async_context(dial(url, token)))
        before = psutil.Process(pid).memory_full_info().uss
        for _ in range(IDLE):
            await greet(await stack.enter_async_context(dial(url, token)))
        return (psutil.Process(pid).memory_full_info().uss - before) / IDLE / 1024


async def _round_trips(
    url: str,
    token: str,
    greet: Step,
    trip: Step | None = None,
) -> float:
    """What one takes, in µs."""
    go = trip or greet
    async with dial(url, token) as socket:
        await greet(socket)
        for _ in range(TRIPS):
            await go(socket)
        begun = time.perf_counter()
        for _ in range(TRIPS):
            await go(socket)
        return (time.perf_counter() - begun) / TRIPS * 1e6


async def _echo(socket: ClientConnection) -> None:
    await socket.send('{"jsonrpc":"2.0","id":1,"method":"events.unsubscribe","params":{"thread_id":"thr_1"}}')
    await socket.recv()


async def _trip(socket: ClientConnection) -> None:
    await ask(socket, "events.unsubscribe", thread_id="thr_1")
