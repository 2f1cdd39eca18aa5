"""Clients that drop at random through everything that happens: each event once, in order, and the text so far."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import pytest

from sulla.core.errors import SullaError
from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend
from tests.faults.crowd import UNBOUNDED
from tests.faults.harness import Daemon
from tests.gateway.storm import Drifter, Habits, mark, ride_out
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script

SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261121"))
SAID = "The wind rose, 🌬 the rain came, and then it was quiet. <AGENT_DONE>told</AGENT_DONE>"
SCRIPT = Script([Rule(Reply(SAID, pieces=8, delay_s=0.002))])
_SLOW_S = 0.002


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen."""

    clients: int
    threads: int
    turns: int
    """Of each thread."""
    followed: int
    """How many threads each client follows."""
    daemons: int
    restarts: int
    frames: int
    """A client loses its connection after at most so many."""
    seed: int
    end_s: float
    lease_s: float = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    wrong: list[str]
    events: int
    """How many were kept."""
    connections: int
    pieces: int
    """How many pieces of text were shown."""


async def storm(folder: Path, backend: Backend, plan: Plan) -> Outcome:
    """Carry a plan out until every client has seen every turn's end, and judge what each of them saw.

    Args:
        folder: for the homes.
        backend: what the daemons use.
        plan: what is to happen; all chance is drawn from its seed.
    """
    random = Random(plan.seed)
    settings = {
        **backend.settings,
        **UNBOUNDED,
        "SULLA_STORE__LEASE_TTL_S": str(plan.lease_s),
        "SULLA_MODEL__SUMMARIES": "false",  # one might come behind the last turn's end, when the clients have left
    }
    async with AsyncExitStack() as stack:
        fake = await stack.enter_async_context(FakeAnthropic(SCRIPT, CLOCK))
        daemons = [
            await stack.enter_async_context(Daemon(folder / str(number), fake.url, settings))
            for number in range(plan.daemons)
        ]
        for daemon in daemons:
            await daemon.start()
        threads = await _threads(daemons[0], plan.threads)
        drifters = _drifters(daemons, threads, plan, random)
        async with CLOCK.timeout(plan.end_s), asyncio.TaskGroup() as group:
            for thread_id in threads:
                group.create_task(_talk(random.choice(daemons), thread_id, plan.turns))
            group.create_task(_restart(daemons, drifters, plan, random))
            await ride_out(drifters)
        logs = {
            thread_id: [mark(entry.seq, entry.kind, entry.data) for entry in await backend.read_log(thread_id)]
            for thread_id in threads
        }
    return Outcome(
        [found for drifter in drifters for found in drifter.verdict(logs)],
        sum(map(len, logs.values())),
        sum(drifter.connections for drifter in drifters),
        sum(drifter.witness.pieces for drifter in drifters),
    )


async def _threads(daemon: Daemon, count: int) -> tuple[str, ...]:
    async with open_client(door(daemon.home)) as client:
        return tuple([(await client.call("thread.create"))["thread_id"] for _ in range(count)])


def _drifters(daemons: list[Daemon], threads: tuple[str, ...], plan: Plan, random: Random) -> list[Drifter]:
    """Clients of the daemons in turn; every fifth one is slow."""
    return [
        Drifter(
            partial(door, daemons[number % len(daemons)].home),
            Habits(
                tuple(random.sample(threads, plan.followed)),
                plan.turns,
                plan.frames,
                2.0,
                _SLOW_S if number % 5 == 0 else 0.0,
            ),
            Random(random.random()),
            CLOCK,
        )
        for number in range(plan.clients)
    ]


async def _talk(daemon: Daemon, thread_id: str, turns: int) -> None:
    """Send every message, again and again until it is acknowledged."""
    for number in range(turns):
        while True:
            try:
                async with open_client(door(daemon.home)) as client:
                    message = f"m{number}"
                    await client.call("turn.send", thread_id=thread_id, message_id=message, text=f"Go on ({message}).")
                break
            except SullaError:
                await CLOCK.sleep(0.05)  # it is being started anew, or has enough to do


async def _restart(daemons: list[Daemon], drifters: list[Drifter], plan: Plan, random: Random) -> None:
    """Kill a daemon now and then, evenly over the turns, and start it again."""
    total = plan.followed * plan.turns
    for number in range(plan.restarts):
        due = total * (number + 1) // (plan.restarts + 1)
        while max(sum(drifter.witness.ended.values()) for drifter in drifters) < due:
            await CLOCK.sleep(0.02)
        daemon = random.choice(daemons)
        await daemon.kill()
        await daemon.start()


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("kind", "daemons"), some([("sqlite", 1), ("redis", 2)], 1, "drifters"))
async def test_clients_that_drop_at_random_miss_nothing_and_get_nothing_twice(
    tmp_path: Path, kind: str, daemons: int, backend_of: Callable[[str], Backend]
) -> None:
    plan = Plan(
        clients=10, threads=4, turns=8, followed=3, daemons=daemons, restarts=1, frames=60, seed=SEED, end_s=100.0
    )
    print(plan)
    found = await storm(tmp_path, backend_of(kind), plan)
    assert found.wrong == []
    assert found.connections > 3 * plan.clients
    assert found.pieces > plan.turns, "text was shown while it was written"


@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("kind", "daemons"), [("sqlite", 1), ("redis", 2)])
async def test_fifty_clients_through_ten_thousand_events(
    tmp_path: Path, kind: str, daemons: int, backend_of: Callable[[str], Backend]
) -> None:
    plan = Plan(
        clients=50,
        threads=20,
        turns=100,
        followed=8,
        daemons=daemons,
        restarts=1,
        frames=1000,
        seed=SEED,
        end_s=1500.0,
        lease_s=5.0,
    )
    print(plan)
    found = await storm(tmp_path, backend_of(kind), plan)
    print(f"{found.events} events, {found.connections} connections, {found.pieces} pieces of text")
    assert found.wrong[:5] == []
    assert found.events >= 10_000
