from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sulla.core.ids import CallId
from sulla.core.words import Author
from sulla.playbooks.machine.moves import MoveNote
from sulla.playbooks.machine.records import NOTHING, Failure, Spent
from sulla.playbooks.run.heard import (
    AttemptFailed,
    CallApproved,
    CallRepeated,
    Heard,
    MoveDone,
    StepDone,
    heard_of_agent,
    heard_of_call,
    heard_of_person,
    heard_of_play,
    heard_of_work,
)
from sulla.threads.log.family import Report
from sulla.threads.log.records import Answer
from sulla.threads.log.waits import Wait

APPROVAL = Wait("approval:1", CallId("call_1"), "May I?", digest="d1", expires_ms=2_000)
REVIEW = Wait("review:call_1:1", CallId("call_1"), "Nobody knows.")


def failure(heard: Heard) -> Failure:
    assert isinstance(heard, AttemptFailed), heard
    return heard.failure


# ----------------------------------------------------------------------------------------- a conversation's agent


def test_what_an_agent_answers_is_read_as_json_and_charged() -> None:
    report = Report("done", tokens=7, cost_micro=3, tainted=True)
    heard = heard_of_agent(Answer("ask:1", '{"verdict": "go"}', origin="agent", report=report))
    assert heard == MoveDone(MoveNote("agent", {"verdict": "go"}), Author.TAINTED_AGENT, Spent(7, 3))


def test_an_agent_that_does_not_answer_has_failed_and_is_charged() -> None:
    heard = heard_of_agent(Answer("ask:1", "limit_tokens", is_error=True, report=Report("failed", tokens=9)))
    assert isinstance(heard, AttemptFailed)
    assert (heard.failure.kind, heard.failure.reason, heard.spent) == ("llm_error", "no_answer", Spent(9))
    assert "limit_tokens" in heard.failure.message


@pytest.mark.parametrize("why", ["stopped", "interrupted", "deleted"])
def test_an_agent_whose_turn_a_person_ended_is_asked_again_later(why: str) -> None:
    assert failure(heard_of_agent(Answer("ask:1", why, is_error=True))).kind == "transient"


# ------------------------------------------------------------------------------------------------- agents at work


def test_what_an_agent_at_work_says_is_its_result() -> None:
    heard = heard_of_work(Answer("child:1", "Done.", origin="child", report=Report("done", tokens=5)))
    assert heard == MoveDone(MoveNote("work", "Done."), Author.AGENT, Spent(5))


def test_a_result_that_is_json_stays_text_until_somebody_asks_for_json() -> None:
    heard = heard_of_work(Answer("child:1", "3", report=Report("done")))
    assert heard == MoveDone(MoveNote("work", "3"), Author.AGENT)


def test_a_tainted_result_stays_so() -> None:
    heard = heard_of_work(Answer("child:1", "x", report=Report("done", tainted=True)))
    assert isinstance(heard, MoveDone)
    assert heard.by.tainted


def test_an_agent_that_is_blocked_says_why_and_what_it_needs_and_is_not_tried_again() -> None:
    report = Report("blocked", blocker_reason="no key", unblock_requirements="the key", tokens=4)
    heard = heard_of_work(Answer("child:1", "", report=report))
    assert heard == AttemptFailed(Failure("permanent", "blocked", "no key It needs: the key"), Author.AGENT, Spent(4))


def test_one_that_is_blocked_and_says_nothing_gives_a_reason_all_the_same() -> None:
    assert failure(heard_of_work(Answer("child:1", "", report=Report("blocked")))).message == "it did not say why"


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("provider_transient", "permanent"),
        ("provider_unreachable", "permanent"),
        ("provider_protocol", "permanent"),
        ("crashed_repeatedly", "transient"),
        ("context_too_long", "context_limit"),
        ("tool_error", "tool_error"),
        ("stopped", "human_rejected"),
        ("interrupted", "human_rejected"),
        ("provider_unauthorized", "permanent"),
        ("provider_key_missing", "permanent"),
        ("limit_tokens", "permanent"),
        ("limit_anything", "permanent"),
        ("", "llm_error"),
        ("something_new", "llm_error"),
    ],
)
def test_what_may_be_done_about_a_failure_follows_from_its_reason(reason: str, kind: str) -> None:
    told = failure(heard_of_work(Answer("child:1", "said", report=Report("failed", reason))))
    assert (told.kind, told.reason) == (kind, reason or "failed")
    assert told.message == "said"


def test_a_child_without_a_report_has_failed() -> None:
    assert failure(heard_of_work(Answer("child:1", "?"))).reason == "no_report"


def test_what_another_playbook_gives_back_is_a_value() -> None:
    heard = heard_of_play(Answer("child:1", '{"said": [1]}', report=Report("done", tokens=5, tainted=True)), "inner")
    assert heard == StepDone({"said": [1]}, Author.TAINTED_AGENT, Spent(5))


@pytest.mark.parametrize(
    ("report", "kind", "why"),
    [
        (Report("failed", "upstream", "step 'odd' failed: 9 is odd"), "permanent", "step 'odd' failed: 9 is odd"),
        (Report("failed", "limit_tokens", "used up"), "permanent", "used up"),
        (Report("cancelled", "cancelled"), "permanent", "it was cancelled"),
        (Report("failed", "crashed_repeatedly", "three times"), "transient", "three times"),
    ],
)
def test_another_playbook_that_failed_is_a_failure_that_names_it(report: Report, kind: Any, why: str) -> None:
    heard = heard_of_play(Answer("child:1", "", report=replace(report, tokens=5)), "half")
    expected = Failure(kind, "playbook", f"the playbook 'half' failed: {why}")
    assert heard == AttemptFailed(expected, Author.AGENT, Spent(5))


# ---------------------------------------------------------------------------------------------------------- people


@pytest.mark.parametrize(("verdict", "value"), [("approve", True), ("always", True), ("reject", False)])
def test_a_verdict_of_a_person_is_yes_or_no(verdict: Any, value: bool) -> None:
    assert heard_of_person(Answer("human:1", "whatever", verdict)) == MoveDone(MoveNote("person", value), Author.PERSON)


def test_the_words_of_a_person_are_taken_as_they_are() -> None:
    assert heard_of_person(Answer("answer:1", " 12 ")) == MoveDone(MoveNote("person", " 12 "), Author.PERSON)


def test_a_person_who_gives_a_step_up_ends_it() -> None:
    assert failure(heard_of_person(Answer("human:1", "", "give_up"))) == Failure(
        "human_rejected", "given_up", "given up by a person"
    )
    assert failure(heard_of_person(Answer("human:1", "too late", "give_up"))).message == "too late"


# ----------------------------------------------------------------------------------------------------------- calls


@pytest.mark.parametrize(("verdict", "always"), [("approve", False), ("always", True)])
def test_a_call_that_is_allowed_in_time_may_be_made(verdict: Any, always: bool) -> None:
    assert heard_of_call(APPROVAL, Answer("approval:1", "", verdict), 1_999) == CallApproved(always)


@pytest.mark.parametrize("verdict", ["approve", "always"])
def test_a_yes_that_comes_too_late_is_a_no(verdict: Any) -> None:
    assert failure(heard_of_call(APPROVAL, Answer("approval:1", "", verdict), 2_001)).reason == "rejected"


@pytest.mark.parametrize("answer", [None, Answer("approval:1", "", "reject"), Answer("approval:1", "yes")])
def test_silence_a_no_and_words_allow_nothing(answer: Answer | None) -> None:
    told = failure(heard_of_call(APPROVAL, answer, 1))
    assert (told.kind, told.reason) == ("human_rejected", "rejected")


@pytest.mark.parametrize("verdict", ["run_again", "give_up", "result"])
def test_an_answer_to_another_kind_of_question_allows_nothing(verdict: Any) -> None:
    assert failure(heard_of_call(APPROVAL, Answer("approval:1", "", verdict), 1)).reason == "rejected"


def test_why_a_person_said_no_is_told() -> None:
    assert "not today" in failure(heard_of_call(APPROVAL, Answer("approval:1", "not today", "reject"), 1)).message


def test_a_review_has_a_call_made_again() -> None:
    assert heard_of_call(REVIEW, Answer("review", "", "run_again"), 1) == CallRepeated()


def test_a_review_says_what_the_call_came_to() -> None:
    assert heard_of_call(REVIEW, Answer("review", "it was sent"), 1) == StepDone("it was sent", Author.PERSON, NOTHING)


def test_a_review_gives_the_call_up() -> None:
    told = failure(heard_of_call(REVIEW, Answer("review", "", "give_up"), 1))
    assert (told.kind, told.reason) == ("human_rejected", "given_up")
    assert "nobody knows" in told.message


def test_a_review_says_that_the_call_failed() -> None:
    told = failure(heard_of_call(REVIEW, Answer("review", "it bounced", is_error=True), 1))
    assert told == Failure("permanent", "tool", "it bounced")
