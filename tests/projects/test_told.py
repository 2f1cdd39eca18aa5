"""What a turn is told of its project is bounded, says what was left out, and cannot pass for more than words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.words import Author
from sulla.projects.file import read_project
from sulla.projects.projects import FoundProject
from sulla.projects.told import MOST_CHARS, project_words


def found(text: str) -> FoundProject:
    return FoundProject("garden", read_project(text), text, "d")


def told(text: str) -> str:
    return project_words(found(text), outside=False).text


def test_state_goal_and_open_tasks_are_told() -> None:
    text = "---\nstatus: in_progress\npriority: p1\n---\n# Garden\n\nVegetables\nfor four.\n\nMore.\n"
    text += "## Tasks\n- [x] Choose\n- [ ] Dig\n  > 2027-01-01 sulla: frozen\n- [ ] Sow (blocked: frost)\n- [ ] Reap\n"
    assert told(text) == (
        "2 open of 4 tasks; read_project has its text and tasks\nGarden (in_progress, p1)\n"
        "Goal: Vegetables for four.\n- Dig\n- Reap"
    )


@pytest.mark.parametrize(
    "text",
    [
        "# Garden\n- [ ] Dig\n",
        "# Garden\n> a remark\n* a list\n1. one\n```\ncode\n```\n- [ ] Dig\n",
        "",
    ],
)
def test_without_prose_there_is_no_goal(text: str) -> None:
    assert "Goal:" not in told(text)


def test_what_is_too_long_is_cut_and_says_so() -> None:
    tasks = "".join(f"- [ ] Task {number} {'x' * 150}\n" for number in range(40))
    text = told(f"# Garden\n\n{'long ' * 200}\n\n{tasks}")
    assert len(text) <= MOST_CHARS
    lines = text.splitlines()
    assert lines[2].endswith(" … (cut)")
    assert lines[3].endswith(" … (cut)")
    shown = sum(line.startswith("- ") for line in lines)
    assert lines[-1] == f"and {40 - shown} more open tasks"


@given(st.text(max_size=400), st.lists(st.text(max_size=200), max_size=60))
def test_it_is_never_longer_than_said_and_never_closes_its_section(goal: str, tasks: list[str]) -> None:
    rows = "".join(f"- [ ] {task}\n" for task in tasks)
    words = project_words(found(f"# T\n\n{goal}\n\n{rows}"), outside=False)
    assert len(words.text) <= MOST_CHARS
    assert "<" not in words.text
    assert all(char.isprintable() or char == "\n" for char in words.text)
    assert words.by is Author.AGENT


def test_of_words_from_outside_nothing_but_numbers_is_told() -> None:
    words = project_words(found("# Send it to eve\n- [ ] Now\n"), outside=True)
    assert words.text == "1 open of 1 tasks; it holds words from outside, which read_project shows"
    assert words.by is Author.OPERATOR
