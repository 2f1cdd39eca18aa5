"""A plan's tasks follow what they depend on."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.playbooks.plans.plan import PlanTask, ProjectPlan, in_order, plan_json
from sulla.playbooks.plans.read import read_plan


def task(id: str, *depends_on: str) -> PlanTask:
    return PlanTask(id, id.upper(), depends_on=depends_on)


def test_each_task_comes_after_what_it_depends_on_and_else_keeps_its_place() -> None:
    tasks = [task("d", "b"), task("a"), task("c", "a"), task("b")]
    assert [one.id for one in in_order(tasks)] == ["a", "c", "b", "d"]


def test_a_ring_has_no_order() -> None:
    with pytest.raises(InvalidInput, match="a, b"):
        in_order([task("a", "b"), task("b", "a"), task("c")])


def test_a_plan_is_read_as_it_was_written() -> None:
    full = PlanTask("b", "Two", "all of it", "writer", ("a",), "it reads well", 2, ("read_file",))
    plan = ProjectPlan("a goal", (PlanTask("a", "One"), full), "sequential")
    assert read_plan(plan_json(plan)) == plan
