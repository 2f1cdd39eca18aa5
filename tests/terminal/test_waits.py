"""What people have to tell a conversation and its sub-agents."""

from __future__ import annotations

from typing import Any

from sulla.terminal.flow_lines import Branches
from sulla.terminal.waits import Waits

Event = dict[str, Any]


def event(type_: str, thread: str = "thr_1", **data: Any) -> Event:
    return {"type": type_, "thread_id": thread, "agent": "reader", "data": data}


def wait(id_: str) -> dict[str, str]:
    return {"wait_id": id_, "prompt": "May it?", "tool": "bash"}


def test_a_question_is_asked_until_somebody_answers_it() -> None:
    waits = Waits()
    waits.take(event("SUSPENDED", waits=[wait("approval:a"), wait("child:b")]), own=True)
    assert [(one.id, one.tool, one.thread_id, one.agent) for one in waits.asked.values()] == [
        ("approval:a", "bash", "thr_1", "")
    ]
    waits.take(event("ANSWER", wait_id="approval:a"), own=True)
    assert waits.asked == {}


def test_a_sub_agents_question_says_whose_it_is_and_is_gone_with_its_end() -> None:
    waits = Waits()
    assert waits.take(event("CHILD_STARTED", id="c", thread_id="thr_2"), own=True) == "thr_2"
    waits.take(event("SUSPENDED", "thr_2", waits=[wait("approval:a")]), own=False)
    assert [(one.thread_id, one.agent) for one in waits.asked.values()] == [("thr_2", "reader")]
    waits.take(event("RUN_FINISHED"), own=True)
    assert waits.asked != {}
    waits.take(event("RUN_FINISHED", "thr_2"), own=False)
    assert waits.asked == {}


def test_what_was_answered_here_is_not_asked_again() -> None:
    waits = Waits()
    waits.told.add("approval:a")
    waits.take(event("SUSPENDED", waits=[wait("approval:a"), wait("approval:b")]), own=True)
    assert list(waits.asked) == ["approval:b"]


def test_questions_that_are_asked_together_are_counted() -> None:
    waits = Waits()
    waits.take(event("SUSPENDED", waits=[wait("approval:a"), wait("approval:b"), wait("approval:c")]), own=True)
    assert waits.place(3) == (1, 3)
    waits.answered = 1
    waits.take(event("ANSWER", wait_id="approval:a"), own=True)
    waits.take(event("SUSPENDED", waits=[wait("approval:b"), wait("approval:c")]), own=True)
    assert waits.place(2) == (2, 3)
    waits.asked.clear()
    waits.take(event("SUSPENDED", waits=[wait("approval:d")]), own=True)
    assert waits.place(1) == (1, 1)


def test_a_playbook_that_was_begun_here_asks_under_its_name_until_it_ends() -> None:
    waits = Waits()
    waits.take(event("PLAYBOOK_BEGAN", name="week") | {"data": {"thread_id": "thr_2", "name": "week"}}, own=True)
    assert list(waits.plays) == ["thr_2"]
    waits.take(event("SUSPENDED", "thr_2", waits=[wait("human:a")]), own=False)
    assert [(one.thread_id, one.agent) for one in waits.asked.values()] == [("thr_2", "the playbook week")]
    waits.take(event("PLAYBOOK_ENDED") | {"data": {"thread_id": "thr_2"}}, own=True)
    assert waits.plays == {}


def test_where_several_agents_speak_a_question_says_who_asks() -> None:
    waits = Waits()
    waits.take(event("AGENT_ROUTED"), own=True)
    waits.take(event("SUSPENDED", waits=[wait("approval:a")]), own=True)
    assert [one.agent for one in waits.asked.values()] == ["reader"]


def test_branches_of_a_flow_that_ask_are_told_apart_and_known_to_work_until_they_rest() -> None:
    waits = Waits()
    for thread, task in (("thr_2", "simple"), ("thr_3", "simple"), ("thr_4", "plan")):
        waits.take(event("CHILD_STARTED", id=f"flow_{thread}", thread_id=thread, task=task), own=True)
    waits.take(event("CHILD_STARTED", id="sub_5", thread_id="thr_5", task="reads"), own=True)
    for thread in ("thr_2", "thr_3"):
        waits.take(event("SUSPENDED", thread, waits=[wait(f"approval:{thread}")]), own=False)
    assert [one.agent for one in waits.asked.values()] == ["reader (simple)", "reader (simple, no. 2)"]
    assert waits.branches.at_work == {"thr_4"}
    waits.take(event("RUN_FINISHED", "thr_4"), own=False)
    assert waits.branches.at_work == set()
    waits.take(event("RESUMED", "thr_2"), own=False)
    assert waits.branches.at_work == {"thr_2"}
    waits.take(event("RUN_FINISHED"), own=True)
    assert waits.branches == Branches()
