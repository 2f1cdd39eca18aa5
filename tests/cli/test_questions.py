"""What people type at a question, and what is said where nobody can."""

from __future__ import annotations

import pytest

from sulla.cli.questions import Given, Question, from_row, from_wait, hint, how_to_answer, read

CALL = Question("approval:tool_1:0123456789abcdef:0", "May it?", "host:example.org")
EXACT = Question("approval:tool_1:0123456789abcdef:0", "May it?")
REVIEW = Question("review:tool_1:2", "What came of it?")
OTHER = Question("answer:run_1:ask:0", "Which one?")


@pytest.mark.parametrize(
    ("question", "line", "given"),
    [
        (CALL, "y\n", Given("approve")),
        (CALL, " YES \n", Given("approve")),
        (CALL, "n\n", Given("reject")),
        (CALL, "always\n", Given("always")),
        (CALL, "not on a Sunday\n", Given("reject", "not on a Sunday")),
        (CALL, "ok\n", Given("reject", "ok")),  # what is not clearly a yes is none
        (EXACT, "always\n", None),
        (CALL, "\n", None),
        (REVIEW, "again\n", Given("run_again")),
        (REVIEW, "give up\n", Given("give_up")),
        (REVIEW, "it was sent\n", Given("result", "it was sent")),
        (OTHER, "the blue one\n", Given("result", "the blue one")),
        (OTHER, "again\n", Given("result", "again")),
    ],
)
def test_a_line_is_one_answer_and_only_a_clear_yes_is_a_yes(question: Question, line: str, given: Given | None) -> None:
    assert read(question, line) == given


def test_always_is_offered_only_where_it_would_allow_something_and_says_what() -> None:
    assert "always (from now on, for host:example.org)" in hint(CALL)
    assert "always" not in hint(EXACT) + hint(REVIEW)
    assert CALL.verdicts == ("approve", "reject", "always")
    assert EXACT.verdicts == ("approve", "reject")


def test_where_nobody_can_be_asked_the_commands_are_told_whole() -> None:
    said = how_to_answer(CALL, "thr_1")
    assert "sulla approvals answer approval:tool_1 approve\n" in said
    assert "sulla thread show thr_1]" in said
    assert "approve, reject or always" in said


def test_an_event_and_a_row_of_the_list_are_the_same_question() -> None:
    wait = {"wait_id": CALL.id, "call_id": "tool_1", "prompt": "May it?", "target": "host:example.org"}
    row = {"id": CALL.id, "prompt": "May it?", "target": "host:example.org", "thread_id": "thr_1"}
    assert from_wait(wait) == from_row(row) == CALL
