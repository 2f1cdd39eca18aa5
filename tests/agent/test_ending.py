"""What closes a run leaves a conversation that can go on, and says of each call what is known of it."""

from __future__ import annotations

from typing import Literal

import pytest

from sulla.agent.ending import WalkCut, close_run
from sulla.core.ids import CallId, MessageId
from sulla.core.message import ToolCall
from sulla.threads.log.records import RunFinished, TextMessageEnd, ToolCallResult, ToolCallStart
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
