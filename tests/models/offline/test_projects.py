"""The stand-in works a project's tasks off one by one, by the agent's ordinary tools."""

from __future__ import annotations

import pytest

from sulla.core.ids import CallId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolResult
from sulla.models.offline.projects import OfflineStep, PlannedEnd, next_step, project_of

TOOLS = frozenset({"read_project", "complete_project_task", "block_project_task", "write_file", "list_dir"})
READ = (
    "tour: A tour (active, p2), 2 open of 4 tasks, digest 0123456789abcdef\n"
    "1. Say hello [done]\n"
    "2. Ponder the sea [open]\n"
    "3. Write notes/a.md: Hello there [open]\n"
    "4. List files [open]\n---\ntitle: A tour\n---\n"
)


def said(text: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult(CallId("c"), text, is_error)


@pytest.mark.parametrize(
    ("request_", "project"),
    [
        ("work on tour", "tour"),
        ("Work on the project `Tour`.", "tour"),
        ("work on", ""),
        ("work on my house", ""),
        ("please work on tour and then rest", ""),
    ],
)
def test_what_is_a_request_to_work_on_a_project(request_: str, project: str) -> None:
    assert project_of(request_) == project


@pytest.mark.parametrize(
    ("results", "step"),
    [
        ([], OfflineStep("read_project", {"project": "tour"})),
        ([said(READ)], OfflineStep("write_file", {"path": "notes/a.md", "content": "Hello there"})),
        (
            [said(READ), said("Wrote notes/a.md")],
            OfflineStep("complete_project_task", {"project": "tour", "task": "Write notes/a.md: Hello there"}),
        ),
        (
            [said(READ), said("no\nspace", is_error=True)],
            OfflineStep(
                "block_project_task",
                {"project": "tour", "task": "Write notes/a.md: Hello there", "reason": "no space"},
            ),
        ),
    ],
)
def test_the_first_task_that_is_worded_like_a_request_is_done_and_ticked(
    results: list[ToolResult], step: OfflineStep
) -> None:
    assert next_step("tour", results, TOOLS) == step


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([said("no project 'tour'", is_error=True)], "cannot be read"),
        ([said("tour: A tour\n1. Ponder [open]\n2. List files [done]\n")], "No open task"),
        ([said(READ), said("Wrote"), said("Done")], "is done: Write notes/a.md"),
        ([said(READ), said("no", is_error=True), said("Blocked")], "is in trouble: Write notes/a.md"),
        ([said(READ), said("Wrote"), said("changed", is_error=True)], "not written down: changed"),
    ],
)
def test_it_ends_by_saying_what_came_of_it(results: list[ToolResult], words: str) -> None:
    ended = next_step("tour", results, TOOLS)
    assert isinstance(ended, PlannedEnd)
    assert words in ended.said


def test_a_task_for_a_tool_that_there_is_not_is_passed_over() -> None:
    args: JsonObject = {"path": "."}
    assert next_step("tour", [said(READ)], TOOLS - {"write_file"}) == OfflineStep("list_dir", args)
