"""What many turns leave behind in a daemon: how its memory grows, and how many files it has open.

A real daemon on SQLite with everything at its defaults, eight clients on its WebSocket, and a fake of the model's
service over HTTP that answers at once. Each turn is in one of 2,000 threads, drawn by chance, so what is kept of
threads between turns is full after the first thousand. Between blocks of turns nobody does anything while it is
weighed. The slope is that of the straight line which fits best what it weighed after the first thousand turns.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Any

import psutil

from bench.frame import Frame, Row
from bench.history import Thread, text_of
from bench.process import ready_url, running
from bench.stopwatch import Service
from bench.turn import BEYOND_PEOPLE
from sulla.core.errors import SullaError
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.servers.script import Reply, Rule, Script

NAME = "growth"

TURNS, THREADS = 20_000, 2_000
CLIENTS = 8
BLOCK = 500
WARM = 1_000
"""Turns after which nothing shall grow any more."""
SLOPE_BAR_MIB = 1.0
"""For each thousand turns."""
DESCRIPTORS_BAR = 4
"""More than after the first thousand turns: a connection to the service, or to the store, may come and go."""

_SETTLE_S = 0.5
_MIB = 1024 * 1024
_SETTINGS = {
    "SULLA_MODEL": "anthropic:fake",
    "ANTHROPIC_API_KEY": "none",
    "SULLA_DAEMON__LOG_LEVEL": "error",
    **BEYOND_PEOPLE,
}


@dataclass(frozen=True, slots=True)
class Weight:
    """What the daemon was after so many turns."""

    turns: int
    rss_mib: float
    descriptors: int


def run(frame: Frame) -> list[Row]:
    """The bars are issue 11's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        weights = asyncio.run(weigh(Path(folder), TURNS, THREADS))
    return rows(weights)


def rows(weights: Sequence[Weight]) -> list[Row]:
    """What came out."""
    warm = [one for one in weights if one.turns >= WARM]
    slope, more = slope_mib(warm), max(one.descriptors for one in warm) - warm[0].descriptors
    return [
        Row(f"RSS after {warm[0].turns:,} turns", warm[0].rss_mib, "MiB"),
        Row(f"RSS after {warm[-1].turns:,} turns", warm[-1].rss_mib, "MiB"),
        Row("growth for each 1,000 turns", slope, "MiB", ok=slope <= SLOPE_BAR_MIB),
        Row(f"descriptors after {warm[0].turns:,} turns", warm[0].descriptors, ""),
        Row("descriptors, most that came to these", more, "", ok=more <= DESCRIPTORS_BAR),
    ]


def slope_mib(weights: Sequence[Weight]) -> float:
    """How much heavier it became with each thousand turns."""
    return linear_regression([one.turns / 1000 for one in weights], [one.rss_mib for one in weights]).slope


async def weigh(folder: Path, turns: int, threads: int) -> list[Weight]:
    """Have a daemon do turns, and weigh it between blocks of them.

    Args:
        folder: an empty one.
        turns: how many in all.
        threads: how many threads they are in.
    """
    home, chance = folder / "home", random.Random(7)
    service = Service(Script([Rule(Reply(f"{text_of(0)} <AGENT_DONE>fine</AGENT_DONE>"))]))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(service)
        settings = _SETTINGS | {"ANTHROPIC_BASE_URL": service.url}
        daemon = stack.enter_context(running(("-m", "sulla", "up", "--port", "0", "--home", str(home)), settings))
        ready_url(daemon)
        clients = [await stack.enter_async_context(open_client(door(home))) for _ in range(CLIENTS)]
        known = [Thread((await clients[0].call("thread.create"))["thread_id"], 0) for _ in range(threads)]
        process, found = psutil.Process(daemon.pid), []
        for done in range(BLOCK, turns + 1, BLOCK):
            drawn = chance.choices(range(threads), k=BLOCK)
            shares = [[known[number] for number in drawn if number % CLIENTS == at] for at in range(CLIENTS)]
            async with asyncio.TaskGroup() as group:
                for client, share in zip(clients, shares, strict=True):
                    group.create_task(_talk(client, share))
            await asyncio.sleep(_SETTLE_S)
            found.append(Weight(done, process.memory_info().rss / _MIB, process.num_fds()))
        return found


async def _talk(client: Client, threads: Sequence[Thread]) -> None:
    """A turn in each thread, one after the other, as a client that looks at it for as long."""
    for thread in threads:
        await _insist(client, "events.subscribe", thread_id=thread.id, after=thread.last_seq)
        message_id, text = thread.next_message()
        asked = await _insist(client, "turn.send", thread_id=thread.id, message_id=message_id, text=text)
        async for event in client.events():
            thread.last_seq = max(thread.last_seq, event["seq"] or 0)
            if event["run_id"] == asked["run_id"] and event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                assert event["type"] == "RUN_FINISHED", event
                break
        await _insist(client, "events.unsubscribe", thread_id=thread.id)


async def _insist(client: Client, method: str, **params: object) -> dict[str, Any]:
    """Ask until it is done: on a busy machine the store may be late."""
    while True:
        try:
            return await client.call(method, **params)
        except SullaError as error:
            if not error.retryable:
                raise
        await asyncio.sleep(_SETTLE_S)
