"""The simulation's own parts: a loop without real time in which processes stand still and die, and a store far away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

import pytest

from sulla.core.errors import StoreUnavailable
from tests.simulation.clock import SimulatedClock, at_once
from tests.simulation.defects import DEFECTS
from tests.simulation.loop import Process, SimulatedLoop, Stuck
from tests.simulation.simulate import simulate
from tests.simulation.storm import brew
from tests.simulation.wire import Fate, Weather, Wire


class Scene:
    """A loop, its clock, and what was told of it."""

    def __init__(self, seed: int = 1) -> None:
        self.told: list[str] = []
        self.loop = SimulatedLoop(Random(seed), self.told.append)  # type: ignore[abstract]  # as in the simulation
        self.clock = SimulatedClock(self.loop)
        self.seen: list[object] = []

    def run(self, main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        return self.loop.run(main())

    def process(self, name: str, main: Callable[[], Coroutine[Any, Any, Any]]) -> Process:
        process = Process(name)
        self.tasks = [*getattr(self, "tasks", []), self.loop.spawn(process, main())]
        return process

    async def count(self, name: str, pause_s: float, times: int = 5) -> None:
        for number in range(times):
            self.seen.append((name, number, round(self.clock.elapsed(), 3)))
            await self.clock.sleep(pause_s)


def test_a_day_passes_at_once() -> None:
    scene = Scene()

    async def main() -> float:
        before = scene.clock.elapsed()
        await scene.clock.sleep(86_400)
        return scene.clock.elapsed() - before

    assert scene.run(main) == 86_400


def test_a_time_limit_ends_what_takes_longer() -> None:
    scene = Scene()

    async def main() -> float:
        before = scene.clock.elapsed()
        with pytest.raises(TimeoutError):
            async with scene.clock.timeout(5):
                await asyncio.Event().wait()
        return scene.clock.elapsed() - before

    assert scene.run(main) == 5


def test_what_wants_a_thread_is_done_at_once_in_this_one() -> None:
    scene = Scene()

    async def main() -> tuple[int, float]:
        before = scene.clock.elapsed()
        return await asyncio.to_thread(threading.get_ident), scene.clock.elapsed() - before

    assert scene.run(main) == (threading.get_ident(), 0.0)


def test_a_dead_process_does_nothing_more_no_finally_either() -> None:
    scene = Scene()

    async def last_words() -> None:
        try:
            await scene.count("victim", 1.0)
        finally:
            scene.seen.append("finally")

    async def main() -> list[object]:
        victim = scene.process("victim", last_words)
        await scene.clock.sleep(2.5)
        scene.loop.kill(victim)
        await scene.clock.sleep(10)
        return list(scene.seen)

    assert scene.run(main) == [("victim", 0, 1000.0), ("victim", 1, 1001.0), ("victim", 2, 1002.0)]


def test_a_process_that_stood_still_goes_on_late_with_what_came_due() -> None:
    scene = Scene()

    async def main() -> list[object]:
        slow = scene.process("slow", lambda: scene.count("slow", 1.0, 3))
        scene.process("well", lambda: scene.count("well", 1.0, 3))
        await scene.clock.sleep(0.5)
        scene.loop.pause(slow)
        await scene.clock.sleep(7.5)
        scene.loop.go_on(slow)
        await scene.clock.sleep(5)
        return sorted(scene.seen, key=str)

    assert scene.run(main) == [
        *(("slow", 0, 1000.0), ("slow", 1, 1008.0), ("slow", 2, 1009.0)),
        *(("well", 0, 1000.0), ("well", 1, 1001.0), ("well", 2, 1002.0)),
    ]


def test_a_fuse_strikes_between_two_steps_of_a_process() -> None:
    scene = Scene()

    async def busy() -> None:
        for number in range(10):
            scene.seen.append(number)
            await scene.clock.sleep(0)

    async def main() -> list[object]:
        process = scene.process("busy", busy)
        process.fuse = 4, lambda: scene.loop.kill(process)
        await scene.clock.sleep(1)
        return list(scene.seen)

    assert scene.run(main) == [0, 1, 2, 3]


def test_processes_take_turns_as_the_seed_says_and_each_keeps_its_own_order() -> None:
    def order(seed: int) -> list[object]:
        scene = Scene(seed)

        async def main() -> list[object]:
            for name in "abc":
                scene.process(name, lambda name=name: scene.count(name, 0.0))  # type: ignore[misc]  # one each
            await scene.clock.sleep(1)
            return [seen[:2] for seen in scene.seen if isinstance(seen, tuple)]

        found: list[object] = scene.run(main)
        return found

    orders = [order(seed) for seed in range(10)]
    assert orders == [order(seed) for seed in range(10)]
    assert len({str(one) for one in orders}) > 5
    for one in orders:
        for name in "abc":
            assert [seen for seen in one if seen[0] == name] == [(name, number) for number in range(5)]  # type: ignore[index]  # pairs


def test_a_loop_in_which_nothing_can_happen_any_more_says_so() -> None:
    with pytest.raises(Stuck, match="nothing is left"):
        Scene().run(lambda: asyncio.Event().wait())


def test_a_loop_without_an_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.simulation.loop.MAX_STEPS", 1000)
    scene = Scene()

    async def main() -> None:
        while True:
            await scene.clock.sleep(1)

    with pytest.raises(Stuck, match="no end after 1000 steps"):
        scene.run(main)


def test_an_exception_that_nobody_saw_is_told() -> None:
    scene = Scene()

    async def main() -> None:
        scene.loop.call_soon(lambda: 1 / 0)
        await scene.clock.sleep(1)

    scene.run(main)
    assert "ZeroDivisionError" in scene.told[0]


def test_what_waits_cannot_be_had_at_once() -> None:
    async def waits() -> None:
        await asyncio.get_running_loop().create_future()

    scene = Scene()

    async def main() -> None:
        with pytest.raises(RuntimeError, match="waits for something"):
            at_once(waits())

    scene.run(main)


@pytest.mark.parametrize(
    ("weather", "seems", "done_s"),
    [
        (Weather(), "answer", 0.1),
        (Weather(refused=1.0), "failed", None),
        (Weather(lost=1.0), "failed", 0.1),
        (Weather(late=1.0), "failed", 2.1),
    ],
)
def test_a_call_is_answered_refused_lost_or_late(weather: Weather, seems: str, done_s: float | None) -> None:
    scene = Scene()
    done: list[float] = []
    fates: list[Fate] = []

    async def ask() -> str:
        done.append(scene.clock.elapsed() - 1000.0)
        return "answer"

    async def main() -> str:
        wire = Wire(scene.loop, Random(1), lambda: weather, lambda method, key, fate: fates.append(fate))
        try:
            said = await wire.call("offer", "key", ask)
        except StoreUnavailable:
            said = "failed"
        await scene.clock.sleep(5)
        return said

    assert scene.run(main) == seems
    assert len(fates) == 1
    assert len(done) == (done_s is not None)
    assert all(moment <= (done_s or 0.0) for moment in done)


def test_a_call_of_a_process_that_dies_meanwhile_still_takes_effect() -> None:
    scene = Scene()

    async def ask() -> None:
        scene.seen.append("kept")

    async def main() -> list[object]:
        wire = Wire(scene.loop, Random(1), lambda: Weather(slow_s=1.0), lambda method, key, fate: None)
        caller = scene.process("caller", lambda: wire.call("append", "key", ask))
        await scene.clock.sleep(0.0001)
        scene.loop.kill(caller)
        await scene.clock.sleep(5)
        return list(scene.seen)

    assert scene.run(main) == ["kept"]


def test_the_same_seed_gives_the_same_trace_and_another_one_another() -> None:
    first, again, other = (simulate(seed, trace=True) for seed in (7, 7, 8))
    assert first.trace == again.trace
    assert (first.digest, first.steps, first.seconds) == (again.digest, again.steps, again.seconds)
    assert other.trace != first.trace
    assert simulate(7).digest == first.digest


def test_storms_differ() -> None:
    storms = [brew(Random(seed)) for seed in range(50)]
    assert {storm.homes for storm in storms} == {1, 2, 3}
    assert {blow.kind for storm in storms for blow in storm.blows} == {"kill", "stop", "pause", "cut", "clock"}
    assert any(not storm.blows for storm in storms)


def test_the_defects_have_names() -> None:
    assert len(set(DEFECTS)) == len(DEFECTS) == 8
