"""The tasks of a plan stand in a project's file beside people's own, and nobody's words are lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import Conflict, InvalidInput
from sulla.projects.file import (
    MOST_TASKS,
    add_task,
    block_task,
    comment_task,
    complete_task,
    read_project,
    set_field,
)
from sulla.projects.page import PageTask, TaskState
from sulla.projects.tasks import PlannedTask, mark_task, put_down

GARDEN = """---
title: Garden
status: active
---
# Garden

## Tasks

- [ ] Dig
  > 2026-11-21 sulla: the ground is frozen
- [x] Choose a place

## Notes

Ours.
"""
ROWS = (
    PlannedTask("clear", "Clear the beds"),
    PlannedTask("dig", "Dig", ("clear",)),
    PlannedTask("sow", "Sow", ("dig", "clear")),
)


def by_id(text: str) -> dict[str, PageTask]:
    return {task.id: task for task in read_project(text).tasks if task.id}


@pytest.fixture
def down() -> str:
    return put_down(GARDEN, ROWS)


def test_a_plan_is_put_down_below_what_is_there_and_takes_up_what_is_worded_alike(down: str) -> None:
    assert down == GARDEN.replace("- [ ] Dig\n", "- [ ] Dig (id: dig; after: clear)\n").replace(
        "- [x] Choose a place\n",
        "- [x] Choose a place\n- [ ] Clear the beds (id: clear)\n- [ ] Sow (id: sow; after: dig, clear)\n",
    )


def test_what_is_put_down_is_read_with_its_id_and_what_it_depends_on(down: str) -> None:
    assert {task.id: (task.text, task.after, task.state) for task in by_id(down).values()} == {
        "clear": ("Clear the beds", (), "pending"),
        "dig": ("Dig", ("clear",), "pending"),
        "sow": ("Sow", ("dig", "clear"), "pending"),
    }


def test_putting_it_down_again_changes_nothing(down: str) -> None:
    assert put_down(down, ROWS) == down


@pytest.mark.parametrize(
    ("state", "why", "line"),
    [
        ("in_progress", "", "- [ ] Sow (id: sow; after: dig, clear) (in progress)"),
        ("completed", "", "- [x] Sow (id: sow; after: dig, clear)"),
        ("failed", "no\nseeds", "- [ ] Sow (id: sow; after: dig, clear) (failed: no seeds)"),
        ("failed", "", "- [ ] Sow (id: sow; after: dig, clear) (failed: nobody knows why)"),
        ("blocked", "waits for dig", "- [ ] Sow (id: sow; after: dig, clear) (blocked: waits for dig)"),
        ("pending", "", "- [ ] Sow (id: sow; after: dig, clear)"),
    ],
)
def test_a_mark_says_how_a_task_stands(down: str, state: TaskState, why: str, line: str) -> None:
    marked = mark_task(down, "sow", state, why)
    assert line in marked.splitlines()
    assert (by_id(marked)["sow"].state, by_id(marked)["sow"].text) == (state, "Sow")
    assert mark_task(marked, "sow", state, why) == marked
    if state != "completed":
        assert mark_task(marked, "sow", "pending") == down


def test_what_a_person_ticked_or_blocked_stays_so(down: str) -> None:
    ticked = complete_task(down, "Sow")
    for state in ("in_progress", "failed", "pending"):
        assert mark_task(ticked, "sow", state) == ticked
    blocked = block_task(down, "Sow", "frost")
    assert mark_task(blocked, "sow", "in_progress") == blocked
    assert by_id(mark_task(blocked, "sow", "completed"))["sow"].done


def test_a_task_that_a_person_took_out_is_not_brought_back(down: str) -> None:
    without = "".join(line for line in down.splitlines(keepends=True) if "id: sow" not in line)
    assert mark_task(without, "sow", "completed") == without


def test_agents_change_tasks_of_a_plan_by_words_or_by_id_and_the_id_stays(down: str) -> None:
    assert by_id(complete_task(down, "sow"))["sow"].done
    assert by_id(complete_task(down, "Clear"))["clear"].done
    assert by_id(block_task(down, "dig", "frost"))["dig"].blocked == "frost"
    assert "  > 2026-11-22 sulla: soon\n" in comment_task(down, "sow", "sulla", "2026-11-22", "soon")
    with pytest.raises(Conflict, match="already"):
        add_task(down, "Sow")


def test_another_plan_replaces_what_was_not_begun_and_keeps_what_somebody_wrote(down: str) -> None:
    was = comment_task(complete_task(down, "clear"), "dig", "sulla", "2026-11-22", "half of it")
    now = put_down(was, (PlannedTask("clear", "Clear the paths"), PlannedTask("water", "Water", ("clear",))))
    lines = now.splitlines()
    assert "- [x] Clear the beds" in lines  # done, and no task of this plan
    assert "- [ ] Clear the paths (id: clear)" in lines
    assert "- [ ] Water (id: water; after: clear)" in lines
    assert "- [ ] Dig (id: dig; after: clear)" in lines  # has remarks
    assert "sow" not in by_id(now)


def test_the_same_plan_begun_anew_is_open_again(down: str) -> None:
    ended = mark_task(mark_task(complete_task(down, "clear"), "dig", "failed", "x"), "sow", "blocked", "waits for dig")
    assert put_down(ended, ROWS) == down


def test_tasks_whose_turn_has_not_come_are_not_open(down: str) -> None:
    assert [task.id for task in read_project(down).open_tasks] == ["clear"]
    one_done = complete_task(down, "clear")
    assert [task.id for task in read_project(one_done).open_tasks] == ["dig"]
    for state in ("in_progress", "failed"):
        assert read_project(mark_task(one_done, "dig", state, "x")).open_tasks == ()


def test_while_a_run_works_on_the_plan_its_tasks_are_not_open_to_others(down: str) -> None:
    mine = add_task(down, "Buy a spade")
    held = set_field(set_field(mine, "status", "in_progress"), "run", "thr_1")
    assert [task.text for task in read_project(held).open_tasks] == ["Buy a spade"]
    assert [task.text for task in read_project(set_field(held, "status", "blocked")).open_tasks] == [
        "Clear the beds",
        "Buy a spade",
    ]


@pytest.mark.parametrize(
    "line", ["Dig (in progress)", "Dig (failed: frost)", "Dig (id: a-b)", "Dig (id: )", "Dig (id: a; before: b)"]
)
def test_what_people_wrote_before_there_were_plans_is_words(line: str) -> None:
    (task,) = read_project(f"- [ ] {line}\n").tasks
    assert (task.text, task.id, task.state) == (line, "", "pending")


def test_as_many_tasks_as_there_may_be_are_not_exceeded() -> None:
    full = "".join(f"- [ ] task {n}\n" for n in range(MOST_TASKS))
    with pytest.raises(InvalidInput, match="take out what is done"):
        put_down(full, ROWS)


def test_a_file_that_ends_in_code_is_left_alone() -> None:
    with pytest.raises(Conflict, match="code fence"):
        put_down("# A\n\n```\n", ROWS)


_WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30).map(str.strip) | (
    st.sampled_from(["a (blocked: b)", "(id: x)", "a (failed: y)", "a (in progress)", "[ ] a", "- [x] b", "## c"])
)


@settings(max_examples=150)
@given(
    st.lists(_WORDS.filter(bool), min_size=1, max_size=5, unique=True), st.sampled_from(["failed", "blocked"]), _WORDS
)
def test_whatever_a_plan_is_worded_like_it_is_found_by_its_ids(words: list[str], state: TaskState, why: str) -> None:
    rows = [PlannedTask(f"t{n}", text, tuple(f"t{m}" for m in range(n))) for n, text in enumerate(words)]
    text = put_down(GARDEN, rows)
    for row in rows:
        text = mark_task(text, row.id, state, why)
    found = by_id(text)
    assert set(found) == {row.id for row in rows}
    assert all(found[row.id].after == row.after and found[row.id].state == state for row in rows)
    assert text.endswith("\n## Notes\n\nOurs.\n")
