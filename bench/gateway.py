"""What a token costs on its way from the model's service to a client's socket, or to those of many clients.

The limit is `bench.bare_gateway`, both ends by hand. Every server has a processor to itself, the service and the
clients share the other one, and 40 clients get 40 tokens a second each: of a stream of their own, or all of one.
Processor time is taken in a window in which all streams run, so that what a turn costs at its ends is `bench.turn`'s
business.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import orjson
from websockets.asyncio.client import ClientConnection

from bench.frame import Frame, Row, Samples
from bench.paced_service import RATE
from bench.process import processor_s, ready_url, running
from bench.streaming import AT_ONCE, clients, model_service, streaming_daemon
from bench.talk import ask, dial, on_core, say
from bench.token_service import TOKEN_CHARS

NAME = "gateway"

STREAMS = 40
TOKENS = 160
"""Of one stream, or as many frames: four seconds."""
WINDOW_S = 2.5
"""From when the last of the streams has begun; none may end in it."""
TOGETHER = 10
"""Tokens of a read in the contenders that get many at once."""
TOKEN_BAR, TOGETHER_BAR, ADDED_MS = 2.0, 0.25, 1.0
"""Issue 4's."""
_ROUNDS_PER_STREAMING = 12
"""Streams take their time: they get one round where the frame has so many."""

_BY_HAND, _OURS = "by hand", "Sulla"
_PATIENCE_S = 30.0
_LOOK_S = 0.01


def run(frame: Frame) -> list[Row]:
    """The bars are issue 4's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_Measurement(frame, Path(folder)).rows())


@dataclass(slots=True)
class Stream:
    """What one client saw of one answer."""

    arrived: list[tuple[float, float]] = field(default_factory=list)
    """When each token came, in seconds by the monotonic clock, and how long it was on its way, in milliseconds."""
    rest: str = ""
    """The beginning of a token whose end has not come."""

    def take(self, delta: str) -> None:
        """A piece of the answer has come."""
        now_ns = time.monotonic_ns()
        text = self.rest + delta
        whole = len(text) - len(text) % TOKEN_CHARS
        for start in range(0, whole, TOKEN_CHARS):
            sent_ns = int(text[start : start + TOKEN_CHARS - 1])
            self.arrived.append((now_ns / 1e9, (now_ns - sent_ns) / 1e6))
        self.rest = text[whole:]


Watch = Callable[[ClientConnection, Stream], Coroutine[object, object, None]]
"""Asks for an answer, or waits for one, and takes it in to its end."""
Contender = Callable[[], Coroutine[object, object, tuple[float, float]]]
"""Streams once: what a token took of the server, in µs, and the 99th hundredth of their ways, in ms."""


class _Measurement:
    """One run of this bench, in a folder of its own."""

    def __init__(self, frame: Frame, folder: Path) -> None:
        self._frame = frame
        self._folder = folder
        self._ids = count(1)

    async def rows(self) -> list[Row]:
        """Measure, and say what came out."""
        return [*await self._tokens(), *await self._fan_out()]

    # ------------------------------------------------------------------------------------------------------ tokens

    async def _tokens(self) -> list[Row]:
        with model_service("bench.token_service") as url:
            costs, waits = await self._compared(
                {
                    f"token, {_BY_HAND}": self._bare(url, 1),
                    f"token, {_OURS}": self._ours(url, 1),
                    f"token of {TOGETHER} in a frame, {_BY_HAND}": self._bare(url, TOGETHER),
                    f"token of {TOGETHER} in a frame, {_OURS}": self._ours(url, TOGETHER),
                }
            )
        bare, ours, bare_many, ours_many = costs
        spent, late = Samples(costs, "µs CPU"), Samples({f"p99 of a {name}": waits[name] for name in waits}, "ms")
        added = late.median(f"p99 of a {ours}") - late.median(f"p99 of a {bare}")
        return [
            spent.row(bare),
            spent.row(ours, bare, bar=TOKEN_BAR),
            spent.row(bare_many, bare),
            spent.row(ours_many, ours, bar=TOGETHER_BAR),
            late.row(f"p99 of a {bare}"),
            late.row(f"p99 of a {ours}", f"p99 of a {bare}"),
            Row("p99 added", added, "ms", added / ADDED_MS, f"{ADDED_MS:g} ms", 1.0, ok=added <= ADDED_MS),
        ]

    async def _fan_out(self) -> list[Row]:
        bare, ours = f"token to one of {STREAMS}, {_BY_HAND}", f"token to one of {STREAMS}, {_OURS}"
        with model_service("bench.token_service") as url:
            costs, _ = await self._compared({bare: self._bare(url, 1, one=True), ours: self._ours(url, 1, one=True)})
        spent = Samples(costs, "µs CPU")
        return [spent.row(bare), spent.row(ours, bare)]

    async def _compared(
        self, servers: dict[str, AbstractAsyncContextManager[Contender]]
    ) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
        """What a token took of each server, in µs, and the 99th hundredth of the tokens' ways, in ms, by round."""
        costs: dict[str, list[float]] = {name: [] for name in servers}
        waits: dict[str, list[float]] = {name: [] for name in servers}
        async with AsyncExitStack() as stack:
            contenders = {name: await stack.enter_async_context(server) for name, server in servers.items()}
            for contender in contenders.values():
                await contender()  # the first turn of a daemon loads what it needs
            rounds = max(1, self._frame.rounds // _ROUNDS_PER_STREAMING)
            for names in self._frame.orders(list(contenders), rounds):
                for name in names:
                    cost, late_ms = await contenders[name]()
                    costs[name].append(cost)
                    waits[name].append(late_ms)
        return costs, waits

    @asynccontextmanager
    async def _bare(self, url: str, together: int, *, one: bool = False) -> AsyncIterator[Contender]:
        with running(("-m", "bench.bare_gateway", f"{url}/{TOKENS * together}/{together}")) as process:
            where = ready_url(process)
            on_core(process.pid, 0)
            async with AsyncExitStack() as stack:
                sockets = [await stack.enter_async_context(dial(where)) for _ in range(STREAMS)]
                if one:
                    for socket in sockets[1:]:
                        await socket.send("watch")
                        await socket.recv()

                async def watch(socket: ClientConnection, stream: Stream) -> None:
                    if not one or socket is sockets[0]:
                        await socket.send("go")
                    while len(stream.arrived) < TOKENS * together:
                        stream.take(orjson.loads(await socket.recv())["params"]["data"]["delta"])

                yield lambda: _stream(process.pid, sockets, watch, together)

    @asynccontextmanager
    async def _ours(self, url: str, together: int, *, one: bool = False) -> AsyncIterator[Contender]:
        home = self._folder / f"home-{together}-{one}"
        with streaming_daemon(f"{url}/{TOKENS * together}/{together}", home, AT_ONCE) as (pid, where):
            async with clients(where, STREAMS) as sockets:
                if not one:
                    yield lambda: _stream(pid, sockets, self._watch, together)
                    return

                async def of_one() -> tuple[float, float]:
                    thread_id = (await ask(sockets[0], "thread.create"))["thread_id"]
                    for socket in sockets:
                        await ask(socket, "events.subscribe", thread_id=thread_id, after=1)
                    return await _stream(
                        pid, sockets, lambda socket, stream: self._look(socket, stream, thread_id, sockets[0])
                    )

                yield of_one

    async def _watch(self, socket: ClientConnection, stream: Stream) -> None:
        """A turn in a thread of its own."""
        thread_id = (await ask(socket, "thread.create"))["thread_id"]
        await ask(socket, "events.subscribe", thread_id=thread_id, after=1)
        await self._look(socket, stream, thread_id, socket)

    async def _look(self, socket: ClientConnection, stream: Stream, thread_id: str, asker: ClientConnection) -> None:
        """A turn in a thread that is followed."""
        if socket is asker:
            await say(socket, "turn.send", thread_id=thread_id, message_id=f"m{next(self._ids)}", text="hello")
        async for text in socket:
            frame = orjson.loads(text)
            if frame.get("method") != "event":
                assert "error" not in frame, frame
                continue
            event = frame["params"]
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                stream.take(event["data"]["delta"])
            elif event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                assert event["type"] == "RUN_FINISHED", event
                break
        await ask(socket, "events.unsubscribe", thread_id=thread_id)


# -------------------------------------------------------------------------------------------------------------- streams


async def _stream(pid: int, sockets: list[ClientConnection], watch: Watch, together: int = 1) -> tuple[float, float]:
    """Have all clients stream at once; what a token took of the server, in µs, and the 99th hundredth of their ways."""
    streams = [Stream() for _ in sockets]
    gc.collect()
    async with asyncio.timeout(_PATIENCE_S), asyncio.TaskGroup() as tasks:
        for socket, stream in zip(sockets, streams, strict=True):
            tasks.create_task(watch(socket, stream))
        while not all(stream.arrived for stream in streams):  # noqa: ASYNC110  # an event for each token would cost
            await asyncio.sleep(_LOOK_S)
        began_s, used_s = time.monotonic(), processor_s(pid)
        await asyncio.sleep(WINDOW_S)
        ended_s, used_s = time.monotonic(), processor_s(pid) - used_s
    window = [late_ms for stream in streams for at_s, late_ms in stream.arrived if began_s <= at_s < ended_s]
    due = STREAMS * RATE * together * (ended_s - began_s)
    assert len(window) > 0.9 * due, f"only {len(window)} of {due:.0f} tokens came in the window"
    assert all(len(stream.arrived) == TOKENS * together for stream in streams), [len(one.arrived) for one in streams]
    return used_s * 1e6 / len(window), sorted(window)[int(len(window) * 0.99)]
