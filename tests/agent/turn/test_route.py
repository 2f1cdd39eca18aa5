"""The agent's edge, rule by rule, in its order (seed 004 §2)."""

from __future__ import annotations

import pytest

from sulla.agent.turn.route import AGENT, after_agent
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.graph.decision import END
from sulla.threads.log.family import RunRef
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage
from sulla.threads.log.records import Outcome, OutcomeStatus
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.waits import Wait


def state(status: OutcomeStatus, *, nudged: bool = False) -> ThreadState:
    made = ThreadState(ThreadId("t"), ModelContext(Transcript(lambda message: 1)))
    made.run = OpenRun(RunId("run"), RunMessage(1), RunCourse(0))
    made.newest.outcome, made.newest.nudged = Outcome(status), nudged
    return made


@pytest.mark.parametrize("status", ["done", "blocked", "failed", "cancelled"])
def test_an_outcome_ends_the_walk(status: OutcomeStatus) -> None:
    assert after_agent(state(status)) == END


def test_continue_goes_round_again() -> None:
    assert after_agent(state("continue")) == AGENT


def test_no_outcome_is_nudged_once_and_then_ends() -> None:
    assert after_agent(state("in_progress")) == AGENT
    assert after_agent(state("in_progress", nudged=True)) == END


@pytest.mark.parametrize("running", [True, False])
def test_a_playbook_that_the_run_has_started_takes_over_before_anything_else(running: bool) -> None:
    made = state("continue")
    made.links.active_work = RunRef("playbook", "p1", running, RunId("run"))
    assert after_agent(made) == (END if running else AGENT)


@pytest.mark.parametrize("by", ["earlier", ""], ids=["by an earlier run", "by a person"])
def test_a_playbook_that_something_else_has_started_ends_no_turn(by: str) -> None:
    made = state("continue")
    made.links.active_work = RunRef("playbook", "p1", True, RunId(by))
    assert after_agent(made) == AGENT


def test_a_suspended_run_ends_its_walk() -> None:
    made = state("in_progress")
    assert made.run is not None
    made.run.waits = {"w": Wait("w", CallId("c"))}
    assert after_agent(made) == END
