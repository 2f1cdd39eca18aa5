"""How long stopping all work takes beside clients of one token that have large playbooks checked all the time.

The daemon is a process of its own, and so is whoever asks it. The limit is the same call with nobody beside it, in the
same run; what is promised is the second that `system.pause` may take.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Final

from websockets.asyncio.client import ClientConnection

from bench.frame import Frame, Row
from bench.streaming import model_service, streaming_daemon
from bench.talk import ask, dial, hello, say
from sulla.terminal.place import Door

NAME = "trying_out"

CLIENTS: Final = 32
STEPS: Final = 700
NEEDS: Final = 60
"""Of each step: the largest that a request holds."""
MOST_S: Final = 1.0
"""What pausing may take (docs/console.md)."""
_ROUNDS_PER_ROUND: Final = 6
_BUSY_S: Final = 0.05
"""So long a client that was refused waits before it asks again: it does not keep to what it is told."""


def run(frame: Frame) -> list[Row]:
    """Measure, alone and beside them."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_rows(Path(folder), max(3, frame.rounds // _ROUNDS_PER_ROUND)))


async def _rows(folder: Path, rounds: int) -> list[Row]:
    with model_service("bench.token_service") as url, streaming_daemon(f"{url}/1/1", folder) as (_, where):
        async with AsyncExitStack() as stack:
            owner = await _connected(stack, where)
            alone = [await _pause_s(owner) for _ in range(rounds)]
            others = [await _connected(stack, where) for _ in range(CLIENTS)]
            going = [asyncio.ensure_future(_try_out(one)) for one in others]
            await asyncio.sleep(1.0)  # until all of them wait
            beside = [await _pause_s(owner) for _ in range(rounds)]
            for one in going:
                one.cancel()
            await asyncio.wait(going)
    worst = max(beside)
    calm, busy = median(alone), median(beside)
    return [
        Row("pause alone", calm * 1000, "ms"),
        Row(f"beside {CLIENTS} who have playbooks checked", busy * 1000, "ms", busy / calm, "alone"),
        Row("the slowest of these", worst * 1000, "ms", worst / MOST_S, f"{MOST_S:g} s", 1.0, ok=worst <= MOST_S),
    ]


async def _connected(stack: AsyncExitStack, where: Door) -> ClientConnection:
    socket = await stack.enter_async_context(dial(where.url + "/ws", where.token))
    await hello(socket)
    return socket


async def _pause_s(socket: ClientConnection) -> float:
    began_s = time.perf_counter()
    await ask(socket, "system.pause", reason="bench")
    took_s = time.perf_counter() - began_s
    await ask(socket, "system.resume")
    return took_s


async def _try_out(socket: ClientConnection) -> None:
    rows = (f"  - {{id: s{at}, wait: 1s, needs: [{_names(at)}]}}\n" for at in range(STEPS))
    text = f"name: p\nsteps:\n{''.join(rows)}"
    while True:
        await say(socket, "workflow.check", text=text, file="p.yaml")
        await socket.recv()
        await asyncio.sleep(_BUSY_S)


def _names(at: int) -> str:
    return ", ".join(f"s{before}" for before in range(max(0, at - NEEDS), at))
