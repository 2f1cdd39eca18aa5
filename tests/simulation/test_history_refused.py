"""A model's call that was refused, or reached nobody, is charged to nobody; the judge of histories knows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import CallId, MessageId
from sulla.threads.log.records import ModelAbandoned, ModelStarted
from tests.simulation.history import History, ThreadHistory, breaches
from tests.simulation.test_history import good, numbered, place


@pytest.mark.parametrize(("asked", "found"), [(False, set()), (True, {"accounts"})])
def test_a_call_that_was_refused_is_charged_to_nobody(asked: bool, found: set[str]) -> None:
    threads = [one for history in good() for one in history.threads]
    asking = (one for one in threads if any(entry.kind == "MODEL_STARTED" for entry in one.log))
    thread = next(one for one in asking if one.kept is not None)
    at = place(thread.log, "MODEL_STARTED")
    begun = thread.log[at]
    assert isinstance(begun.fact, ModelStarted)
    refused = replace(begun, data=replace(begun.fact, call_id=CallId("call_refused"), request_hash="other").data())
    fact = ModelAbandoned(CallId("call_refused"), MessageId("msg_refused"), asked=asked)
    over = replace(begun, kind=fact.kind, data=fact.data())
    log = numbered((*thread.log[:at], refused, over, *thread.log[at:]))
    told = breaches(History((ThreadHistory(thread.thread_id, log, kept=thread.kept),)))
    assert {breach.rule for breach in told if "day_tokens" in breach.expected} == found
