"""How tasks stand follows from the steps of their run."""

from __future__ import annotations

import pytest

from sulla.playbooks.plans.plan import PlanTask, ProjectPlan
from sulla.playbooks.projects.states import TaskNow, state_of, states_of
from sulla.playbooks.rpc_forms import PlayStatus, StepRow

PLAN = ProjectPlan(
    "g", (PlanTask("a", "A"), PlanTask("b", "B", depends_on=("a",)), PlanTask("c", "C", depends_on=("b",)))
)


def row(at: str, status: str, tries: int = 1, error: str = "") -> StepRow:
    return StepRow(at, "agent", status, tries, None, None, None, "", error, 0, 0, "")


def test_a_task_whose_step_has_not_begun_is_pending() -> None:
    assert [now.state for now in states_of(PLAN, ())] == ["pending"] * 3


@pytest.mark.parametrize(
    ("status", "state"),
    [("running", "in_progress"), ("waiting", "in_progress"), ("completed", "completed"), ("cancelled", "pending")],
)
def test_a_task_stands_as_its_step_does(status: str, state: str) -> None:
    assert states_of(PLAN, [row("a", status)])[0] == TaskNow("a", state)  # type: ignore[arg-type]  # one of them


def test_what_needs_a_failed_task_is_blocked_by_it_whether_or_not_its_step_is_told() -> None:
    blocked = [TaskNow("b", "blocked", "waits for a"), TaskNow("c", "blocked", "waits for b")]
    wanted = [TaskNow("a", "failed", "no net"), *blocked]
    assert states_of(PLAN, [row("a", "failed", 1, "no net")]) == wanted
    told = [row("a", "failed", 1, "no net"), row("b", "failed", 0, "upstream"), row("c", "failed", 0, "upstream")]
    assert states_of(PLAN, told) == wanted


def test_a_task_that_could_not_even_be_begun_has_failed_unless_another_one_did() -> None:
    states = states_of(PLAN, [row("a", "completed"), row("b", "failed", 0, "too long")])
    assert states[1] == TaskNow("b", "failed", "too long")


@pytest.mark.parametrize("status", ["running", "waiting"])
def test_what_a_run_was_cut_off_in_is_open_again(status: str) -> None:
    states = states_of(PLAN, [row("a", "completed"), row("b", status)], is_over=True)
    assert [now.state for now in states] == ["completed", "pending", "pending"]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("queued", "in_progress"),
        ("running", "in_progress"),
        ("waiting", "in_progress"),
        ("paused", "in_progress"),
        ("completed", "completed"),
        ("failed", "blocked"),
        ("cancelled", "cancelled"),
    ],
)
def test_a_project_stands_as_its_run_does(status: PlayStatus, state: str) -> None:
    assert state_of(status) == state
