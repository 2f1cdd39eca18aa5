"""Many people on two daemons with two homes, over one store: who sends, who dies, and what is left at the end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sulla.core.errors import SullaError
from sulla.terminal.client import Client, open_client
from sulla.terminal.place import door
from tests.faults.backend import CLOCK, Backend
from tests.faults.harness import Daemon
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.script import Reply, Rule, Script
from tests.simulation.history import Acknowledged, Breach, History, ThreadHistory, breaches

END_S = 120.0
UNBOUNDED = {
    "SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0",
    "SULLA_LIMITS__MESSAGE_BURST": "1000",
    "SULLA_LIMITS__TOKEN_BURST": "10000",
    "SULLA_LIMITS__DAY_TOKENS": "1000000000",
    "SULLA_LIMITS__AGENT_DAY_TOKENS": "1000000000",
    "SULLA_LIMITS__THREAD_DAY_TOKENS": "1000000000",
    "SULLA_LIMITS__RUNS_PER_AGENT": "16",
}
"""A crowd is no person: what bounds people is out of its way."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen."""

    threads: int
    messages: int
    """In each thread."""
    kills: int
    seed: int
    lease_s: float = 1.0


@dataclass(slots=True)
class _Talk:
    """One thread, and what its sender was told."""

    number: int
    thread_id: str = ""
    told: list[Acknowledged] = field(default_factory=list)


async def crowd(folder: Path, backend: Backend, plan: Plan) -> list[Breach]:
    """Carry a plan out, wait until everything is at rest, and judge what is left.

    Args:
        folder: for the homes.
        backend: what both daemons use.
        plan: what is to happen; all chance is drawn from its seed.
    """
    random = Random(plan.seed)
    settings = {**backend.settings, **UNBOUNDED, "SULLA_STORE__LEASE_TTL_S": str(plan.lease_s)}
    script = Script([Rule(Reply("Noted. <AGENT_DONE>noted</AGENT_DONE>"))])
    talks = [_Talk(number) for number in range(plan.threads)]
    async with (
        FakeAnthropic(script, CLOCK) as fake,
        Daemon(folder / "one", fake.url, settings) as one,
        Daemon(folder / "two", fake.url, settings) as two,
    ):
        await one.start()
        await two.start()
        async with CLOCK.timeout(END_S), asyncio.TaskGroup() as group:
            for talk in talks:
                group.create_task(_talk(talk, (one, two), plan, Random(random.random())))
            group.create_task(_kill(talks, (one, two), plan, random))
        histories = await _at_rest(backend, talks)
    return breaches(History(tuple(histories)))


async def _talk(talk: _Talk, daemons: tuple[Daemon, Daemon], plan: Plan, random: Random) -> None:
    """Send every message, to either daemon, again and again until it is acknowledged."""
    while len(talk.told) < plan.messages:
        home = random.choice(daemons).home
        try:
            async with open_client(door(home)) as client:
                for _ in range(random.randint(1, 10)):
                    if len(talk.told) < plan.messages:
                        await _send(client, talk, again=random.random() < 0.2)
        except SullaError:
            await CLOCK.sleep(0.05)  # it is being killed, or has just been


async def _send(client: Client, talk: _Talk, *, again: bool) -> None:
    if not talk.thread_id:
        made = await client.call("thread.create", request_id=f"crowd-{talk.number}")
        talk.thread_id = made["thread_id"]
    message_id = f"m{talk.number}-{len(talk.told)}"
    answers = [
        await client.call("turn.send", thread_id=talk.thread_id, message_id=message_id, text=f"Message {message_id}")
        for _ in range(2 if again else 1)
    ]
    assert all(answer == answers[0] for answer in answers), "a re-send must get the same answer"
    talk.told.append(Acknowledged(message_id, answers[0]["run_id"], answers[0]["seq"]))


async def _kill(talks: list[_Talk], daemons: tuple[Daemon, Daemon], plan: Plan, random: Random) -> None:
    """Kill one of the two now and then, evenly over the messages, and start it again."""
    total = plan.threads * plan.messages
    for number in range(plan.kills):
        while sum(len(talk.told) for talk in talks) < total * (number + 1) // (plan.kills + 2):
            await CLOCK.sleep(0.01)
        daemon = random.choice(daemons)
        await daemon.kill()
        await daemon.start()


async def _at_rest(backend: Backend, talks: list[_Talk]) -> list[ThreadHistory]:
    """Every thread's history, once each of its messages has its end."""
    found = []
    async with CLOCK.timeout(END_S):
        for talk in talks:
            while True:
                log = await backend.read_log(talk.thread_id)
                ended = {str(entry.data["run_id"]) for entry in log if entry.kind in ("RUN_FINISHED", "RUN_ERROR")}
                if {told.run_id for told in talk.told} <= ended:
                    break
                await CLOCK.sleep(0.1)
            found.append(ThreadHistory(talk.thread_id, tuple(log), tuple(talk.told)))
    return found
