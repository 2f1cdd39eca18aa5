"""What a client waits for that comes back: a thousand kept events, beside a bare server that sends the same bytes.

Wall time from the request to the last event, on a connection that is there; and the same with the connection to make.
Server and client have a processor each. `bench.bare_replay` sends from memory what the daemon reads from its log.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from websockets.asyncio.client import ClientConnection

from bench.frame import Frame, Row, Samples
from bench.history import write_history
from bench.process import ready_url, running
from bench.talk import ask, dial, hello, on_core
from sulla.terminal.place import door

NAME = "resume"

EVENTS_BAR_MS = 200.0
"""Issue 4's, for a thousand events."""
_MESSAGES = 400
"""Of which each second one is answered: 200 turns of five events, and the thread's first."""
_ROUNDS_PER_LOOK = 3


@dataclass(frozen=True, slots=True)
class _Server:
    """Where something answers."""

    url: str
    token: str = ""
    """Empty for the bare one, which sends at any word."""

    @asynccontextmanager
    async def visit(self) -> AsyncIterator[ClientConnection]:
        """A new connection, greeted."""
        async with dial(self.url, self.token) as socket:
            if self.token:
                await hello(socket)
            yield socket


def run(frame: Frame) -> list[Row]:
    """The bar is issue 4's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_measure(frame, Path(folder)))


async def _measure(frame: Frame, folder: Path) -> list[Row]:
    home, lines = folder / "home", folder / "lines"
    home.mkdir(mode=0o700)
    (thread,) = await write_history(home / "sulla.db", (_MESSAGES,))
    count = thread.last_seq
    async with AsyncExitStack() as stack:
        on_core(os.getpid(), 1)
        daemon = stack.enter_context(
            running(
                ("-m", "sulla", "up", "--port", "0", "--home", str(home)),
                {"SULLA_MODEL": "offline", "SULLA_DAEMON__LOG_LEVEL": "error"},
            )
        )
        ready_url(daemon)
        on_core(daemon.pid, 0)
        where = door(home)
        ours = _Server(f"{where.url}/ws", where.token)
        lines.write_bytes(b"\n".join(await _recorded(ours, thread.id, count)))
        bare_process = stack.enter_context(running(("-m", "bench.bare_replay", str(lines))))
        bare = _Server(ready_url(bare_process))
        on_core(bare_process.pid, 0)
        costs = await _rounds(
            frame,
            {
                f"{count:,} events, bare": lambda: _again(bare, thread.id, count),
                f"{count:,} events, Sulla": lambda: _again(ours, thread.id, count),
                f"{count:,} events and a new connection, bare": lambda: _anew(bare, thread.id, count),
                f"{count:,} events and a new connection, Sulla": lambda: _anew(ours, thread.id, count),
            },
        )
    return _rows(costs)


async def _rounds(
    frame: Frame, contenders: dict[str, Callable[[], Coroutine[object, object, float]]]
) -> dict[str, list[float]]:
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        await contender()
    for names in frame.orders(list(contenders), max(1, frame.rounds // _ROUNDS_PER_LOOK)):
        for name in names:
            costs[name].append(await contenders[name]())
    return costs


def _rows(costs: dict[str, list[float]]) -> list[Row]:
    samples, rows = Samples(costs, "ms"), []
    names = list(costs)
    for bare, ours in zip(names[::2], names[1::2], strict=True):
        took_ms = samples.median(ours)
        rows += [
            samples.row(bare),
            samples.row(ours, bare),
            Row(
                f"{ours}, as promised",
                took_ms,
                "ms",
                took_ms / EVENTS_BAR_MS,
                f"{EVENTS_BAR_MS:g} ms",
                1.0,
                ok=took_ms <= EVENTS_BAR_MS,
            ),
        ]
    return rows


async def _recorded(server: _Server, thread_id: str, count: int) -> list[bytes]:
    """The frames of the events, as the daemon sends them."""
    async with server.visit() as socket:
        await ask(socket, "events.subscribe", thread_id=thread_id, after=0)
        return [await socket.recv(decode=False) for _ in range(count)]


async def _again(server: _Server, thread_id: str, count: int) -> float:
    """How long all events take on a connection that is there, in ms."""
    async with server.visit() as socket:
        return await _replay(socket, server, thread_id, count, time.perf_counter())


async def _anew(server: _Server, thread_id: str, count: int) -> float:
    """How long connection, hello and all events take, in ms."""
    began_s = time.perf_counter()
    async with server.visit() as socket:
        return await _replay(socket, server, thread_id, count, began_s)


async def _replay(socket: ClientConnection, server: _Server, thread_id: str, count: int, began_s: float) -> float:
    if server.token:
        await ask(socket, "events.subscribe", thread_id=thread_id, after=0)
    else:
        await socket.send("go")
    for _ in range(count):
        await socket.recv(decode=False)
    return (time.perf_counter() - began_s) * 1000
