"""Whole daemons over one store in simulated time, with faults drawn from a seed, judged by what they leave behind.

The same seed gives the same simulation, step by step: no real time, no threads, no chance of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import TypeVar
from zlib import crc32

from sulla.core.errors import AlreadyAnswered, Busy, Unavailable
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.codec import Entry
from sulla.threads.store import ThreadStore
from sulla.work.local import LocalWork
from tests.simulation.clock import SimulatedClock, at_once
from tests.simulation.defects import ONCE_AS_IDEMPOTENT, STORE_DEFECTS
from tests.simulation.history import History, Kept, Leased, ThreadHistory, breaches
from tests.simulation.home import EFFECTS, Home, Ledgers, SimulatedModel, Wiring
from tests.simulation.loop import START_S, SimulatedLoop, Stuck
from tests.simulation.people import People
from tests.simulation.store import RemoteStore, StoreClock, Witness
from tests.simulation.storm import Blow, brew, calm
from tests.simulation.wire import LATE_S, Fate, Weather, Wire

T = TypeVar("T")

REST_S = 900.0
"""Within so many simulated seconds after the last fault everything has come to rest."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a simulation came to."""

    seed: int
    breaches: tuple[str, ...]
    history: History | None
    """What it left behind; None if it did not come to an end."""
    trace: tuple[str, ...]
    """Everything that happened, in order; empty unless asked for."""
    digest: int
    """The same for the same trace."""
    steps: int
    seconds: float
    """Simulated ones."""
    faults: Mapping[str, int]
    """How often each fault was brought about."""


def simulate(seed: int, *, defect: str = "", trace: bool = False, storm: bool = True) -> Outcome:
    """Run one simulation.

    Args:
        seed: what everything follows from.
        defect: a promise to be broken on purpose; see `defects`.
        trace: whether to write everything down.
        storm: without it there are no faults.
    """
    with _quiet():
        return _Simulation(seed, defect, storm=storm, trace=trace).outcome()


@contextmanager
def _quiet() -> Iterator[None]:
    """Thousands of daemons in trouble have nothing to say that the trace does not tell."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class _Simulation:
    def __init__(self, seed: int, defect: str, *, storm: bool, trace: bool) -> None:
        self._seed = seed
        self._lines: list[str] | None = [] if trace else None
        self._digest = 0
        self._ledgers = Ledgers()
        self._loop = SimulatedLoop(  # type: ignore[abstract]  # what the product does not use is missing
            self._random("order"), self._ledgers.findings.append
        )
        self._clock = SimulatedClock(self._loop)
        self._storm = (brew if storm else calm)(self._random("storm"))
        self._weather = Weather()
        self._witness = Witness(taken=self._taken)
        self._faults: dict[str, int] = {}
        memory = MemoryStore(StoreClock(self._loop), lambda prefix: f"{prefix}_{seed}")
        self._store: Store = memory
        self._door: Store = STORE_DEFECTS[defect](memory) if defect in STORE_DEFECTS else memory
        self._declared = dict(EFFECTS)
        if defect == ONCE_AS_IDEMPOTENT:
            self._declared["pay"] = "idempotent"
        self._model = SimulatedModel(self._random("model"), self._clock, self._ledgers, self._tell)
        self._wires: dict[str, Wire] = {}
        self._watched: dict[str, tuple[str, asyncio.Event]] = {}
        """What of each home is waited for."""
        self._homes = [self._home(number + 1) for number in range(self._storm.homes)]
        self._reader = ThreadStore(
            memory, self._clock, lambda prefix: prefix, "reader:1", THREAD_SCHEMA, ThreadLimits()
        )
        self._people = People(self._random("people"), self._clock, self._insist, memory, self._reader, self._tell)

    def outcome(self) -> Outcome:
        history: History | None = None
        try:
            history, findings = self._loop.run(self._main())
            found = [*map(str, breaches(history)), *findings]
        except Stuck as stuck:
            found = [str(stuck)]
        seconds = self._loop.time() - START_S
        lines = tuple(self._lines or ())
        steps, faults = self._loop.steps, self._faults
        return Outcome(self._seed, tuple(found), history, lines, self._digest, steps, seconds, faults)

    # --------------------------------------------------------------------------------------------- what happens

    async def _main(self) -> tuple[History, tuple[str, ...]]:
        await self._store.open()
        for home in self._homes:
            home.start()
        self._weather = self._storm.weather
        self._model.mood = self._storm.mood
        async with asyncio.TaskGroup() as group:
            group.create_task(self._people.answer_all())
            people = group.create_task(self._people.live(self._storm.threads, self._storm.messages, self._storm.beats))
            await self._rage()
            self._clear_up()
            await people
            rested = await self._rest() and await self._people.let_go_on() and await self._rest()
            self._people.leave()
        if not rested:
            left = [info.key for info in await self._store.find(ready=True)]
            self._ledgers.findings.append(f"no rest within {REST_S:.0f} s after the last fault; ready: {left}")
        history = await self._history(at_rest=rested)
        return history, tuple(self._ledgers.findings)

    async def _rage(self) -> None:
        """Bring the storm's faults about."""
        async with asyncio.TaskGroup() as group:
            for blow in self._storm.blows:
                group.create_task(self._strike(blow, self._homes[blow.home]))
            await self._clock.sleep(self._storm.lasts_s)

    async def _strike(self, blow: Blow, home: Home) -> None:
        """Let one fault befall a home, and pass."""
        await self._clock.sleep(blow.after_s)
        await self._reached(blow.at, home)
        process = home.process
        if process is None or not process.alive or process.fuse is not None:
            return
        struck = asyncio.Event()
        process.fuse = (blow.steps, lambda: self._hit(blow, home, struck))
        await struck.wait()
        if blow.kind == "stop":
            await home.stop()
        await self._clock.sleep(blow.lasts_s)
        if blow.kind == "pause":
            self._loop.go_on(process)
        self._wires[home.name].cut = False
        home.troubled_s = self._loop.time()
        self._boot(home)

    async def _reached(self, at: str, home: Home) -> None:
        """Wait until a home asks the store for something; not for ever, because it may never do so."""
        if at:
            self._watched[home.name] = at, (there := asyncio.Event())
            with suppress(TimeoutError):
                async with self._clock.timeout(self._storm.lasts_s):
                    await there.wait()

    def _hit(self, blow: Blow, home: Home, struck: asyncio.Event) -> None:
        """What happens at once, between two steps of the home's process."""
        self._faults[blow.kind] = self._faults.get(blow.kind, 0) + 1
        self._tell(blow.kind, home.name, round(blow.lasts_s, 3))
        home.troubled_s = self._loop.time() + blow.lasts_s
        match blow.kind:
            case "kill":
                home.kill()
            case "pause" if home.process is not None:
                self._loop.pause(home.process)
            case "cut":
                self._wires[home.name].cut = True
            case "clock":
                home.clock.ahead_s += (blow.lasts_s - 2.0) * 1000.0
        struck.set()

    def _boot(self, home: Home) -> None:
        if not home.up:
            self._tell("boot", home.name)
            home.start()

    def _clear_up(self) -> None:
        """The storm is over. Sometimes every daemon is killed once more, so that all have to take over."""
        self._tell("calm")
        self._weather = Weather()
        self._model.mood = self._storm.calm_mood
        for home in self._homes:
            self._wires[home.name].cut = False
            if home.process is not None:
                self._loop.go_on(home.process)
            home.troubled_s = self._loop.time()
            if self._storm.kills_all:
                home.kill()
            self._boot(home)

    async def _rest(self) -> bool:
        """Whether everything comes to rest in time."""
        until = self._loop.time() + REST_S
        while self._loop.time() < until:
            await self._clock.sleep(0.5)
            doing = [home.work.inspect() for home in self._homes if home.work is not None]
            if any(one.running or one.queued for one in doing) or await self._store.find(ready=True):
                continue
            if not await self._people.asked():
                return True
        return False

    # --------------------------------------------------------------------------------------------------- wiring

    def _home(self, number: int) -> Home:
        name = f"home{number}"

        def told(method: str, key: str, fate: Fate) -> None:
            self._tell("store", name, method, key, fate)
            if (watched := self._watched.get(name)) is not None and watched[0] in method:
                watched[1].set()
            if fate != "fine":
                self._faults[fate] = self._faults.get(fate, 0) + 1
                # What is late is done unknown to whoever asked for it.
                home.troubled_s = max(home.troubled_s, self._loop.time() + (LATE_S if fate == "late" else 0.0))

        wire = Wire(self._loop, self._random(f"wire {name}"), lambda: self._weather, told)
        self._wires[name] = wire
        wiring = Wiring(
            lambda: RemoteStore(self._door, wire, self._witness, self._loop.time),
            self._whereabouts,
            self._declared,
        )
        home = Home(number, self._loop, self._random(name), self._model, self._ledgers, wiring, self._tell)
        return home

    def _taken(self, key: str, before: Leased, now: Leased) -> None:
        """Somebody got a lease that was not given back: its holder, if it was well, should not have let it run out."""
        holder, taker = before.owner.partition(":")[0], now.owner.partition(":")[0]
        home = next(home for home in self._homes if home.name == holder)
        self._tell("taken", key, "from", before.owner, "by", now.owner)
        alive = home.up and before.owner == home.owner
        if alive and holder != taker and home.troubled_s < self._witness.renewed_s[key] - 1.0:
            self._ledgers.findings.append(f"{key}: {before.owner} was well and let its lease run out to {now.owner}")

    def _whereabouts(self, key: str) -> tuple[int, str]:
        info, newest = at_once(self._store.head(key)), self._witness.newest(key)
        return info.last_seq if info is not None else 0, newest.owner if newest is not None else ""

    async def _insist(self, ask: Callable[[ThreadStore, LocalWork], Awaitable[T]]) -> T:
        """Have any home do something, again and again until one did; the clients' way."""
        random = self._people.random
        while True:
            home = random.choice(self._homes)
            try:
                return await home.request(ask, 2.0)
            except AlreadyAnswered:
                raise
            except (Unavailable, Busy, TimeoutError):
                await self._clock.sleep(0.1 + random.random())

    # ------------------------------------------------------------------------------------------------ the record

    def _tell(self, *what: object) -> None:
        line = f"{self._loop.time():.6f} {' '.join(map(str, what))}"
        self._digest = crc32(line.encode(), self._digest)
        if self._lines is not None:
            self._lines.append(line)

    def _random(self, whose: str) -> Random:
        """Chance of its own for each, so that one draw more of one does not change all others."""
        return Random(f"{self._seed} {whose}")

    async def _history(self, *, at_rest: bool) -> History:
        threads = []
        for found in await self._people.everything():
            thread_id = found.thread_id
            log: list[Entry] = []
            while page := await self._reader.entries(thread_id, after=log[-1].seq if log else 0):
                log += page
            state = await self._reader.load(thread_id)
            kept = (
                Kept(state.spending.usage, state.spending.day, state.spending.day_tokens) if state is not None else None
            )
            leases = tuple(self._witness.leases.get(thread_id, ()))
            acknowledged = tuple(self._people.acknowledged.get(thread_id, ()))
            threads.append(ThreadHistory(thread_id, tuple(log), acknowledged, leases=leases, kept=kept))
            foreseen = [entry for entry in log if entry.data.get("code") != "internal"]
            if len(foreseen) < len(log):
                self._ledgers.findings.append(f"{thread_id}: a run failed in a way that nobody foresaw")
        ledgers = self._ledgers
        return History(tuple(threads), tuple(ledgers.effects), tuple(ledgers.asked), at_rest)
