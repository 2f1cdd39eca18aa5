"""What a thread owes to others is made up from its state alone, and noted in its own log."""

from __future__ import annotations

import pytest

from sulla.agent.subagents.deliveries import delivery_of
from sulla.core.errors import CorruptRecord
from sulla.core.ids import RunId, ThreadId
from sulla.playbooks.records import EndTold, PlaybookEnded, PlayState
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.playbooks.thread_kind import PLAYBOOK_THREAD
from sulla.threads.log.delivery import Owed
from sulla.threads.log.family import Birth, ChildCancelled, ChildReported, ChildStarted
from sulla.threads.log.plays import AnswerGiven, OwedAnswer
from sulla.threads.log.records import Answer, Input, Outcome, StopAsked
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript

ME, PARENT, TALK = ThreadId("me"), ThreadId("parent"), ThreadId("talk")


def state(birth: Birth | None = None) -> ThreadState:
    made = ThreadState(ME, ModelContext(Transcript(lambda message: 1)), ThreadIdentity(birth=birth))
    made.walk.cycle_complete, made.newest.outcome = True, Outcome("done", "all is well")
    return made


def test_a_child_owes_what_it_came_to() -> None:
    child = state(Birth("c1", "call", PARENT, RunId("r0"), PARENT, 1))
    (owed,) = child.outbox
    assert owed == Owed("report", PARENT, "c1")
    delivery = delivery_of(child, owed)
    ((answer, _),) = delivery.offers
    assert isinstance(answer, Answer)
    assert answer.report is not None
    assert (answer.wait_id, answer.text, answer.report.status) == ("child:c1", "all is well", "done")
    assert delivery.done(False) == ChildReported("c1", known=False)
    assert delivery.kept_first


def test_an_answer_is_owed_to_whoever_asked() -> None:
    talk = state()
    talk.links.owes["ask:1"] = OwedAnswer(PARENT, "ask:1", '{"reply":"green"}', tokens=34, cost_micro=9, tainted=True)
    (owed,) = talk.outbox
    delivery = delivery_of(talk, owed)
    ((answer, _),) = delivery.offers
    assert isinstance(answer, Answer)
    assert answer.report is not None
    assert (owed.to, answer.wait_id, answer.text, answer.is_error) == (PARENT, "ask:1", '{"reply":"green"}', False)
    assert (answer.report.tokens, answer.report.cost_micro, answer.report.tainted) == (34, 9, True)
    assert delivery.done(True) == AnswerGiven("ask:1")


def test_a_child_that_nobody_waits_for_is_told_to_end_and_nothing_is_written_before() -> None:
    talk = state()
    talk.links.children["c2"] = ChildStarted("c2", ThreadId("thr_c2"), "sulla", "spawn", RunId("r1"))
    (owed,) = talk.outbox
    delivery = delivery_of(talk, owed)
    assert (owed.to, delivery.offers) == ("thr_c2", ((StopAsked(), "cancel:c2"),))
    assert delivery.done(True) == delivery.done(False) == ChildCancelled("c2")
    assert not delivery.kept_first


@pytest.mark.parametrize("responded", [False, True])
def test_a_conversation_hears_of_the_end_of_its_playbook_in_a_message_unless_the_playbook_has_said_something(
    *, responded: bool
) -> None:
    walk = state()
    walk.kind = PLAYBOOK_THREAD
    run = PlayState("tea", "d1", thread=TALK, status="completed", ended_ms=7, responded=responded)
    PLAYBOOK_RUN.put(walk, run)
    (owed,) = walk.outbox
    delivery = delivery_of(walk, owed)
    (ended, key), *more = delivery.offers
    assert isinstance(ended, PlaybookEnded)
    assert (owed.to, ended.status, key) == (TALK, "completed", "ended:me:7")
    assert [type(fact) for fact, _ in more] == ([] if responded else [Input])
    assert delivery.done(True) == EndTold()


def test_what_is_not_owed_cannot_be_delivered() -> None:
    for owed in (Owed("report", PARENT, "c1"), Owed("answer", PARENT, "ask:1"), Owed("end", TALK, "me")):
        with pytest.raises(CorruptRecord, match=f"me: it owes {owed.to} no {owed.what}"):
            delivery_of(state(), owed)
