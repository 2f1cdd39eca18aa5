"""Who is removed tells those who wait for it, or work for it, and nobody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.playbooks.records import PlaybookEnded, PlayState, PlayStatus
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.playbooks.thread_kind import PLAYBOOK_THREAD
from sulla.threads.leaving import DELETED, last_words
from sulla.threads.log.family import Birth, ChildStarted, Report
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.kind import CONVERSATION
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage, RunQuestion
from sulla.threads.log.plays import OwedAnswer, Question
from sulla.threads.log.records import Answer, StopAsked
from sulla.threads.log.state import ModelContext, ThreadIdentity, ThreadState
from sulla.threads.log.transcript import Transcript

ME, TALK, WALK = ThreadId("me"), ThreadId("talk"), ThreadId("walk")
BIRTH = Birth("c1", "call", ThreadId("parent"), RunId("r0"), ThreadId("parent"), 1)
PLAY = PlayState("triage", "d1", thread=TALK, status="running")


def state(play: PlayState | None = None, birth: Birth | None = None) -> ThreadState:
    kind = PLAYBOOK_THREAD if play is not None else CONVERSATION
    slices: dict[str, object] = {PLAYBOOK_RUN.name: play} if play is not None else {}
    context, identity = ModelContext(Transcript(lambda message: 1)), ThreadIdentity(birth=birth)
    return ThreadState(ME, context, identity, kind, slices)


def question(wait_id: str) -> Question:
    return Question(WALK, wait_id, "reply", "say it", {"type": "object"})


def test_a_conversation_with_nothing_under_way_has_nothing_to_say() -> None:
    assert list(last_words(state())) == []


def test_a_child_reports_that_it_is_gone_and_its_own_children_are_told_to_end() -> None:
    child = state(birth=BIRTH)
    child.links.children["c2"] = ChildStarted("c2", ThreadId("thr_c2"), "sulla", "spawn", RunId("r1"))
    (to, report, _), stop = last_words(child)
    assert isinstance(report, Answer)
    assert report.report is not None
    assert (to, report.wait_id, report.report.status, report.report.reason) == (
        "parent",
        "child:c1",
        "cancelled",
        DELETED,
    )
    assert stop == (ThreadId("thr_c2"), StopAsked(), "cancel:c2")


@pytest.mark.parametrize(
    ("status", "failure", "told"),
    [("running", "", ("cancelled", DELETED)), ("completed", "", ("completed", "")), ("failed", "no", ("failed", "no"))],
)
def test_a_conversation_hears_that_its_playbook_is_gone_or_had_ended(
    status: PlayStatus, failure: str, told: tuple[str, str]
) -> None:
    (word,) = last_words(state(replace(PLAY, status=status, failure=failure)))
    assert word == (TALK, PlaybookEnded(ME, "triage", *told), "ended:me")


def test_of_a_playbook_nothing_is_said_to_whoever_knows_or_never_heard_of_it() -> None:
    assert list(last_words(state(replace(PLAY, status="failed", told=True)))) == []
    assert list(last_words(state(replace(PLAY, thread=ThreadId(""))))) == []
    assert list(last_words(state(replace(PLAY, status="transferred")))) == []
    step = state(PLAY, BIRTH)
    assert [to for to, *_ in last_words(step)] == ["parent"]


def test_whoever_asked_this_conversation_something_hears_what_was_answered_or_that_nobody_will() -> None:
    talk = state()
    talk.links.owes["ask:1"] = OwedAnswer(WALK, "ask:1", "{}", tokens=34, cost_micro=9, tainted=True)
    talk.inbox.waiting[4] = WaitingInput(
        4, RunId("r4"), MessageId("m4"), "?", "queue", "playbook", question=question("ask:4")
    )
    talk.inbox.waiting[5] = WaitingInput(5, RunId("r5"), MessageId("m5"), "hi", "queue")
    talk.run = OpenRun(RunId("r3"), RunMessage(3), RunCourse(0), asked=RunQuestion(question("ask:3")))
    words = {fact.wait_id: fact for to, fact, _ in last_words(talk) if isinstance(fact, Answer) and to == WALK}
    assert set(words) == {"ask:1", "ask:3", "ask:4"}
    assert words["ask:1"].report == Report("done", tokens=34, cost_micro=9, tainted=True)
    assert (words["ask:1"].text, words["ask:1"].is_error) == ("{}", False)
    for wait_id in ("ask:3", "ask:4"):
        assert (words[wait_id].text, words[wait_id].is_error) == (DELETED, True)
