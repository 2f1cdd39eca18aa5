"""What clients that behave feel of those that do not, and what these cost the daemon.

The daemon is a process of its own with a thread in which turns follow one another, and one whose history is larger than
anything that may wait for a client. Clients ask small things all the time; their 99th hundredth without anybody else is
the baseline of the same round. Then a hundred subscribe to both threads and read nothing, and later
`bench.hostile_peers` does what it can.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import median

import orjson
import psutil
from websockets.asyncio.client import ClientConnection

from bench.frame import Frame, Row
from bench.process import ROOT, surroundings
from bench.streaming import model_service, streaming_daemon
from bench.talk import ask, dial, hello, on_core, say
from sulla.terminal.place import Door

NAME = "hostile"

HEALTHY = 8
STUCK = 100
CALM_S, FILL_S, STUCK_S = 3.0, 1.5, 2.5
"""How long the baseline is measured, until all stuck readers are stuck, and how long beside them; the daemon closes
them six seconds after that."""
P99_BAR, STUCK_MIB, ALL_MIB, CLOSED_S = 2.0, 4.0, 64.0, 10.0
"""Issue 4's."""
_HISTORY, _BIG = 24, "€" * 100_000
"""Messages of the large thread, and the largest text that one may have: 7 MiB on the wire."""
_TOKENS = 40
_PACE_S = 0.005
_LOOK_S = 0.05
_PATIENCE_S = 60.0
_ROUNDS_PER_ROUND = 20
_MIB = 2**20


def run(frame: Frame) -> list[Row]:
    """The bars are issue 4's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_Measurement(max(1, frame.rounds // _ROUNDS_PER_ROUND), Path(folder)).rows())


class _Measurement:
    """One run of this bench, in a folder of its own."""

    def __init__(self, rounds: int, folder: Path) -> None:
        self._rounds = rounds
        self._folder = folder

    async def rows(self) -> list[Row]:
        """Measure, and say what came out. What the daemon has used once it uses again, so each part has a new one."""
        return [*await self._stuck(), *await self._hostile()]

    async def _stuck(self) -> list[Row]:
        calm, beside, filling, stuck_mib, closed = [], [], [], [], []
        async with self._daemon("stuck", _HISTORY) as daemon, daemon.busy(), daemon.healthy() as healthy:
            await _p99(healthy, CALM_S)  # what is made at the first requests
            for _ in range(self._rounds):
                calm.append(await _p99(healthy, CALM_S))
                before = daemon.rss()
                async with daemon.stuck() as begun_s:
                    filling.append(await _p99(healthy, FILL_S))
                    stuck_mib.append((daemon.rss() - before) / STUCK / _MIB)
                    beside.append(await _p99(healthy, STUCK_S))
                    closed.append(await daemon.alone() - begun_s)
        ratio = median(one / other for one, other in zip(beside, calm, strict=True))
        alone, mib, closed_s = median(calm), max(stuck_mib), max(closed)
        filled = median(filling)
        return [
            Row("round trip alone, p99", alone, "ms"),
            Row(f"beside {STUCK} who get stuck, p99", filled, "ms", filled / alone, "alone"),
            Row(f"beside {STUCK} stuck readers, p99", median(beside), "ms", ratio, "alone", P99_BAR, ratio <= P99_BAR),
            _barred("a stuck reader", mib, "MiB", STUCK_MIB),
            _barred(f"{STUCK} stuck readers: closed", closed_s, "s", CLOSED_S),
        ]

    async def _hostile(self) -> list[Row]:
        async with self._daemon("hostile", 0) as daemon, daemon.busy(), daemon.healthy() as healthy:
            await _p99(healthy, CALM_S)
            calm_ms = await _p99(healthy, CALM_S)
            before = peak = daemon.rss()
            command = (sys.executable, "-m", "bench.hostile_peers", str(daemon.port), daemon.door.token)
            process = await asyncio.create_subprocess_exec(
                *command, cwd=ROOT, env=surroundings(), stdout=asyncio.subprocess.PIPE
            )
            on_core(process.pid, 1)
            asked = asyncio.ensure_future(process.communicate())
            waits: list[float] = []
            async with asyncio.timeout(_PATIENCE_S * 3):
                while not asked.done():
                    waits.extend(await _trips(healthy, _LOOK_S))
                    peak = max(peak, daemon.rss())
            said, _ = await asked
        assert process.returncode == 0, "the hostile peers have failed"
        late_ms = _hundredth(waits)
        kinds: dict[str, tuple[int, float]] = json.loads(said)
        return [
            Row("beside hostile peers, p99", late_ms, "ms", late_ms / calm_ms, "alone"),
            _barred("all hostile peers, peak", (peak - before) / _MIB, "MiB", ALL_MIB),
            *(_barred(f"{number} of {name}: closed", s, "s", CLOSED_S) for name, (number, s) in kinds.items()),
        ]

    @asynccontextmanager
    async def _daemon(self, name: str, history: int) -> AsyncIterator[_Daemon]:
        home = self._folder / name
        with (
            model_service("bench.token_service") as url,
            streaming_daemon(f"{url}/{_TOKENS}/1", home) as (pid, where),
        ):
            yield await _Daemon(pid, where).prepared(history)


def _barred(name: str, value: float, unit: str, bar: float) -> Row:
    """A figure that may be so much at most."""
    return Row(name, value, unit, value / bar, f"{bar:g} {unit}", 1.0, ok=value <= bar)


class _Daemon:
    """The daemon under attack."""

    def __init__(self, pid: int, where: Door) -> None:
        self.door = where
        self.port = int(where.url.rpartition(":")[2])
        self._process = psutil.Process(pid)
        self._busy = self._large = ""
        self._alone = 0

    async def prepared(self, history: int) -> _Daemon:
        """Make its threads, one with so many messages of the largest size."""
        async with self._connected() as socket:
            self._busy = (await ask(socket, "thread.create"))["thread_id"]
            self._large = (await ask(socket, "thread.create"))["thread_id"]
            await ask(socket, "events.subscribe", thread_id=self._large, after=0)
            for number in range(history):  # a model would not be shown so much, but the log has it
                await _turn(socket, self._large, _BIG, f"m{number}")
        return self

    def rss(self) -> int:
        """Its memory, in bytes."""
        rss: int = self._process.memory_info().rss
        return rss

    async def alone(self) -> float:
        """When it has no connections but those of before, in seconds by the monotonic clock."""
        async with asyncio.timeout(_PATIENCE_S):
            while self._process.num_fds() > self._alone:  # noqa: ASYNC110  # nobody tells us
                await asyncio.sleep(_LOOK_S)
        return time.monotonic()

    @asynccontextmanager
    async def busy(self) -> AsyncIterator[None]:
        """Turns follow one another in a thread for as long as the block lasts."""
        async with self._connected() as socket:
            await ask(socket, "events.subscribe", thread_id=self._busy, after=0)

            async def go_on() -> None:
                for number in count():
                    await _turn(socket, self._busy, "go on", f"b{number}")

            going = asyncio.ensure_future(go_on())
            try:
                yield
            finally:
                going.cancel()
                with suppress(asyncio.CancelledError):
                    await going

    @asynccontextmanager
    async def healthy(self) -> AsyncIterator[list[ClientConnection]]:
        """Clients that behave."""
        async with AsyncExitStack() as stack:
            yield [await stack.enter_async_context(self._connected()) for _ in range(HEALTHY)]

    @asynccontextmanager
    async def stuck(self) -> AsyncIterator[float]:
        """Clients that subscribe and read nothing; yields when they did."""
        self._alone = self._process.num_fds() + 2  # a store opens files by itself
        async with AsyncExitStack() as stack:
            for _ in range(STUCK):
                socket = await stack.enter_async_context(self._connected())
                socket.transport.pause_reading()
                stack.callback(socket.transport.abort)
                for thread_id in (self._busy, self._large):
                    await say(socket, "events.subscribe", thread_id=thread_id, after=0)
            yield time.monotonic()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientConnection]:
        async with dial(f"{self.door.url}/ws", self.door.token) as socket:
            await hello(socket)
            yield socket


async def _turn(socket: ClientConnection, thread_id: str, text: str, message_id: str) -> None:
    """Say something, and wait until the answer is over; that it fails is no matter here."""
    await say(socket, "turn.send", thread_id=thread_id, message_id=message_id, text=text)
    async for said in socket:
        frame = orjson.loads(said)
        assert "error" not in frame, frame
        if frame.get("method") == "event" and frame["params"]["type"] in ("RUN_FINISHED", "RUN_ERROR"):
            return


async def _p99(healthy: list[ClientConnection], seconds: float) -> float:
    return _hundredth(await _trips(healthy, seconds))


def _hundredth(waits_ms: list[float]) -> float:
    return sorted(waits_ms)[int(len(waits_ms) * 0.99)]


async def _trips(healthy: list[ClientConnection], seconds: float) -> list[float]:
    """How long round trips take of clients that ask now and then, in milliseconds."""
    waits: list[float] = []
    until_s = time.monotonic() + seconds

    async def go(socket: ClientConnection) -> None:
        while (begun_s := time.monotonic()) < until_s:
            await ask(socket, "events.unsubscribe", thread_id="thr_1")
            waits.append((time.monotonic() - begun_s) * 1000)
            await asyncio.sleep(_PACE_S)

    async with asyncio.TaskGroup() as tasks:
        for socket in healthy:
            tasks.create_task(go(socket))
    return waits
