"""Real daemons that walk playbooks: killed before, during and after each kind of step, they go on soon and repeat
nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from sulla.playbooks.records import PlayState
from sulla.playbooks.slice import PLAYBOOK_RUN
from tests.faults.backend import CLOCK, Backend
from tests.faults.beating import Onlooker, beside
from tests.faults.harness import Daemon
from tests.faults.parked import at, questions
from tests.faults.playbooks.playing import (
    EVERYTHING,
    INNER,
    PLAYING,
    Director,
    all_at_rest,
    completed,
    faults_of,
    is_at_work,
    records,
    resumed_s,
    script,
    write_playbooks,
)
from tests.kits.points import some
from tests.servers.anthropic_server import FakeAnthropic

RESUMED_S = 2.0
SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261121"))
ROUNDS = int(os.environ.get("SULLA_FAULT_ROUNDS", "20"))


@asynccontextmanager
async def stage(tmp_path: Path, backend: Backend) -> AsyncIterator[tuple[FakeAnthropic, Daemon, Onlooker, Director]]:
    """A home with the playbooks, and everybody around it."""
    home = tmp_path / "home"
    write_playbooks(home, {"everything": EVERYTHING, "inner": INNER})
    async with (
        FakeAnthropic(script(), CLOCK) as fake,
        Daemon(home, fake.url, {**backend.settings, **PLAYING}) as daemon,
    ):
        await daemon.start()  # makes the store
        async with beside(backend) as onlooker:
            yield fake, daemon, onlooker, Director(daemon)


POINTS = [f"PLAYBOOK:{number}:{phase}" for number in range(1, 51) for phase in ("before", "after")]
"""A whole run writes down a few more: how many depends on what comes together."""


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("kind", "death"),
    some([(kind, point) for kind in ("sqlite", "redis") for point in POINTS], 2, "plays"),
)
async def test_killed_around_any_record_a_run_goes_on_soon_and_repeats_nothing(
    tmp_path: Path, kind: str, death: str, backend_of: Callable[[str], Backend]
) -> None:
    async with stage(tmp_path, backend_of(kind)) as (fake, daemon, onlooker, director), asyncio.TaskGroup() as group:
        await daemon.kill()
        await daemon.start("--kill-at", death)
        people = group.create_task(director.people())
        run, talk = await director.begin("everything")
        await daemon.gone()
        done, asked, before = await completed(onlooker), len(fake.requests), await records(onlooker)
        director.answers = False
        started = CLOCK.elapsed()
        await daemon.start()
        ready = CLOCK.elapsed()
        went_on_s = await resumed_s(onlooker, before, started)
        director.answers = True
        print(f"{kind} {death}: ready after {ready - started:.2f} s, resumed after {went_on_s:.2f} s")
        await onlooker.ended(run)
        await all_at_rest(onlooker)
        people.cancel()
        found = await faults_of(onlooker, daemon, {run: talk}, director.reviews, 1)
        again = [seen.text for seen in fake.requests[asked:]]
    assert not found, "\n".join(found)
    for _, step in done:
        assert not [text for text in again if f"({step})" in text], "a completed step was paid for again"
    assert went_on_s - (ready - started) < RESUMED_S


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", some(["sqlite", "redis"], 1, "approvals within"))
async def test_approvals_in_a_branch_a_loop_and_a_playbook_within_wait_over_kills(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    waited: list[str] = []
    async with stage(tmp_path, backend_of(kind)) as (_, daemon, onlooker, director):
        run, talk = await director.begin("everything")
        for _ in range(4):  # within the other playbook, in the branch, in two passes of the loop
            before = await _asked(daemon, waited)
            await daemon.kill()
            await daemon.start()
            after = await _asked(daemon, waited)
            assert after == before, "the same question, under the same id"
            waited.append(after[0])
            await director.answer()
        await onlooker.ended(run)
        await all_at_rest(onlooker)
        found = await faults_of(onlooker, daemon, {run: talk}, director.reviews, 4)
    assert not found, "\n".join(found)
    assert director.reviews == 0
    assert len(set(waited)) == 4


async def _asked(daemon: Daemon, before: list[str]) -> tuple[str, str]:
    async with CLOCK.timeout(20.0):
        while True:
            async with at(daemon) as client:
                rows = [(str(row["id"]), str(row["prompt"])) for row in await questions(client)]
            new = [row for row in rows if row[0] not in before]
            if new:
                (one,) = new
                return one
            await CLOCK.sleep(0.05)


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
async def test_random_kills_of_a_playbook_repeat_nothing(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    random = Random(SEED)
    runs: dict[str, str] = {}
    took: list[float] = []
    slow = ("--slow-store", "0.01", "--tool-pause", "0.05")
    async with stage(tmp_path, backend_of(kind)) as (_, daemon, onlooker, director), asyncio.TaskGroup() as group:
        await daemon.kill()
        await daemon.start(*slow)
        people = group.create_task(director.people())
        for number in range(ROUNDS):
            run, talk = await director.begin("everything", number)
            runs[run] = talk
            await CLOCK.sleep(random.uniform(0.0, 4.0))
            await daemon.kill()
            before, at_work = await records(onlooker), await is_at_work(onlooker)
            await daemon.start(*slow)
            if at_work:
                took.append(await resumed_s(onlooker, before, CLOCK.elapsed()))
            await onlooker.ended(run)
        await all_at_rest(onlooker)
        people.cancel()
        found = await faults_of(onlooker, daemon, runs, director.reviews, ROUNDS)
        said = f"{len(took)} of them at work, resumed {max(took):.2f} s after it was ready at the latest"
        print(f"{kind}: {ROUNDS} kills, {said}; {director.reviews} reviews")
    assert not found, "\n".join(found)
    assert max(took) < RESUMED_S


PASSES = 1_000
LONG = f"""
name: long
outputs: {{many: "${{{{ steps.each.output | length }}}}"}}
steps:
  - id: each
    loop:
      count: {PASSES}
      most: {PASSES}
      steps:
        - {{id: n, tool: note_once, with: {{what: "n ${{{{ loop.index }}}}"}}}}
        - {{id: m, set: {{next: "${{{{ loop.index + 1 }}}}"}}}}
"""
"""Two thousand steps."""
KILLS = 10


@pytest.mark.faults
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
async def test_a_run_of_two_thousand_steps_goes_on_after_each_of_ten_kills(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    home = tmp_path / "home"
    write_playbooks(home, {"long": LONG})
    backend, reached = backend_of(kind), [0]
    async with (
        FakeAnthropic(script(), CLOCK) as fake,
        Daemon(home, fake.url, {**backend.settings, **PLAYING}) as daemon,
    ):
        await daemon.start()
        async with beside(backend) as onlooker, asyncio.TaskGroup() as group:
            director = Director(daemon)
            people = group.create_task(director.people())
            run, _ = await director.begin("long")
            for number in range(1, KILLS + 1):
                await _come_to(onlooker, run, number * 2 * PASSES // (KILLS + 1))
                await daemon.kill()
                reached.append((await _play(onlooker, run)).done)
                assert reached[-1] > reached[-2], "it got on between two kills"
                await daemon.start()
            await _come_to(onlooker, run, 2 * PASSES)
            await onlooker.ended(run)
            await all_at_rest(onlooker)
            people.cancel()
            play = await _play(onlooker, run)
            assert (play.status, play.failure) == ("completed", "")
            assert await onlooker.broken() == []
    done = Counter(effect["what"] for effect in daemon.effects.read())
    assert done == Counter(f"n {number}" for number in range(PASSES))
    assert director.reviews <= KILLS
    print(f"{kind}: {KILLS} kills after {reached[1:]} steps, {director.reviews} reviews")


async def _play(onlooker: Onlooker, run: str) -> PlayState:
    """How a run stands."""
    (found,) = [PLAYBOOK_RUN.of(state) for state in await onlooker.states() if state.thread_id == run]
    assert found is not None
    return found


async def _come_to(onlooker: Onlooker, run: str, steps: int) -> None:
    """Wait until so many steps of a run have ended."""
    async with CLOCK.timeout(180.0):
        while (await _play(onlooker, run)).done < steps:
            await CLOCK.sleep(0.05)
