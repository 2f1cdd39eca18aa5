"""A thread's checkpoint gives back where its run stands: whoever takes it up counts on, and does not begin anew."""

from __future__ import annotations

from dataclasses import fields

import pytest

from sulla.core.ids import MessageId, NodeId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.head import from_head, to_head
from sulla.threads.log.codec import Origin
from sulla.threads.log.facts import Input, RunStarted, ThreadCreated
from sulla.threads.log.state import ThreadState, ThreadWalk

STANDS = {"node": NodeId("agent"), "iterations": 31, "consecutive_same_node": 29, "cycle_complete": True}


def at_work() -> ThreadState:
    state = THREAD_SCHEMA.new(ThreadId("thr"))
    THREAD_SCHEMA.offer(state, ThreadCreated("sulla"), 1, Origin(1))
    THREAD_SCHEMA.offer(state, Input(MessageId("m"), "go"), 2, Origin(2, RunId("run")))
    THREAD_SCHEMA.decide(state, RunStarted(2, MessageId("m")), Origin(3, RunId("run")))
    return state


@pytest.mark.parametrize("name", STANDS)
def test_where_a_run_stands_in_its_graph_is_kept(name: str) -> None:
    state = at_work()
    setattr(state.walk, name, STANDS[name])
    found, _ = from_head(THREAD_SCHEMA, state.thread_id, to_head(THREAD_SCHEMA, state, 2, 1))
    assert getattr(found.walk, name) == STANDS[name]


def test_nothing_of_it_is_left_out_here_but_what_follows_from_the_run() -> None:
    assert {field.name for field in fields(ThreadWalk)} == STANDS.keys() | {"waiting_for_user"}
