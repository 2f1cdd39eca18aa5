"""Playbooks' runs as they are kept: round trips of a step on Redis, branches side by side, growth, a cold take-up.

Each run is a whole one, with its lease, its log, its guard and its tools, on a Redis server of its own without a disk.
Round trips are counted; branches and a cold run are waiting time; steps are processor time.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count

from bench.frame import Frame, Row, Samples
from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.host.system import SystemClock, random_id
from sulla.store.redis.line import Command, RedisLine, Reply
from sulla.store.redis.store import RedisStore
from sulla.testing.provider import ScriptedProvider
from sulla.threads.log.records import Answer
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.servers.stores.redis import RedisServer, running_redis

NAME = "playbook_runs"

TRIPS_BAR = 10.0
BRANCHES = 50
BRANCHES_BAR = 1.2
SLOWEST_S = 0.5
STEPS = 1_000
EARLY, LATE, SPAN = 10, 900, 90
GROWTH_BAR = 1.25
"""What a step may cost late in a run beside what it costs early: it must not grow, and figures are noisy."""
COLD_RECORDS = 1_000
_ROUNDS = 9
_BOOTS = count(1)


def run(frame: Frame) -> list[Row]:
    """Measure."""
    rounds = min(frame.rounds, _ROUNDS)
    with running_redis(appendonly="no") as server:
        return asyncio.run(_measure(server, rounds))


async def _measure(server: RedisServer, rounds: int) -> list[Row]:
    # As the daemon does once it is up: else a collection that goes through all that was imported falls into some round.
    gc.freeze()
    return [
        *await _round_trips(server),
        await _branches(server, rounds),
        await _growth(server, rounds),
        *await _cold(server, rounds),
    ]


# ------------------------------------------------------------------------------------------------------- round trips


async def _round_trips(server: RedisServer) -> list[Row]:
    texts = [_chain(f"chain{steps}", steps) for steps in (10, 20)]
    trips: dict[int, tuple[int, int]] = {}
    async with _home(server, *texts) as home:
        for steps in (10, 20):
            run = await home.world.play(f"chain{steps}")
            with _counted() as asked:
                await home.finish(run)
            # What is published nobody waits for.
            trips[steps] = (len(asked), sum(command[0] != "PUBLISH" for command in asked))
    return [
        _trips("a chain of 10 steps, all of it, a step", trips[10][0] / 10),
        _trips("the same, what is waited for", trips[10][1] / 10),
        _trips("one step more", (trips[20][0] - trips[10][0]) / 10),
        _trips("the same, what is waited for", (trips[20][1] - trips[10][1]) / 10),
    ]


def _trips(name: str, value: float) -> Row:
    return Row(name, value, "round trips", value / TRIPS_BAR, f"{TRIPS_BAR:g} round trips", 1.0, ok=value <= TRIPS_BAR)


@contextmanager
def _counted() -> Iterator[list[Command]]:
    """The last command of each thing that is sent in one go, as the store's connections send them."""
    asked: list[Command] = []
    whole = RedisLine.ask

    async def counted(line: RedisLine, commands: list[Command]) -> list[Reply]:
        asked.append(commands[-1])
        return await whole(line, commands)

    RedisLine.ask = counted  # type: ignore[method-assign, assignment]  # for the time of the count
    try:
        yield asked
    finally:
        RedisLine.ask = whole  # type: ignore[method-assign]  # as it was


# ---------------------------------------------------------------------------------------------------------- branches


async def _branches(server: RedisServer, rounds: int) -> Row:
    """Each sleeps for a while, the longest of them `SLOWEST_S`: that is the limit."""
    lines = (f"        b{n}: [{{id: s{n}, tool: nap, with: {{n: {n}}}}}]\n" for n in range(BRANCHES))
    text = f"name: wide\nsteps:\n  - id: all\n    parallel:\n      branches:\n{''.join(lines)}"
    whole, slowest = f"{BRANCHES} branches, all of it", "the slowest branch"
    costs: dict[str, list[float]] = {whole: [], slowest: []}
    async with _home(server, text) as home:
        for round_ in range(rounds + 1):
            home.naps.clear()
            run = await home.world.play("wide")
            begun = time.perf_counter()
            await home.finish(run)
            if round_:  # the first one loads what is loaded once
                costs[whole].append((time.perf_counter() - begun) * 1000)
                costs[slowest].append(max(home.naps) * 1000)
    return Samples(costs, "ms").row(whole, slowest, BRANCHES_BAR)


# ------------------------------------------------------------------------------------------------------------ growth


async def _growth(server: RedisServer, rounds: int) -> Row:
    early, late = f"a step after {EARLY}", f"a step after {LATE}"
    costs: dict[str, list[float]] = {early: [], late: []}
    async with _home(server, _chain("long", STEPS)) as home:
        for round_ in range(min(rounds, 5) + 1):
            home.calls.clear()
            await home.finish(await home.world.play("long"))
            if round_:
                for name, begin in ((early, EARLY), (late, LATE)):
                    taken = home.calls[begin + SPAN] - home.calls[begin]
                    costs[name].append(taken / SPAN / 1000)
    return Samples(costs, "µs").row(late, early, GROWTH_BAR)


# -------------------------------------------------------------------------------------------------------------- cold


async def _cold(server: RedisServer, rounds: int) -> list[Row]:
    """A run that waits for a person, answered where nobody has it in memory, until its next step is called."""
    steps = COLD_RECORDS // 2 - 1
    text = _chain("cold", steps) + "  - {id: ok, human: Go on?}\n  - {id: last, tool: step, with: {n: 0}}\n"
    whole, read = "cold, to its next call", "its log read"
    url, records, costs = server.new_url(), 0, {whole: list[float](), read: list[float]()}
    for _ in range(min(rounds, 5)):
        async with _home(server, text, url=url) as home:
            run = await home.world.play("cold")
            await home.world.turns.attend(run)
        async with _home(server, text, url=url) as home:
            state = await home.world.now(run)
            assert state.run is not None
            wait_id = next(wait.wait_id for wait in state.run.waits.values() if wait.prompt)
            await home.world.threads.answer(run, Answer(wait_id, "", "approve"))
            begun = time.perf_counter()
            records = (await home.world.record(run)).records
            costs[read].append((time.perf_counter() - begun) * 1000)
        async with _home(server, text, url=url) as home:
            begun = time.perf_counter()
            home.called.clear()
            work = asyncio.create_task(home.finish(run))
            await home.called.wait()
            costs[whole].append((time.perf_counter() - begun) * 1000)
            await work
    samples = Samples(costs, "ms")
    return [Row("a cold run", records, "records"), samples.row(read), samples.row(whole, read)]


# -------------------------------------------------------------------------------------------------------------- home


@dataclass(slots=True)
class _Home:
    """One boot, and what its tools have seen."""

    world: PlayWorld
    calls: list[int]
    """Processor time at each call of `step`, ns."""
    naps: list[float]
    """How long each `nap` took, seconds."""
    called: asyncio.Event = field(default_factory=asyncio.Event)

    async def finish(self, run: ThreadId) -> None:
        """Work on a run to its end."""
        await self.world.turns.attend(run)
        state = await self.world.now(run)
        assert state.newest.outcome.status == "done", state.newest.outcome


@asynccontextmanager
async def _home(server: RedisServer, *texts: str, url: str = "") -> AsyncIterator[_Home]:
    store = RedisStore(url or server.new_url(), SystemClock(), random_id)
    await store.open()
    calls: list[int] = []
    naps: list[float] = []
    called = asyncio.Event()
    try:
        named = {text.split()[1]: text for text in texts}
        tools = (_step(calls, called), _nap(naps))
        world = PlayWorld(store, ScriptedProvider(), named, tools=tools, clock=SystemClock(), boot=next(_BOOTS))
        yield _Home(world, calls, naps, called)
    finally:
        await store.close()


def _step(calls: list[int], called: asyncio.Event) -> Tool:
    async def step(context: ToolContext, *, n: int) -> Result:
        """Do nothing.

        Args:
            n: any number.
        """
        calls.append(time.process_time_ns())
        called.set()
        return Done(ours("done"))

    return define(step, effect="once", reach="inward", category="bench")


def _nap(naps: list[float]) -> Tool:
    async def nap(context: ToolContext, *, n: int) -> Result:
        """Sleep.

        Args:
            n: the greater, the longer.
        """
        begun = time.perf_counter()
        await asyncio.sleep(SLOWEST_S * (n + 1) / BRANCHES)
        naps.append(time.perf_counter() - begun)
        return Done(ours("slept"))

    return define(nap, effect="idempotent", reach="inward", category="bench")


def _chain(name: str, steps: int) -> str:
    lines = (f"  - {{id: s{n}, tool: step, with: {{n: {n}}}}}\n" for n in range(steps))
    return f"name: {name}\nsteps:\n{''.join(lines)}"
