"""A drill: people are served by a cluster whose parts die, hang and lose each other, and nothing of theirs is lost."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import orjson

from deploy.local_cluster import Store
from sulla.core.errors import SullaError
from sulla.terminal.client import Client
from tests.faults.backend import CLOCK
from tests.faults.beating import beside
from tests.faults.drill.judge import REST_S, Told, at_rest, faults_of
from tests.faults.drill.lines import Line, ask
from tests.faults.drill.people import About, Caretaker, Guest, Player, Speaker, Stay, Talker
from tests.faults.drill.plan import Round, rounds
from tests.faults.drill.report import Report
from tests.faults.drill.script import PLAYBOOK, Moody
from tests.faults.drill.served import Served
from tests.faults.drill.stage import Stage, staged
from tests.faults.drill.upgrade import other_version
from tests.faults.parked import Sink
from tests.faults.speech.speaking import Person
from tests.servers.anthropic_server import FakeAnthropic

BACK_S = 120.0
"""So long everybody may take to be served again once all is mended; who is not by then is stuck."""
CALM_S = 1.0
"""Between two rounds."""
SCHEDULES = ("first", "second", "third")
EVERY_S = 3
BEAT_S = 10.0
_LOOK_S = 0.1
_NAME = re.compile(r"POST /([\w-]+) HTTP")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen."""

    seconds: float
    seed: int
    store: Store
    gateways: int = 2
    workers: int = 3
    clients: int = 40
    upgrade: bool = True
    """Whether every daemon is replaced by another version, in the middle."""
    upgrade_to: str = ""
    """As for `other_version`."""


class Drill:
    """One drill.

    Args:
        plan: what is to happen.
        stage: the cluster.
        sink: counts commands.
        say: takes lines for people.
    """

    def __init__(self, plan: Plan, stage: Stage, sink: Sink, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._stage = stage
        self._sink = sink
        self._say = say
        self._began_s = CLOCK.elapsed()
        self._served = Served(self._now)
        self._stay = Stay()
        self.report = Report(plan.seed, plan.store)
        chance = Random(plan.seed)
        names = [f"client-{number}" for number in range(plan.clients)]
        # One in ten has commands run, begins playbooks, or speaks; all others talk.
        self._talkers: list[Talker] = []
        self._players: list[Player] = []
        self._speakers: list[Speaker] = []
        for number, name in enumerate(names):
            about = About(name, self._line(chance), self._served, Random(chance.random()), self._stay)
            match number % 10:
                case 1:
                    self._players.append(Player(about, "errand"))
                case 2:
                    person = Person(Path(), number, Random(chance.random()))
                    self._speakers.append(Speaker(about, person))
                case kind:
                    self._talkers.append(Talker(about, commands=kind == 0))
        self._caretaker = Caretaker(self._line(chance), sink.times, _name_in)
        self._beats = self._line(chance)

    def _now(self) -> float:
        return CLOCK.elapsed() - self._began_s

    def _line(self, chance: Random) -> Line:
        return Line(self._stage.doors, Random(chance.random()))

    @property
    def _guests(self) -> list[Guest]:
        return [*self._talkers, *self._players, *self._speakers]

    async def run(self) -> Report:
        """Have it all happen, and judge it."""
        names = [guest.name for guest in self._guests]
        async with asyncio.TaskGroup() as group:
            caring = group.create_task(self._held("the caretaker", self._caretaker.live()))
            await self._beats.do(self._schedule)
            beating = group.create_task(self._held("heartbeats", self._beats.do(self._beat)))
            living = [group.create_task(self._held(guest.name, guest.live())) for guest in self._guests]
            await self._all_served(names, 0.0)
            self._say(f"{self._now():7.1f} s  {len(names)} clients are served")
            await self._faults(names)
            self._stay.over = True
            _, late = await asyncio.wait(living, timeout=REST_S)
            self._breach(f"stuck: {name} waits since {since:.1f} s" for name, since in self._served.waits().items())
            beating.cancel()
            await self._beats.do(self._rest)
            async with beside(self._stage.backend) as onlooker:
                left = await at_rest(onlooker, self._stage.backend)
            for task in (caring, *late):
                task.cancel()
        told = Told(self._talkers, self._players, self._speakers, SCHEDULES, self._hits())
        self._breach(faults_of(left, told))
        self._sum_up(len(left.threads), sum(map(len, left.threads.values())))
        return self.report

    async def _faults(self, names: list[str]) -> None:
        """Round after round, and in the middle the upgrade."""
        upgraded, began_s = not self._plan.upgrade, self._now()
        for happens in rounds(self._plan.seed, self._stage.servers, self._stage.daemons):
            gone_s = self._now() - began_s
            if gone_s >= self._plan.seconds:
                return
            if not upgraded and gone_s >= self._plan.seconds / 2:
                upgraded = True
                await self._upgrade(names)
            await self._round(names, " and ".join(map(str, happens)), self._carry_out(happens))

    async def _carry_out(self, happens: Round) -> None:
        await asyncio.gather(*map(self._stage.happens, happens))

    async def _round(self, names: list[str], what: str, happening: Coroutine[Any, Any, None]) -> None:
        began_s = self._now()
        await happening
        mended_s = self._now()
        if await self._all_served(names, began_s):
            back_s = self._served.back_s(names, began_s)
            self.report.rounds.append((what, back_s))
            self._say(f"{began_s:7.1f} s  {what}: mended after {mended_s - began_s:.1f} s, all served {back_s:.1f} s")
        await CLOCK.sleep(CALM_S)

    async def _upgrade(self, names: list[str]) -> None:
        code = self._stage.cluster.folder / "next"
        number = await asyncio.to_thread(other_version, code, self._plan.upgrade_to)
        await self._round(names, f"an upgrade to {number}", self._stage.upgrade(code))

        async def version(client: Client) -> str:
            return str((await ask(client, "system.status"))["version"])

        for door in self._stage.doors:
            self.report.versions.append(await Line([door], Random(0)).do(version))
        if set(self.report.versions) != {number}:
            self._breach([f"failed: the upgrade: gateways say {self.report.versions}, not {number}"])

    async def _all_served(self, names: list[str], since_s: float) -> bool:
        """Wait until everybody has had something that they asked for since a moment; whether they have."""
        end_s = self._now() + BACK_S
        while hungry := self._served.hungry(names, since_s):
            if self._now() > end_s:
                self._breach([f"stuck: {hungry} had nothing from {since_s:.1f} s to {self._now():.1f} s"])
                return False
            await CLOCK.sleep(_LOOK_S)
        return True

    async def _held(self, who: str, living: Coroutine[Any, Any, None]) -> None:
        """What somebody was refused for good is told, and ends nobody else."""
        try:
            await living
        except SullaError as error:
            self._breach([f"refused: {who}, at {self._now():.1f} s: {error.code}: {error.message}"])

    async def _schedule(self, client: Client) -> None:
        for name in SCHEDULES:
            await ask(
                client, "schedule.add", schedule=name, every_s=EVERY_S, message=f"time for {name}", request_id=name
            )

    async def _beat(self, client: Client) -> None:
        for number in count():
            with suppress(SullaError):  # one that cannot begin now, such as while another one goes on
                await ask(client, "heartbeat.trigger", request_id=f"beat-{self._now():.0f}-{number}")
            await CLOCK.sleep(BEAT_S)

    async def _rest(self, client: Client) -> None:
        """Nothing begins by itself any more."""
        await ask(client, "heartbeat.pause")
        for name in SCHEDULES:
            await ask(client, "schedule.pause", schedule=name)

    def _breach(self, found: Any) -> None:
        for line in found:
            self._say(f"BREACH {line}")
            self.report.breaches.append(line)

    def _hits(self) -> dict[str, int]:
        return {path.removeprefix("/"): times for path, times in self._sink.hits.items()}

    def _sum_up(self, threads: int, records: int) -> None:
        report, served = self.report, self._served
        report.silence_s, report.silent = served.silence_s, served.silent
        report.counts = {
            "seconds": round(self._now(), 1),
            "clients": len(self._guests),
            "things that clients asked for and had": served.count,
            "median of that, seconds": round(served.median_s, 2),
            "turns in conversations": sum(len(talk.told) for talker in self._talkers for talk in talker.talks),
            "commands that ran": self._sink.hits.total(),
            "playbooks": sum(len(player.runs) for player in self._players),
            "words spoken": sum(len(speaker.person.said) for speaker in self._speakers),
            "questions answered": self._caretaker.answered,
            "of them whether a command that was cut off is done": self._caretaker.reviews,
            "threads": threads,
            "records": records,
        }


def _name_in(question: dict[str, Any]) -> str:
    """Which command a question is about."""
    found = _NAME.search(orjson.dumps(question).decode())
    return found[1] if found is not None else ""


async def drill(folder: Path, plan: Plan, say: Callable[[str], None]) -> Report:
    """Make a cluster, have a plan carried out in it, and take it away again.

    Args:
        folder: for the cluster; it must not be there.
        plan: what is to happen.
        say: takes lines for people, while it does.
    """
    async with (
        Sink() as sink,
        FakeAnthropic(Moody(Random(plan.seed), sink.command), CLOCK) as model,
        asyncio.TaskGroup() as group,
    ):
        forgetting = group.create_task(_forget(model))
        async with staged(folder, plan.store, plan.gateways, plan.workers, model.url, {"errand": PLAYBOOK}) as stage:
            report = await Drill(plan, stage, sink, say).run()
        forgetting.cancel()
    return report


async def _forget(model: FakeAnthropic) -> None:
    """What is kept of every request would be more than all else."""
    while True:
        await CLOCK.sleep(1.0)
        model.requests.clear()
        model.ended.clear()
