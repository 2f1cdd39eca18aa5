"""What a turn, a beat, a sub-agent and a waiting approval cost a store: statements, bytes, round trips, processor time.

A real daemon whose model answers at once, on a PostgreSQL with fsync, a Redis with its log on disk and SQLite. What
goes over the wire is counted by something that stands between the two; what the server did, by the server itself
(pg_stat_statements, the position in the WAL, INFO); for SQLite, what the daemon reads and writes, by the kernel.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import psutil
import psycopg
from redis.asyncio import Redis

from bench.frame import Frame, Row, table
from bench.turn import BEYOND_PEOPLE
from bench.wire import Wire, counted
from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.crowd import UNBOUNDED
from tests.faults.harness import Daemon
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.servers.stores.postgres import PostgresServer, find_binaries, running_postgres
from tests.servers.stores.redis import RedisServer, running_redis

NAME = "cost"

TIMES = 10
"""How often each is done; one after the other, so that nothing is done for two at once."""
PARKED = 20
REST_S = 5.0
_TRIES = 30
_SETTLED_S = 2.5
"""After so long what follows a turn is over, and a PostgreSQL has told what its processes did."""

_DONE = "Fine, that is done. <AGENT_DONE>done</AGENT_DONE>"
_SCRIPT = Script(
    [
        Rule(Reply("One moment.", tools=(ToolUse("ask_person", {"what": "may I?"}),)), "park", results=0),
        Rule(Reply(_DONE), "SKY"),
        Rule(Reply("One moment.", tools=(ToolUse("spawn_sub_agent", {"task": "SKY"}),)), "family", results=0),
        Rule(Reply("One moment.", tools=(ToolUse("list_dir", {"path": "."}),)), "tool", results=0),
        Rule(Reply(_DONE)),
    ]
)
_SECOND = "a second"
"""How what is no deed begins."""
_ENDS = ("RUN_FINISHED", "RUN_ERROR")


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took, or has taken so far."""

    daemon_ms: float = 0.0
    server_ms: float = 0.0
    trips: float = 0.0
    steps: float = 0.0
    """Statements of a PostgreSQL, commands of a Redis (those within scripts too), writes of a file."""
    sent: float = 0.0
    """Bytes to the server; to files."""
    got: float = 0.0
    log: float = 0.0
    """Bytes of the server's own log: what has to reach the disk, and a replica."""
    at_s: float = 0.0
    """When that was, or how long it took, in seconds."""

    def per(self, before: Cost, times: float) -> Cost:
        """What one of so many took."""
        return Cost(*((getattr(self, one.name) - getattr(before, one.name)) / times for one in fields(self)))

    def beyond(self, rest: Cost) -> Cost:
        """Without what a daemon at rest would have cost meanwhile; never less than nothing.

        Args:
            rest: what it costs in a second.
        """
        mine = ((getattr(self, one.name), getattr(rest, one.name)) for one in fields(self))
        return Cost(*(max(0.0, all_ - still * self.at_s) for all_, still in mine))


Look = Callable[[], Awaitable[Cost]]


@dataclass(frozen=True, slots=True)
class _Bed:
    """A daemon on a store, and what it has cost."""

    name: str
    daemon: Daemon
    look: Look


def run(frame: Frame) -> list[Row]:
    """Some seconds for each; the rounds of the frame do not apply to what is counted."""
    if find_binaries() is None:
        sys.exit("bench cost: there is no PostgreSQL here: install postgresql, or `./dev setup`")
    with (
        running_postgres(shared_preload_libraries="pg_stat_statements") as postgres,
        running_redis() as redis,
        tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder,
    ):
        return asyncio.run(_measure(postgres, redis, Path(folder)))


async def _measure(postgres: PostgresServer, redis: RedisServer, folder: Path) -> list[Row]:
    rows: list[Row] = []
    async with FakeAnthropic(_SCRIPT, SystemClock()) as model:
        beds: tuple[AbstractAsyncContextManager[_Bed], ...] = (
            _postgres(postgres, folder, model.url, "postgres", {}),
            _postgres(postgres, folder, model.url, "queue", {"SULLA_WORK__ENGINE": "dbos"}),
            _redis(redis, folder, model.url),
            _sqlite(folder, model.url),
        )
        for each in beds:
            async with each as bed:
                found = await _each(bed)
                print(table(bed.name, found), file=sys.stderr, flush=True)
                rows += found
    return rows


async def _each(bed: _Bed) -> list[Row]:
    """Everything that is done, on one store."""
    found: dict[str, Cost] = {}
    async with open_client(door(bed.daemon.home)) as client:
        threads = [await _thread(client) for _ in range(TIMES)]
        for thread in threads:
            await _turn(client, thread, "warm", "warm")
        found["a second at rest"] = rest = await _rest(bed)
        before = await bed.look()
        for thread in threads:
            await _turn(client, thread, "a", "plain")
        found["a turn"] = (await _settled(bed)).per(before, TIMES)
        for name, text, many in (("a turn with a tool", "tool", 1), ("a turn with a sub-agent", "family", 1)):
            before = await bed.look()
            for thread in threads:
                await _turn(client, thread, text, text)
            found[name] = (await _settled(bed)).per(before, TIMES * many)
        found |= await _approvals(bed, client)
        before = await bed.look()
        for number in range(TIMES):
            await _beat(client, number)
        found["a beat of one cycle"] = (await _settled(bed)).per(before, TIMES)
    await bed.daemon.kill()
    await bed.daemon.start()
    async with open_client(door(bed.daemon.home)) as client:
        await _turn(client, await _thread(client), "warm", "warm")
        before = await _settled(bed)
        for thread in threads:
            await _turn(client, thread, "cold", "plain")
        found["a turn of a thread that was elsewhere"] = (await _settled(bed)).per(before, TIMES)
    return [
        row
        for name, cost in found.items()
        for row in _rows(bed.name, name, cost if name.startswith(_SECOND) else cost.beyond(rest))
    ]


def _rows(store: str, name: str, cost: Cost) -> list[Row]:
    names = {
        "daemon_ms": "ms", "server_ms": "ms", "trips": "", "steps": "", "sent": "B", "got": "B", "log": "B",
    }  # fmt: skip
    words = {
        "daemon_ms": "the daemon's processor", "server_ms": "the server's", "trips": "round trips", "steps": "steps",
        "sent": "sent", "got": "read", "log": "server's log",
    }  # fmt: skip
    return [Row(f"{store}: {name}: {words[field]}", getattr(cost, field), unit) for field, unit in names.items()]


async def _approvals(bed: _Bed, client: Client) -> dict[str, Cost]:
    before = await bed.look()
    threads = [await _thread(client) for _ in range(PARKED)]
    for thread in threads:
        await _turn(client, thread, "park", "park", until=("SUSPENDED",))
    parked = (await _settled(bed)).per(before, PARKED)
    waiting = await _rest(bed)
    before = await bed.look()
    after = ""
    while True:
        page = await _ask(client, "approval.list", limit=200, **({"after": after} if after else {}))
        for question in page["questions"]:
            thread = question["thread_id"]
            await _ask(client, "events.subscribe", thread_id=thread, after=0)
            await _ask(client, "approval.answer", thread_id=thread, id=question["id"], verdict="result", text="it did")
            await _until(client, thread, _ENDS)
        if page["next"] is None:
            break
        after = page["next"]
    answered = (await _settled(bed)).per(before, PARKED)
    return {
        "a new thread whose turn asks a person": parked,
        f"a second with {PARKED} approvals that wait": waiting,
        "an approval that is answered": answered,
    }


async def _beat(client: Client, number: int) -> None:
    begun = await _ask(client, "heartbeat.trigger", request_id=f"beat-{number}")
    await _ask(client, "events.subscribe", thread_id=begun["thread_id"], after=begun["seq"])
    await _until(client, begun["thread_id"], (*_ENDS, "BEAT_SKIPPED"))


async def _ask(client: Client, method: str, **params: object) -> dict[str, Any]:
    """An answer; a busy machine is told to ask again."""
    for _ in range(_TRIES):
        with suppress(StoreUnavailable):
            answer: dict[str, Any] = await client.call(method, **params)
            return answer
    raise StoreUnavailable(f"{method} was not answered {_TRIES} times: have less run beside this")


async def _thread(client: Client) -> str:
    made: str = (await _ask(client, "thread.create"))["thread_id"]
    return made


async def _turn(client: Client, thread: str, message: str, text: str, until: tuple[str, ...] = _ENDS) -> None:
    sent = await _ask(client, "turn.send", thread_id=thread, message_id=f"m-{message}", text=text)
    await _ask(client, "events.subscribe", thread_id=thread, after=sent["seq"])
    await _until(client, thread, until)


async def _until(client: Client, thread: str, kinds: tuple[str, ...]) -> None:
    async with asyncio.timeout(60):
        async for event in client.events():
            if event["type"] in kinds and event["thread_id"] == thread:
                break
    await _ask(client, "events.unsubscribe", thread_id=thread)


async def _settled(bed: _Bed) -> Cost:
    await asyncio.sleep(_SETTLED_S)
    return await bed.look()


async def _rest(bed: _Bed) -> Cost:
    before = await _settled(bed)
    await asyncio.sleep(REST_S)
    return (await bed.look()).per(before, REST_S)


# ---------------------------------------------------------------------------------------------------------- the stores


@asynccontextmanager
async def _daemon(
    folder: Path, name: str, model: str, settings: Mapping[str, str]
) -> AsyncIterator[tuple[Daemon, Callable[[], psutil.Process]]]:
    home = folder / name / "home"
    home.parent.mkdir(parents=True)
    off = {"SULLA_MEMORY__ENABLED": "false", "SULLA_JOURNAL__ENABLED": "false"}
    async with Daemon(home, model, {**UNBOUNDED, **BEYOND_PEOPLE, **off, **settings}) as daemon:

        def process() -> psutil.Process:
            assert daemon.process is not None
            return psutil.Process(daemon.process.pid)

        await daemon.start()
        yield daemon, process


@asynccontextmanager
async def _postgres(
    server: PostgresServer, folder: Path, model: str, name: str, settings: Mapping[str, str]
) -> AsyncIterator[_Bed]:
    async with AsyncExitStack() as stack:
        line = await stack.enter_async_context(await psycopg.AsyncConnection.connect(server.url(), autocommit=True))
        await line.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        await line.execute(f"CREATE DATABASE cost_{name}")
        wire = await stack.enter_async_context(counted(server.port))
        url = server.url(f"cost_{name}").replace(f":{server.port}/", f":{wire.port}/")
        daemon, process = await stack.enter_async_context(
            _daemon(folder, name, model, {**settings, "SULLA_STORE": url})
        )

        async def look() -> Cost:
            found = await (
                await line.execute(
                    "SELECT sum(calls)::float8, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8"
                    " FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE datname = %s",
                    (f"cost_{name}",),
                )
            ).fetchone()
            assert found is not None
            return _cost(process(), _family_ms(server.pid), wire, found[0], found[1])

        yield _Bed(name, daemon, look)


@asynccontextmanager
async def _redis(server: RedisServer, folder: Path, model: str) -> AsyncIterator[_Bed]:
    async with AsyncExitStack() as stack:
        line = await stack.enter_async_context(Redis.from_url(server.url()))
        wire = await stack.enter_async_context(counted(server.port))
        url = server.url(1).replace(f":{server.port}/", f":{wire.port}/")
        daemon, process = await stack.enter_async_context(_daemon(folder, "redis", model, {"SULLA_STORE": url}))

        async def look() -> Cost:
            said = await line.info("everything")
            calls = sum(of["calls"] for name, of in said.items() if name.startswith("cmdstat_"))
            return _cost(process(), _family_ms(server.pid), wire, calls, said["aof_current_size"])

        yield _Bed("redis", daemon, look)


@asynccontextmanager
async def _sqlite(folder: Path, model: str) -> AsyncIterator[_Bed]:
    store = {"SULLA_STORE": f"sqlite:///{folder / 'cost.db'}"}
    async with _daemon(folder, "sqlite", model, store) as (daemon, process):

        async def look() -> Cost:
            of = process()
            done = of.io_counters()
            wire = Wire(0, done.write_chars, done.read_chars, 0)
            return _cost(of, 0.0, wire, done.write_count, done.write_bytes)

        yield _Bed("sqlite", daemon, look)


def _cost(process: psutil.Process, server_ms: float, wire: Wire, steps: float, log: float) -> Cost:
    times = process.cpu_times()
    used_ms = (times.user + times.system) * 1000
    return Cost(used_ms, server_ms, wire.trips, steps, wire.sent, wire.got, log, time.perf_counter())


def _family_ms(pid: int) -> float:
    """The processor time of a server and of what it has started, those that have ended too."""
    whole = psutil.Process(pid)
    times = [one.cpu_times() for one in (whole, *whole.children(recursive=True))]
    ended = times[0].children_user + times[0].children_system
    return (sum(one.user + one.system for one in times) + ended) * 1000
