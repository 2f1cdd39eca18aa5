"""What people are told in a conversation comes of one of its runs, or of a playbook's; the judge takes nobody else. And
a model's call that was refused, or reached nobody, is charged to nobody: the judge knows that too.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import CallId, MessageId, RunId
from sulla.people.slice import Notice
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.threads.log.records import ModelAbandoned, ModelStarted, RunStarted
from tests.doubles.play_world import PlayWorld
from tests.simulation.history import History, ThreadHistory, breaches
from tests.simulation.test_history import good, numbered, place

REST = "name: rest\nsteps:\n  - {id: ok, wait: 1s}\n"


@pytest.mark.parametrize(("whose", "found"), [("playbook", []), ("nobody", ["accounts"])])
async def test_a_notice_is_of_a_run_here_or_of_a_playbook(whose: str, found: list[str]) -> None:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    world = PlayWorld(store, ScriptedProvider(), {"rest": REST}, clock=clock)
    talk, play = await world.thread(), await world.run_play("rest")
    (started,) = [entry for entry in await world.log(play) if isinstance(entry.fact, RunStarted)]
    run_id = started.origin.run_id if whose == "playbook" else RunId("run_of_nobody")
    await world.threads.tell(talk, Notice("Hello."), "key", run_id)
    await clock.advance(1.0)
    await world.work()
    threads = [ThreadHistory(one, tuple(await world.log(one))) for one in (talk, play)]
    assert [breach.rule for breach in breaches(History(tuple(threads)))] == found


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
