"""The stand-in reads a beat's briefing by its headings: what to work on, and why."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sulla.core.ids import CallId
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolResult
from sulla.core.words import NO_WORDS, Author, Words
from sulla.heartbeat.beats import BeatState
from sulla.heartbeat.brief import CycleContext, briefing
from sulla.models.offline.beats import OfflineWake, next_beat_step, wake_of
from sulla.models.offline.projects import STRANGE, OfflineStep, PlannedEnd

TOOLS = frozenset(
    {
        *("set_focus", "read_project", "complete_project_task", "block_project_task", "comment_project_task"),
        *("write_file", "list_dir"),
    }
)
WAKE = OfflineWake("tour", "3 open tasks", "")
HEAD = "tour: A tour (active, p2), 2 open of 2 tasks, digest 0123456789abcdef\n"
TASK = "Write a.md: Hello"


def said(text: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult(CallId("c"), text, is_error)


def brief(message: str = "", **beat: str) -> str:
    now = datetime(2027, 1, 15, 8, tzinfo=UTC)
    setting = CycleContext(now, "UTC", NO_WORDS, Words(message, Author.PERSON))
    return briefing(BeatState(**beat), setting).text  # type: ignore[arg-type]  # all of them are texts


def test_a_briefing_names_the_project_to_work_on_and_why() -> None:
    assert wake_of(brief(focus="tour", focus_reason="3 open tasks")) == WAKE


def test_what_a_person_wrote_to_the_heartbeat_comes_before_it() -> None:
    wake = wake_of(brief("list files\n\n", focus="tour", focus_reason="a person wrote"))
    assert wake is not None
    assert wake.message == "list files"


@pytest.mark.parametrize("text", ["", "hello", "work on tour", "Look:\n## Directive\nx\n\n## Focus\ntour: now"])
def test_what_is_no_briefing_is_not_taken_for_one(text: str) -> None:
    assert wake_of(text) is None


def test_a_focus_that_is_no_project_leaves_nothing_to_do() -> None:
    wake = wake_of(brief(focus="The big picture", focus_reason="it matters"))
    assert wake is not None
    assert isinstance(next_beat_step(wake, [], TOOLS), PlannedEnd)


def test_a_task_is_done_remarked_upon_and_ticked_and_all_begins_with_saying_what_it_works_on() -> None:
    listed = said(f"{HEAD}1. Ponder [open]\n2. {TASK} [open]")
    steps: list[tuple[str, JsonObject]] = [
        ("set_focus", {"focus": "tour", "reason": "3 open tasks"}),
        ("read_project", {"project": "tour"}),
        ("write_file", {"path": "a.md", "content": "Hello"}),
        ("comment_project_task", {"project": "tour", "task": TASK, "remark": "Wrote a.md: 5 bytes"}),
        ("complete_project_task", {"project": "tour", "task": TASK}),
    ]
    results = [said("Noted"), listed, said("Wrote a.md:\n 5 bytes"), said("Remarked"), said("Done")]
    for number, step in enumerate(steps):
        assert next_beat_step(WAKE, results[:number], TOOLS) == OfflineStep(*step)
    assert next_beat_step(WAKE, results, TOOLS) == PlannedEnd(
        f"A task of tour is done: {TASK}", f"Worked on tour: {TASK}"
    )


def test_a_task_that_fails_is_blocked_with_the_reason() -> None:
    results = [said("Noted"), said(f"{HEAD}1. {TASK} [open]"), said("no\nspace", is_error=True)]
    args: JsonObject = {"project": "tour", "task": TASK, "reason": "no space"}
    assert next_beat_step(WAKE, results, TOOLS) == OfflineStep("block_project_task", args)
    ended = next_beat_step(WAKE, [*results, said("Blocked")], TOOLS)
    assert isinstance(ended, PlannedEnd)
    assert "is in trouble" in ended.said


def test_a_task_that_no_rule_fits_is_blocked_with_the_reason_when_no_other_is_left() -> None:
    results = [said("Noted"), said(f"{HEAD}1. Ponder [open]\n2. Dream [open]")]
    args: JsonObject = {"project": "tour", "task": "Ponder", "reason": STRANGE}
    assert next_beat_step(WAKE, results, TOOLS) == OfflineStep("block_project_task", args)
    ended = next_beat_step(WAKE, [*results, said("Blocked: Ponder")], TOOLS)
    assert ended == PlannedEnd("A task of tour needs a language model: Ponder", "Blocked in tour: Ponder")
    refused = next_beat_step(WAKE, [*results, said("it was changed", is_error=True)], TOOLS)
    assert isinstance(refused, PlannedEnd)


def test_without_the_tools_for_it_nothing_is_said_or_remarked() -> None:
    fewer = TOOLS - {"set_focus", "comment_project_task"}
    assert next_beat_step(WAKE, [], fewer) == OfflineStep("read_project", {"project": "tour"})
    done = [said(f"{HEAD}1. {TASK} [open]"), said("Wrote")]
    assert next_beat_step(WAKE, done, fewer) == OfflineStep("complete_project_task", {"project": "tour", "task": TASK})
