"""What closes a run leaves a conversation that can go on, and says of each call what is known of it."""

from __future__ import annotations

from typing import Literal

import pytest

from sulla.agent.ending import DROPPED, WalkCut, close_run, stop_records
from sulla.core.ids import CallId, MessageId
from sulla.core.message import ToolCall
from sulla.threads.log.records import (
    Answer,
    Input,
    InputIgnored,
    ModelStarted,
    Resumed,
    RunFinished,
    StopAsked,
    Stopped,
    Suspended,
    TextMessageEnd,
    ToolCallResult,
    ToolCallStart,
)
from sulla.threads.log.usage import Usage
from sulla.threads.log.waits import Wait
from sulla.threads.next_task import StopRun
from tests.threads.log.kept_log import Log

CALL = ToolCall(CallId("c"), "pay", {})


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ("once", "The turn was stopped before this call had a result. Nobody knows whether it took effect."),
        ("idempotent", "The turn was stopped before this call had a result."),
        ("pure", "The turn was stopped before this call had a result."),
    ],
)
def test_of_a_call_that_may_have_run_and_must_not_run_twice_that_is_said(
    effect: Literal["once", "idempotent", "pure"], said: str
) -> None:
    log = Log()
    log.start(log.say())
    log.decide(
        TextMessageEnd(CallId("model"), MessageId("reply"), "", (CALL,)),
        ToolCallStart(CALL.id, CALL.name, CALL.args, MessageId("reply"), effect),
    )
    assert log.state.run is not None
    result, end = close_run(log.state, log.state.run, WalkCut("stopped"), "", 1)
    assert isinstance(result, ToolCallResult)
    assert (result.call_id, result.text, result.is_error) == (CALL.id, said, True)
    assert isinstance(end, RunFinished)
    assert (end.outcome.status, end.outcome.reason) == ("cancelled", "stopped")


@pytest.mark.parametrize("answered", [False, True], ids=["asked", "allowed"])
def test_of_a_call_that_a_person_was_only_asked_about_it_is_said_that_it_was_not_made(answered: bool) -> None:
    log = Log()
    log.start(log.say())
    log.decide(
        TextMessageEnd(CallId("model"), MessageId("reply"), "", (CALL,)),
        ToolCallStart(CALL.id, CALL.name, CALL.args, MessageId("reply"), "once"),
        Suspended((Wait("approval:c", CALL.id, "May pay be called?", digest="d"),)),
    )
    if answered:
        seq = log.offer(Answer("approval:c", "", "approve"))
        log.decide(Resumed("answered", "approval:c", seq))
    assert log.state.run is not None
    result, _ = close_run(log.state, log.state.run, WalkCut("stopped"), "", 1)
    assert isinstance(result, ToolCallResult)
    assert result.text == "The turn was stopped before this call was made."


@pytest.mark.parametrize("shown", ["", "Once upon"])
def test_a_run_that_is_cut_counts_what_was_set_aside_for_the_call_that_was_cut_off(shown: str) -> None:
    log = Log()
    log.start(log.say())
    log.decide(
        ModelStarted(CallId("a"), MessageId("one"), 1, "h", 300),
        TextMessageEnd(CallId("a"), MessageId("one"), "", (CALL,), usage=Usage(100, 20)),
        ModelStarted(CallId("b"), MessageId("two"), 1, "h", 500),
    )
    assert log.state.run is not None
    *_, end = close_run(log.state, log.state.run, WalkCut("stopped"), shown, 1)
    assert isinstance(end, RunFinished)
    assert (end.usage.total, end.counted) == (620, 620)


@pytest.mark.parametrize("shown", ["", "Once upon"])
def test_a_run_that_is_cut_in_mid_call_counts_what_was_sent_and_what_had_come_of_the_reply(shown: str) -> None:
    log = Log()
    log.start(log.say())
    log.decide(ModelStarted(CallId("a"), MessageId("one"), 1, "h", 8500, 1700, reply_tokens=8000))
    assert log.state.run is not None
    reply, end = closed = close_run(log.state, log.state.run, WalkCut("stopped"), shown, 1, 12)
    assert isinstance(end, RunFinished)
    taken = Usage(500, 12, cost_micro=103)
    assert (getattr(reply, "usage", None), end.usage, end.counted) == (taken, taken, 512)
    log.decide(*closed)
    assert log.state.spending.day_tokens == 512
    assert log.state.spending.usage == taken


def test_of_a_reply_in_flight_no_more_is_counted_than_was_set_aside_for_it() -> None:
    log = Log()
    log.start(log.say())
    log.decide(ModelStarted(CallId("a"), MessageId("one"), 1, "h", 300, reply_tokens=100))
    assert log.state.run is not None
    *_, end = close_run(log.state, log.state.run, WalkCut("stopped"), "", 1, 5_000)
    assert isinstance(end, RunFinished)
    assert end.counted == 300


def test_a_stop_drops_what_was_said_before_it_if_that_is_asked_for_and_never_what_playbooks_tell() -> None:
    log = Log()
    first, second = log.say(), log.say()
    told = log.offer(Input(MessageId("told"), "It is done.", origin="playbook"))
    stop = log.offer(StopAsked(drop=True))
    later = log.say()
    held = stop_records(log.state, StopRun(stop, cancels_run=False))
    assert held == [Stopped(stop)]
    dropped = stop_records(log.state, StopRun(stop, cancels_run=False, drop=True))
    assert [one.input_seq for one in dropped if isinstance(one, InputIgnored)] == [first, second]
    ended = [one for one in dropped if isinstance(one, RunFinished)]
    assert {(one.outcome.status, one.outcome.reason) for one in ended} == {("cancelled", DROPPED)}
    log.decide(*dropped)
    assert sorted(log.state.inbox.waiting) == [told, later]


@pytest.mark.parametrize("native", [False, True])
def test_a_reply_that_is_cut_off_is_from_outside_where_the_service_may_have_used_tools_of_its_own(native: bool) -> None:
    log = Log()
    log.start(log.say())
    log.decide(ModelStarted(CallId("model"), MessageId("reply"), native=native))
    assert log.state.run is not None
    reply, _ = close_run(log.state, log.state.run, WalkCut("stopped"), "Once upon", 1)
    assert isinstance(reply, TextMessageEnd)
    assert (reply.text, reply.tainted) == ("Once upon", native)
