"""A thread's checkpoint gives back where its run stands: whoever takes it up counts on, and does not begin anew."""

from __future__ import annotations

from dataclasses import fields

import pytest

from sulla.core.ids import CallId, MessageId, NodeId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.head import from_head, to_head
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import Birth
from sulla.threads.log.records import Input, Outcome, RunFinished, RunStarted, Suspended, ThreadCreated
from sulla.threads.log.state import ThreadState, ThreadWalk
from sulla.threads.log.waits import Wait

BIRTH = Birth("kid", "call", ThreadId("parent"), RunId("asks"), ThreadId("parent"), 1)
STANDS = {
    "node": NodeId("agent"),
    "iterations": 31,
    "consecutive_same_node": 29,
    "cycle_complete": True,
    "lead": "sulla",
    "behalf": "sulla",
    "urgent": True,
}


def at_work(birth: Birth | None = None) -> ThreadState:
    state = THREAD_SCHEMA.new(ThreadId("thr"))
    THREAD_SCHEMA.offer(state, ThreadCreated("sulla", birth=birth), 1, Origin(1))
    THREAD_SCHEMA.offer(state, Input(MessageId("m"), "go"), 2, Origin(2, RunId("run")))
    THREAD_SCHEMA.decide(state, RunStarted(2, MessageId("m")), Origin(3, RunId("run")))
    return state


@pytest.mark.parametrize("name", STANDS)
def test_where_a_run_stands_in_its_graph_is_kept(name: str) -> None:
    state = at_work()
    setattr(state.walk, name, STANDS[name])
    found, _ = from_head(THREAD_SCHEMA, state.thread_id, to_head(THREAD_SCHEMA, state, 2, 1))
    assert getattr(found.walk, name) == STANDS[name]


@pytest.mark.parametrize("resting", [True, False])
def test_whether_a_run_waits_for_an_answer_follows_from_its_questions(*, resting: bool) -> None:
    state = at_work()
    waits = (Wait("w", CallId("c"), "Who?"),) if resting else ()
    THREAD_SCHEMA.decide(state, Suspended(waits, resting), Origin(4, RunId("run")))
    found, _ = from_head(THREAD_SCHEMA, state.thread_id, to_head(THREAD_SCHEMA, state, 2, 1))
    assert found.walk.waiting_for_user is state.walk.waiting_for_user is resting


@pytest.mark.parametrize("owed", [True, False])
def test_the_words_of_an_outcome_are_kept_for_as_long_as_somebody_is_to_be_told_them(*, owed: bool) -> None:
    state = at_work(BIRTH if owed else None)
    said = Outcome("blocked", blocker_reason="no key", unblock_requirements="a key")
    THREAD_SCHEMA.decide(state, RunFinished(RunId("run"), said), Origin(4, RunId("run")))
    found, _ = from_head(THREAD_SCHEMA, state.thread_id, to_head(THREAD_SCHEMA, state, 2, 1))
    assert found.newest.outcome.status == "blocked"
    assert (found.newest.outcome.blocker_reason == "no key") is owed


def test_nothing_of_it_is_left_out_here_but_what_follows_from_the_run() -> None:
    assert {field.name for field in fields(ThreadWalk)} == STANDS.keys() | {"waiting_for_user"}
