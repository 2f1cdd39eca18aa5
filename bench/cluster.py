"""Turns by workers that share a PostgreSQL: beside one daemon without a queue, from one worker to two, and at rest.

Real daemons over one PostgreSQL with fsync, a model's service that waits before it answers, and clients of a gateway.
How long a turn waits for its beginning is read off its log: from the message's record to that of its run.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from bench.frame import Frame, Row
from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.backend import Backend, postgres
from tests.faults.cluster.cluster import running
from tests.faults.crowd import UNBOUNDED
from tests.faults.harness import Daemon
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.servers.stores.postgres import PostgresServer, find_binaries, running_postgres

NAME = "cluster"

PLACES = 16
"""Turns at once in a worker; over all of them nothing bounds these."""
TURNS = 8 * PLACES
"""So both one worker and two are full until the end: 48 turns were three times what one takes at once and one and a
half times what two take, which can never be more than 1.5 times as fast.
"""
AT_ONCE = 3 * PLACES
PIECE_S = 0.2
"""How long the model waits before each piece of its answer, of which there are ten."""
ALONE = 15
PARKED = 1_000
REST_S = 10.0

MOST_FEWER, LEAST_MORE, START_MS, PARKED_MIB, PARKED_SHARE = 1 / 0.7, 1 / 1.5, 30.0, 100.0, 0.03
"""The bars: with the queue beside without, two workers beside one, the median wait, and a worker at rest."""
TAKE_OVER_MS = 2_000.0
"""The bar for how long a turn stands still whose worker is killed."""

_ALONE = {"SULLA_LIMITS__RUNS": str(PLACES)}
_OWN = {
    "SULLA_WORK__PLACES": str(PLACES),
    **dict.fromkeys(("SULLA_LIMITS__RUNS", "SULLA_LIMITS__RUNS_PER_AGENT"), "64"),
}

_SAID = "Done. <AGENT_DONE>done</AGENT_DONE>"
_SCRIPT = Script(
    [
        Rule(Reply("One moment.", tools=(ToolUse("ask_person", {"what": "may I?"}),)), "park", results=0),
        Rule(Reply(_SAID), "alone"),
        Rule(Reply(_SAID, hold="kill", hold_after=0), "kill"),
        Rule(Reply(_SAID, delay_s=PIECE_S)),
    ]
)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a set of daemons was measured to do."""

    per_s: float
    """Turns in a second."""
    start_ms: float
    """The median wait of a turn that comes alone."""


def run(frame: Frame) -> list[Row]:
    """One run of each; the rounds of the frame do not apply to what takes its time by the clock."""
    if find_binaries() is None:
        sys.exit("bench cluster: there is no PostgreSQL here: install postgresql, or `./dev setup`")
    with running_postgres() as server, tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_measure(server, Path(folder)))


async def _measure(server: PostgresServer, folder: Path) -> list[Row]:
    found: dict[str, _Found] = {}
    parked: list[Row] = []
    taken_over_ms = 0.0
    async with FakeAnthropic(_SCRIPT, SystemClock()) as model:
        for name, roles in (
            ("local", ("",)),
            ("all", ("all",)),
            ("1", ("gateway", "worker")),
            ("2", ("gateway", *["worker"] * 2)),
        ):
            with psycopg.connect(server.url(), autocommit=True) as line:
                line.execute(f"CREATE DATABASE bench_{name}")
            backend = postgres(server.url(f"bench_{name}"))
            async with _daemons(folder / name, roles, model.url, backend.settings) as daemons:
                found[name] = await _turns(daemons[0], backend)
                if name == "1":
                    parked = await _parked(daemons)
                if name == "2":
                    taken_over_ms = await _taken_over(daemons, backend, model)
    local, one, two = found["local"], found["1"], found["2"]
    fewer, more = local.per_s / found["all"].per_s, one.per_s / two.per_s
    return [
        Row("turns without a queue", local.per_s, "/s"),
        Row("turns by it", found["all"].per_s, "/s", fewer, "without to by it", MOST_FEWER, ok=fewer <= MOST_FEWER),
        Row("turns, a gateway and one worker", one.per_s, "/s"),
        Row("turns, a gateway and two workers", two.per_s, "/s", more, "one to two", LEAST_MORE, ok=more <= LEAST_MORE),
        Row("message to run without a queue", local.start_ms, "ms"),
        Row(
            "message to run by a gateway", one.start_ms, "ms", one.start_ms / START_MS, f"{START_MS:g} ms", 1.0,
            ok=one.start_ms <= START_MS,
        ),
        *parked,
        Row(
            "SIGKILL to another worker, same host", taken_over_ms, "ms", taken_over_ms / TAKE_OVER_MS,
            f"{TAKE_OVER_MS:g} ms", 1.0, ok=taken_over_ms <= TAKE_OVER_MS,
        ),
    ]  # fmt: skip


@asynccontextmanager
async def _daemons(
    folder: Path, roles: tuple[str, ...], model: str, settings: Mapping[str, str]
) -> AsyncIterator[list[Daemon]]:
    async with AsyncExitStack() as stack:
        daemons = []
        for number, role in enumerate(roles):
            work = {"SULLA_WORK__ENGINE": "dbos", "SULLA_WORK__ROLE": role, **_OWN} if role else _ALONE
            home = folder / f"{number}" / "home"
            home.parent.mkdir(parents=True)
            daemon = Daemon(home, model, {**settings, **UNBOUNDED, "SULLA_MEMORY__ENABLED": "false", **work})
            daemons.append(await stack.enter_async_context(daemon))
            await daemon.start()
        yield daemons


async def _turns(daemon: Daemon, backend: Backend) -> _Found:
    async with open_client(door(daemon.home)) as client:
        waits = []
        for number in range(ALONE):
            thread = await _turn(client, f"alone {number}", "RUN_FINISHED")
            at_ms = {entry.kind: entry.origin.at_ms for entry in await backend.read_log(thread)}
            waits.append(at_ms["RUN_STARTED"] - at_ms["INPUT"])
    numbers = iter(range(TURNS))

    async def send() -> None:
        async with open_client(door(daemon.home)) as client:
            for number in numbers:
                await _turn(client, f"crowd {number}", "RUN_FINISHED")

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(send())
    return _Found(TURNS / (time.perf_counter() - began), statistics.median(waits))


async def _turn(client: Client, text: str, until: str) -> str:
    thread: str = (await client.call("thread.create"))["thread_id"]
    await client.call("events.subscribe", thread_id=thread, after=0)
    await client.call("turn.send", thread_id=thread, message_id="m", text=text)
    async for event in client.events():
        if event["type"] == until and event["thread_id"] == thread:
            break
    await client.call("events.unsubscribe", thread_id=thread)
    return thread


async def _taken_over(daemons: list[Daemon], backend: Backend, model: FakeAnthropic) -> float:
    """How long a turn stands still whose worker is killed, in milliseconds."""
    gateway, *workers = daemons
    async with open_client(door(gateway.home)) as client:
        thread: str = (await client.call("thread.create"))["thread_id"]
        await client.call("events.subscribe", thread_id=thread, after=0)
        await client.call("turn.send", thread_id=thread, message_id="m", text="kill")
        await model.until(lambda seen: "kill" in seen.held)
        busy = workers[0] if await running(workers[0]) else workers[1]
        await busy.kill()
        killed_ms = SystemClock().now() * 1000
        model.release("kill")
        async for event in client.events():
            if event["type"] == "RUN_FINISHED" and event["thread_id"] == thread:
                break
    (resumed_ms,) = [entry.origin.at_ms for entry in await backend.read_log(thread) if entry.kind == "RESUMED"]
    return resumed_ms - killed_ms


async def _parked(daemons: list[Daemon]) -> list[Row]:
    """What approvals that wait cost the worker."""
    gateway, worker = daemons
    assert worker.process is not None
    process = psutil.Process(worker.process.pid)
    before = process.memory_info().rss
    numbers = iter(range(PARKED))

    async def park() -> None:
        async with open_client(door(gateway.home)) as client:
            for number in numbers:
                await _turn(client, f"park {number}", "SUSPENDED")

    async with asyncio.TaskGroup() as group:
        for _ in range(16):
            group.create_task(park())
    await asyncio.sleep(REST_S / 2)
    times = process.cpu_times()
    await asyncio.sleep(REST_S)
    now = process.cpu_times()
    share = (now.user + now.system - times.user - times.system) / REST_S
    more = (process.memory_info().rss - before) / 2**20
    return [
        Row(
            f"{PARKED} approvals that wait",
            more,
            "MiB more",
            more / PARKED_MIB,
            f"{PARKED_MIB:g} MiB",
            1.0,
            ok=more <= PARKED_MIB,
        ),
        Row(
            "a worker meanwhile",
            share * 100,
            "% of a core",
            share / PARKED_SHARE,
            f"{PARKED_SHARE:.0%}",
            1.0,
            ok=share <= PARKED_SHARE,
        ),
    ]
