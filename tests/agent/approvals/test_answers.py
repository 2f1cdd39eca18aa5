"""What an answer, or none in time, is written down as."""

from __future__ import annotations

import pytest

from sulla.agent.approvals.answers import answered, overdue
from sulla.core.ids import CallId, MessageId, RunId
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage
from sulla.threads.log.records import Answer, Resumed, ToolCallResult
from sulla.threads.log.waits import Wait

ASKED = Wait("approval:1", CallId("c"), "May it?", "digest", 1_000)
SAYS = Answer(ASKED.wait_id, "", "approve")


def waiting() -> OpenRun:
    run = OpenRun(RunId("run"), RunMessage(1, MessageId("m"), "user", 0), RunCourse(0, 0), "sulla")
    run.waits = {ASKED.wait_id: ASKED}
    return run


@pytest.mark.parametrize(("at_ms", "reason"), [(1_000, "answered"), (1_001, "expired")])
def test_a_yes_is_good_until_its_question_runs_out_and_no_longer(at_ms: int, reason: str) -> None:
    resumed, *refused = answered(waiting(), 7, SAYS, at_ms)
    assert resumed == Resumed(reason, ASKED.wait_id, 7)  # type: ignore[arg-type]  # one of its words
    assert [type(fact) for fact in refused] == ([ToolCallResult] if reason == "expired" else [])


def test_a_question_runs_out_by_itself() -> None:
    assert overdue(waiting(), 999) == ()
    resumed, refused = overdue(waiting(), 1_000)
    assert resumed == Resumed("expired", ASKED.wait_id)
    assert isinstance(refused, ToolCallResult)
    assert refused.is_error
