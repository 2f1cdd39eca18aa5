"""What people type at a question, and what is said where nobody can."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.terminal.questions import (
    Given,
    Question,
    choices_of,
    elsewhere,
    from_row,
    from_wait,
    hint,
    how_to_answer,
    read,
)

CALL = Question("approval:tool_1:0123456789abcdef:0", "May it?", "host:example.org")
EXACT = Question("approval:tool_1:0123456789abcdef:0", "May it?")
REVIEW = Question("review:tool_1:2", "What came of it?")
OTHER = Question("answer:run_1:ask:0", "Which one?")
YES_OR_NO = Question("human:hum_1", "Send this?")
CHOICE = Question("answer:ans_1", "Which one?", choices=("Red", "blue", "give up", "2"))


@pytest.mark.parametrize(
    ("question", "line", "given"),
    [
        (CALL, "y\n", Given("approve")),
        (CALL, " YES \n", Given("approve")),
        (CALL, "n\n", Given("reject")),
        (CALL, "always\n", Given("always")),
        (CALL, "not on a Sunday\n", Given("reject", "not on a Sunday")),
        (CALL, "ok\n", Given("reject", "ok")),  # what is not clearly a yes is none
        (CALL, "/stop all\n", None),
        (CALL, "yes please\n", None),
        (CALL, "Yes, but quickly\n", None),
        (CALL, "yesterday was better\n", Given("reject", "yesterday was better")),
        (EXACT, "always\n", None),
        (CALL, "\n", None),
        (REVIEW, "again\n", Given("run_again")),
        (REVIEW, "give up\n", Given("give_up")),
        (REVIEW, "it was sent\n", Given("result", "it was sent")),
        (OTHER, "the blue one\n", Given("result", "the blue one")),
        (OTHER, "again\n", Given("result", "again")),
        (YES_OR_NO, "Y\n", Given("approve")),
        (YES_OR_NO, "no\n", Given("reject")),
        (YES_OR_NO, "give up\n", Given("give_up")),
        (YES_OR_NO, '"Yes."\n', Given("approve")),
        (CHOICE, "Blue.\n", Given("result", "blue")),
        (YES_OR_NO, "fine\n", None),  # what is not clearly a yes or a no is neither
        (YES_OR_NO, "always\n", None),
        (CHOICE, "1\n", Given("result", "Red")),
        (CHOICE, "2\n", Given("result", "2")),  # what is written out comes before a number
        (CHOICE, "RED\n", Given("result", "Red")),
        (CHOICE, "4\n", Given("result", "2")),
        (CHOICE, "give up\n", Given("result", "give up")),
        (CHOICE, "give_up\n", Given("give_up")),
        (CHOICE, "5\n", None),
        (CHOICE, "0\n", None),
        (CHOICE, "²\n", None),
        (CHOICE, "9" * 5000, None),
        (CHOICE, "green\n", None),
    ],
)
def test_a_line_is_one_answer_and_only_a_clear_yes_is_a_yes(question: Question, line: str, given: Given | None) -> None:
    assert read(question, line) == given


def test_always_is_offered_only_where_it_would_allow_something_and_says_what() -> None:
    assert "always (from now on, for host:example.org)" in hint(CALL)
    assert "always (from now on, for exactly this call)" in hint(replace(CALL, target="args:0123456789abcdef"))
    assert "always" not in hint(EXACT) + hint(REVIEW)
    assert CALL.verdicts == ("approve", "reject", "always")
    assert EXACT.verdicts == ("approve", "reject")


def test_what_a_playbook_asks_says_how_it_is_answered() -> None:
    assert (hint(YES_OR_NO), YES_OR_NO.verdicts) == ("[y]es, [n]o, or give up> ", ("approve", "reject", "give_up"))
    assert (hint(OTHER), OTHER.verdicts) == ("your answer, or give up> ", ("result", "give_up"))


@pytest.mark.parametrize(
    ("kind", "theirs"),
    [("human", True), ("answer", True), ("approval", True), ("child", False), ("ask", False), ("time", False)],
)
def test_people_are_asked_what_people_can_say(kind: str, theirs: bool) -> None:
    assert Question(f"{kind}:x", "").is_for_people is theirs


def test_where_nobody_can_be_asked_the_commands_are_told_whole() -> None:
    said = how_to_answer(CALL, "thr_1")
    assert "sulla approvals answer tool_1 approve\n" in said
    assert "sulla thread show thr_1]" in said
    assert "approve, reject or always" in said


def test_what_can_be_chosen_is_shown_by_number_and_cannot_steer_the_terminal() -> None:
    assert hint(CHOICE) == "  1. Red\n  2. blue\n  3. give up\n  4. 2\n1 to 4, or give up> "
    assert choices_of(Question("answer:x", "", choices=("a\x1b[2J\nb",))).count("\n") == 1
    assert "\x1b" not in choices_of(Question("answer:x", "", choices=("a\x1b[2J",)))
    said = how_to_answer(CHOICE, "thr_1")
    assert "  1. Red\n" in said
    assert "sulla approvals answer answer:ans_1 1\n" in said
    assert choices_of(OTHER) == ""


def test_choices_come_with_the_event_and_with_the_row() -> None:
    wait = {"wait_id": CHOICE.id, "call_id": "", "prompt": "Which one?", "choices": list(CHOICE.choices)}
    row = {"id": CHOICE.id, "prompt": "Which one?", "target": "", "choices": list(CHOICE.choices)}
    assert from_wait(wait) == from_row(row) == CHOICE


def test_an_event_and_a_row_of_the_list_are_the_same_question() -> None:
    wait = {"wait_id": CALL.id, "call_id": "tool_1", "prompt": "May it?", "target": "host:example.org"}
    row = {"id": CALL.id, "prompt": "May it?", "target": "host:example.org", "thread_id": "thr_1"}
    assert from_wait(wait, "thr_1") == from_row(row) == replace(CALL, thread_id="thr_1")


def test_a_questions_id_is_short_enough_for_a_narrow_terminal_and_may_be_shorter() -> None:
    question = Question("approval:tool_0123456789abcdef01234567:0123456789abcdef:0", "May it?")
    assert question.short_id == "tool_012345678"
    called = (
        "approval:tool_0123456789abcdef01234567:0123456789abcdef:0",
        "approval:tool_01",
        "tool_012345678",
        "tool_0",
    )
    assert all(question.is_called(begins) for begins in called)
    assert not any(question.is_called(begins) for begins in ("tool_1", "0123", "review:tool_0"))
    assert Question("answer:step", "Which?").short_id == "answer:step"
    ours = [line for line in how_to_answer(question, "thr_0123456789abcdef01234567").split("\n") if "sulla" in line]
    assert max(map(len, ours)) <= 60, "no command breaks at 60 columns"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"verdict": "reject", "text": "not on fridays", "by": "owner"}, "no, not on fridays"),
        ({"verdict": "approve", "text": "", "by": "owner"}, "yes"),
        ({"verdict": "result", "text": "two", "by": "owner"}, "two"),
    ],
)
def test_an_answer_from_elsewhere_says_yes_or_no_and_its_words(data: dict[str, str], said: str) -> None:
    told = elsewhere({"type": "ANSWER", "data": data})
    assert told == f"[answered elsewhere with the token owner: {said}]"
