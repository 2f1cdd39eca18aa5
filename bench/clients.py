"""Turns of 40 and of 200 clients at once, beside what the store's commits of those turns take alone.

A real daemon on SQLite, each client on a WebSocket of its own with a thread of its own, and a fake of the model's
service over HTTP that answers at once. The limit makes the four commits of a turn (offer, acquire, start, end;
decision 004) for as many threads at once, in this process, with nothing between them. Figures are milliseconds for each
turn: the time that all took, divided by how many they were.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path

from bench.frame import Frame, Row, Samples
from bench.history import Thread, text_of
from bench.process import processor_s, ready_url, running
from bench.saving import BODY, HEAD
from bench.stopwatch import Service, new_thread, turn, until_warm
from bench.turn import BEYOND_PEOPLE
from sulla.host.system import SystemClock, random_id
from sulla.store.sqlite.store import SqliteStore
from sulla.store.values import Draft
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.servers.script import Reply, Rule, Script

NAME = "clients"

CROWDS = (1, 40, 200)
TURNS = 400
"""In each round, shared by the clients."""
ROUNDS = 7
BAR = 1 / 0.7
"""40 clients have 70 % of the turns that the commits allow (issue 11)."""

_SETTINGS = {
    "SULLA_MODEL": "anthropic:fake",
    "ANTHROPIC_API_KEY": "none",
    "SULLA_DAEMON__LOG_LEVEL": "info",
    "SULLA_MODEL__SUMMARIES": "false",
    **BEYOND_PEOPLE,
    "SULLA_LIMITS__MESSAGE_BURST": "1000",
    "SULLA_LIMITS__TOKEN_BURST": "10000",
}

Work = Callable[[], Awaitable[object]]
"""One turn, or its commits."""


def run(frame: Frame) -> list[Row]:
    """The bar is issue 11's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_rows(frame, Path(folder)))


async def _rows(frame: Frame, folder: Path) -> list[Row]:
    home = folder / "home"
    service = Service(Script([Rule(Reply(f"{text_of(0)} <AGENT_DONE>fine</AGENT_DONE>"))]))
    store = SqliteStore(folder / "alone.db", SystemClock(), random_id)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(service)
        daemon = stack.enter_context(
            running(
                ("-m", "sulla", "up", "--port", "0", "--home", str(home)),
                _SETTINGS | {"ANTHROPIC_BASE_URL": service.url},
            )
        )
        ready_url(daemon)
        await store.open()
        stack.push_async_callback(store.close)
        clients = [await stack.enter_async_context(open_client(door(home))) for _ in range(max(CROWDS))]
        threads = [await new_thread(client) for client in clients]
        ours = [_ours(client, service, thread) for client, thread in zip(clients, threads, strict=True)]
        alone = [_commits(store, random_id("thr")) for _ in ours]
        contenders: dict[str, list[Work]] = {}
        for crowd in CROWDS:
            contenders[_alone(crowd)], contenders[_talking(crowd)] = alone[:crowd], ours[:crowd]
        for works in contenders.values():
            await _all(works)  # threads are made, libraries loaded
        await until_warm(home)
        costs: dict[str, list[float]] = {name: [] for name in contenders}
        costs |= {f"{_talking(crowd)}, processor": [] for crowd in CROWDS}
        for order in frame.orders(list(contenders), min(frame.rounds, ROUNDS)):
            for name in order:
                processor, begun = processor_s(daemon.pid), time.perf_counter()
                await _all(contenders[name])
                costs[name].append((time.perf_counter() - begun) * 1000 / TURNS)
                if (key := f"{name}, processor") in costs:
                    costs[key].append((processor_s(daemon.pid) - processor) * 1000 / TURNS)
    return list(_told(Samples(costs, "ms")))


def _told(samples: Samples) -> Iterable[Row]:
    for crowd in CROWDS:
        yield samples.row(_alone(crowd))
        yield samples.row(_talking(crowd), _alone(crowd), BAR if crowd == CROWDS[1] else None)
        yield samples.row(f"{_talking(crowd)}, processor", _talking(crowd))


def _alone(crowd: int) -> str:
    return f"commits of a turn, {crowd} at once"


def _talking(crowd: int) -> str:
    return f"a turn, {crowd} clients"


async def _all(works: list[Work]) -> None:
    """Have the turns of a round, each client one after the other, and all clients at once."""

    async def one(work: Work) -> None:
        for _ in range(TURNS // len(works)):
            await work()

    async with asyncio.TaskGroup() as group:
        for work in works:
            group.create_task(one(work))


def _ours(client: Client, service: Service, thread: Thread) -> Work:
    return lambda: turn(client, service, thread)


def _commits(store: SqliteStore, key: str) -> Work:
    """What the store does in a plain turn, in one log."""

    async def work() -> None:
        await store.offer(key, random_id("msg"), Draft("INPUT", BODY), digest=b"", create=HEAD)
        grant = await store.acquire(key, "home:boot", 60)
        assert grant is not None
        start = [Draft("RUN_STARTED", b""), Draft("MODEL_STARTED", BODY)]
        seq = await store.append(grant.lease, 1, start, HEAD, 0)
        end = [Draft("TEXT_MESSAGE_END", BODY), Draft("RUN_FINISHED", b"")]
        await store.append(grant.lease, 2, end, HEAD, seq, release=True)

    return work
