"""What a planner answers is a plan, or comes back with all that is wrong with it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.playbooks.plans.plan import MAX_TASKS, PLAN_CHARS, PLAN_SCHEMA, ProjectPlan
from sulla.playbooks.plans.read import read_plan, ring_of, safe_id

A: dict[str, Any] = {"id": "a", "title": "One"}
B: dict[str, Any] = {"id": "b", "title": "Two", "depends_on": ["a"]}


def faults(**plan: Any) -> tuple[str, ...]:
    found = read_plan({"goal": "a goal", **plan}, agents={"writer", "researcher"})
    assert isinstance(found, tuple), found
    return found


def plan(**given: Any) -> ProjectPlan:
    found = read_plan(given)
    assert isinstance(found, ProjectPlan), found
    return found


def test_what_is_left_out_is_as_usual() -> None:
    found = plan(goal=" a goal\n", tasks=[A, B])
    assert (found.goal, found.execution_strategy) == ("a goal", "dag")
    first, second = found.tasks
    assert (first.agent, first.depends_on, first.tries, first.tools) == ("", (), None, None)
    assert second.depends_on == ("a",)


def test_the_goal_that_was_given_stands_in_for_one_that_is_not_said() -> None:
    found = read_plan({"tasks": [A]}, goal="a goal")
    assert isinstance(found, ProjectPlan)
    assert found.goal == "a goal"


def test_ids_are_made_such_that_a_step_may_have_them_and_are_still_found() -> None:
    found = plan(goal="g", tasks=[{"id": 1, "title": "One"}, {"id": "Write Docs!", "title": "Two", "depends_on": [1]}])
    assert [(task.id, task.depends_on) for task in found.tasks] == [("t_1", ()), ("write_docs", ("t_1",))]


@pytest.mark.parametrize(("raw", "made"), [("if", "t_if"), ("9 lives", "t_9_lives"), ("ÄÖ", "t"), ("a-b", "a_b")])
def test_an_id_is_safe_in_an_expression(raw: str, made: str) -> None:
    assert safe_id(raw) == made


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tasks": []}, "has no tasks"),
        ({"tasks": [A], "goal": " "}, "has no goal"),
        ({"tasks": "all"}, "tasks takes a list, got 'all'"),
        ({"tasks": [A], "taks": 1}, "the plan has no 'taks'. Did you mean 'tasks'?"),
        ({"tasks": [A], "execution_strategy": "chaos"}, "expected sequential, parallel or dag"),
        ({"tasks": [A, A]}, "two tasks have the id 'a'"),
        ({"tasks": [{"id": "A b", "title": "x"}, {"id": "a_b", "title": "y"}]}, "two tasks have the id 'a_b'"),
        ({"tasks": [{**A, "depends_on": ["a"]}]}, "task 'a' depends on itself"),
        ({"tasks": [{"id": "outline", "title": "x"}, {**B, "depends_on": ["outlin"]}]}, "Did you mean 'outline'?"),
        ({"tasks": [B]}, "task 'b' depends on 'a', and there is no such task. There are: b."),
        ({"tasks": [{**A, "depends_on": ["b"]}, B]}, "in a ring: a -> b -> a; take one"),
        ({"tasks": [{**A, "agent": "writter"}]}, "and there is no such agent. Did you mean 'writer'"),
        ({"tasks": [{"id": "a"}]}, "task 1 (a) has no title"),
        ({"tasks": [{"title": "x"}]}, "task 1 has no id"),
        ({"tasks": ["dig"]}, "task 1: expected an object with id, title"),
        ({"tasks": [{**A, "tries": 0}]}, "tries takes a whole number from 1 to 20, got 0"),
        ({"tasks": [{**A, "tries": True}]}, "got True"),
        ({"tasks": [{**A, "tools": [""]}]}, "tools has an empty entry"),
        ({"tasks": [{**A, "title": "a\x1b[2J"}]}, "title has control characters"),
        ({"tasks": [{**A, "title": "x" * 201}]}, "title has 201 characters; 200 at the most"),
        ({"tasks": [{"id": f"t{n}", "title": "x"} for n in range(MAX_TASKS + 1)]}, "51 entries, 50 at the most"),
        ({"tasks": [{**A, "id": f"t{n}", "description": "x" * 20_000} for n in range(4)]}, f"{PLAN_CHARS} at the most"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_such_that_it_can_be_mended(given: dict[str, Any], said: str) -> None:
    assert any(said in fault for fault in faults(**given)), faults(**given)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    assert len(faults(tasks=[{**A, "depends_on": ["x"]}, {**A, "agent": "nobody"}])) == 3


@pytest.mark.parametrize("answer", [None, 3, "a plan", [], True])
def test_what_is_no_plan_at_all_is_said_to_be_none(answer: Any) -> None:
    found = read_plan(answer, goal="g")
    assert isinstance(found, tuple)
    assert "the plan: expected an object" in found[0]


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=4, unique=True)))
def test_a_ring_is_found_if_and_only_if_there_is_no_order(needs: dict[str, list[str]]) -> None:
    inside = {name: [other for other in others if other in needs and other != name] for name, others in needs.items()}
    left = dict(inside)
    while free := [name for name, others in left.items() if not any(other in left for other in others)]:
        for name in free:
            del left[name]
    ring = ring_of(inside)
    assert bool(ring) == bool(left)
    if ring:
        assert ring[0] == ring[-1]
        assert all(after in inside[before] for before, after in pairwise(ring))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["tasks", "id", "title", "depends_on", "tools", "goal", "x"]), inner, max_size=5
        )
    ),
    max_leaves=20,
)


@settings(max_examples=300)
@given(_JSON)
def test_whatever_a_model_answers_is_judged(answer: Any) -> None:
    found = read_plan(answer, goal="g")
    assert isinstance(found, ProjectPlan) or (found and all(found))


def test_the_schema_says_as_much_as_a_schema_can() -> None:
    validator = jsonschema_rs.validator_for(PLAN_SCHEMA)
    assert validator.is_valid({"goal": "g", "execution_strategy": "dag", "tasks": [A, B]})
    wrongs: list[Any] = [{}, {"tasks": []}, {"tasks": [{"id": "a"}]}, {"tasks": [A], "execution_strategy": "x"}]
    for wrong in wrongs:
        assert not validator.is_valid(wrong)
