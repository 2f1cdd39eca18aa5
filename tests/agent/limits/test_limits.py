"""Every limit stops exactly at its figure and says which it was and by how much."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sulla.agent.limits.limits import Charge, RunLimits, check_model_call, check_wall, limit_reached
from sulla.agent.model.stream_sink import nobody
from sulla.core.control import Control
from sulla.core.errors import LimitReached
from sulla.core.event import Fact
from sulla.core.ids import RunId, ThreadId
from sulla.core.limit import LimitHit
from sulla.core.run import Run
from sulla.models.tokens.estimate import estimate_tokens
from sulla.testing.clock import ManualClock
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage, RunModelCalls, RunSpending
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript

NOON_S = 20_000 * 86_400 + 43_200.0


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    hit: LimitHit
    fits: Charge
    """What just fits."""
    over: Charge
    """What is one too much."""
    used: dict[str, int]
    """What the run used before."""
    thread_used: int = 0


LIMITS = RunLimits(cost_micro=5_000_000)
CASES = (
    Case(
        "model calls",
        LimitHit("model_calls", "run", "calls", 50, 50, 1),
        Charge(),
        Charge(),
        {"model_calls": 50},
    ),
    Case(
        "tokens of a run",
        LimitHit("tokens", "run", "tokens", 500_000, 400_000, 100_001),
        Charge(100_000),
        Charge(100_001),
        {"tokens": 400_000},
    ),
    Case(
        "money of a run",
        LimitHit("cost", "run", "micro", 5_000_000, 4_000_000, 1_000_001),
        Charge(1, 1_000_000),
        Charge(1, 1_000_001),
        {"cost_micro": 4_000_000},
    ),
    Case(
        "tokens of a thread today",
        LimitHit("thread_day_tokens", "thread", "tokens", 2_000_000, 1_999_000, 1_001),
        Charge(1_000),
        Charge(1_001),
        {},
        1_999_000,
    ),
)


class Unkept:
    """Keeps `core.run.Journal`, and nothing else."""

    def note(self, *facts: Fact) -> None:
        """Nothing is kept."""

    async def commit(self, *facts: Fact) -> None:
        """Nothing is kept."""


def thread(used: dict[str, int], thread_used: int, day: int = 20_000) -> ThreadState:
    state = ThreadState(ThreadId("t"), ModelContext(Transcript(estimate_tokens)))
    state.spending.day, state.spending.day_tokens = day, thread_used
    calls, spent = used.get("model_calls", 0), RunSpending(used.get("tokens", 0), used.get("cost_micro", 0))
    assert used.keys() <= {"model_calls", "tokens", "cost_micro"}
    course = RunCourse(round(NOON_S * 1000))
    state.run = OpenRun(RunId("run"), RunMessage(1), course, model=RunModelCalls(begun=calls), spent=spent)
    return state


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_just_fits_is_let_through_and_one_more_is_not(case: Case) -> None:
    just = {"model_calls": 49} if "model_calls" in case.used else case.used
    check_model_call(thread(just, case.thread_used), case.fits, NOON_S, LIMITS)
    with pytest.raises(LimitReached) as caught:
        check_model_call(thread(case.used, case.thread_used), case.over, NOON_S, LIMITS)
    assert caught.value.reason == f"limit_{case.hit.limit}"
    assert caught.value.hit == case.hit
    assert caught.value.hit.over == 1


def test_yesterdays_tokens_do_not_count_and_a_clock_that_was_set_back_frees_none() -> None:
    check_model_call(thread({}, 2_000_000, day=19_999), Charge(1_000), NOON_S, LIMITS)
    with pytest.raises(LimitReached):
        check_model_call(thread({}, 2_000_000, day=20_001), Charge(1_000), NOON_S, LIMITS)


def test_without_a_limit_on_money_a_run_may_cost_anything() -> None:
    check_model_call(thread({"cost_micro": 10**12}, 0), Charge(1, 10**12), NOON_S, RunLimits())


async def test_a_run_has_half_an_hour() -> None:
    clock = ManualClock()
    run = Run(RunId("r"), ThreadId("t"), "a", clock, Control(), nobody, Unkept(), deadline_s=clock.elapsed() + 1_800)
    await clock.advance(1_800)
    check_wall(run, LIMITS)
    clock.jump(3_600)  # to set a clock takes no time
    check_wall(run, LIMITS)
    await clock.advance(1)
    with pytest.raises(LimitReached, match="used 1801 s") as caught:
        check_wall(run, LIMITS)
    assert caught.value.hit == LimitHit("wall_s", "run", "seconds", 1_800, 1_801)


def test_a_limit_is_told_in_words_with_the_time_when_it_begins_anew() -> None:
    day = limit_reached(LimitHit("day_cost", "day", "micro", 2_500_000, 2_000_000, 750_000), NOON_S)
    assert day.message == (
        "all agents together have today used 2 of money and the next step may need 0.75 more, which is 0.25 over: the "
        "limit (limits.day_cost) is 2.5; it begins anew at 00:00 UTC, in 12 h 0 min"
    )
    run = limit_reached(LimitHit("max_repeat", "run", "repeats", 40, 40), NOON_S)
    assert run.message == "the run has used 40 equal steps in a row: the limit (max_repeat) is 40"
    calls = limit_reached(LimitHit("model_calls", "run", "calls", 50, 50, 1), NOON_S)
    assert (
        calls.message
        == "the run has used 50 model calls: the limit (limits.model_calls, or an agent's max_turns) is 50"
    )
