"""`sulla approvals`, where a playbook lets people choose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.agent.approvals.approvals import question
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.gateway.commands import WaitingThread
from sulla.gateway.wire import QuestionRow
from sulla.terminal.exits import Exit
from sulla.terminal.questions import Given, from_row, given_by
from tests.cli.stage import Stage
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]
WHICH = QuestionRow("thr_play", "run_1", "answer:1", "Which?", choices=("red", "blue\x1b[2J"))
HOW_MANY = QuestionRow("thr_play", "run_1", "answer:2", "How many?")
CALL = QuestionRow("thr_play", "run_1", "approval:1", "May post be called?", tool="post", target="host:example.org")
SHALL_I = QuestionRow("thr_play", "run_1", "human:1", "Shall I?")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path / "home")
    made.commands.questions = [WaitingThread("thr_play", (WHICH, SHALL_I, HOW_MANY))]
    made.commands.make("thr_play")
    monkeypatch.setenv("SULLA_HOME", str(made.home))
    with made.open():
        yield made


def answers(stage: Stage) -> list[tuple[object, ...]]:
    """The verdicts and texts that the daemon was sent."""
    return [asked[-2:] for asked in stage.commands.calls if asked[0] == "answer"]


def test_what_can_be_chosen_is_listed_by_number_and_always_is_not_offered(stage: Stage, capsys: Capsys) -> None:
    listed = typed(capsys, "approvals", "list")
    assert listed.code == Exit.OK
    assert "  ┌ a question\n  │ Which?\n  └\n  1. red\n  2. blue" in listed.out
    assert "\x1b[2J" not in listed.out
    assert "approvals answer answer:1 1`: the words of a choice or its number, or give_up\n" in listed.out
    assert "approvals answer human:1 yes`: yes, no or give_up\n" in listed.out
    assert 'approvals answer answer:2 "YOUR ANSWER"`: or give_up\n' in listed.out
    assert "always" not in listed.out
    assert "  1. red\n" in typed(capsys, "approvals", "show", "answer:1").out


@pytest.mark.parametrize("said", ["1", "red", "RED"])
def test_a_choice_is_given_by_number_or_by_name(stage: Stage, capsys: Capsys, said: str) -> None:
    assert typed(capsys, "approvals", "answer", "answer:1", "result", "--text", said).code == Exit.OK
    assert answers(stage) == [("result", "red")]


@pytest.mark.parametrize("said", ["3", "green", ""])
def test_what_is_no_choice_is_refused_before_it_is_sent(stage: Stage, capsys: Capsys, said: str) -> None:
    refused = typed(capsys, "approvals", "answer", "answer:1", "result", "--text", said)
    assert refused.code == Exit.REFUSED
    assert f"--text: got '{said}', and this is answered with one of these, or its number:\n  1. red" in refused.err
    assert answers(stage) == []


def test_to_give_up_needs_no_choice(stage: Stage, capsys: Capsys) -> None:
    assert typed(capsys, "approvals", "answer", "answer:1", "give_up").code == Exit.OK
    assert answers(stage) == [("give_up", "")]


@pytest.mark.parametrize(
    ("id_", "said", "sent"),
    [
        ("answer:1", ("red",), ("result", "red")),
        ("answer:1", ("2",), ("result", "blue\x1b[2J")),
        ("answer:1", ("give", "up"), ("give_up", "")),
        ("human:1", ("yes",), ("approve", "")),
        ("human:1", ("No",), ("reject", "")),
        ("human:1", ("give_up",), ("give_up", "")),
        ("answer:2", ("seven", "or", "eight"), ("result", "seven or eight")),
        ("answer:2", ("result", "--text", "7"), ("result", "7")),
    ],
)
def test_an_answer_is_given_in_plain_words(
    stage: Stage, capsys: Capsys, id_: str, said: tuple[str, ...], sent: tuple[str, str]
) -> None:
    assert typed(capsys, "approvals", "answer", id_, *said).code == Exit.OK
    assert answers(stage) == [sent]


@pytest.mark.parametrize(
    ("id_", "said", "told"),
    [
        (
            "answer:1",
            "green",
            "got 'green', and this is answered with the words of a choice or its number, or give_up:",
        ),
        ("human:1", "maybe", "got 'maybe', and this is answered with yes, no or give_up"),
    ],
)
def test_words_that_mean_nothing_are_refused_before_they_are_sent(
    stage: Stage, capsys: Capsys, id_: str, said: str, told: str
) -> None:
    refused = typed(capsys, "approvals", "answer", id_, said)
    assert refused.code == Exit.REFUSED
    assert told in refused.err
    assert answers(stage) == []


def test_text_beside_a_whole_answer_is_what_is_wrong(stage: Stage, capsys: Capsys) -> None:
    refused = typed(capsys, "approvals", "answer", "human:1", "no", "--text", "not yet")
    assert (refused.code, answers(stage)) == (Exit.REFUSED, [])
    assert "--text: 'no' is the whole answer here: leave --text out" in refused.err


@pytest.mark.parametrize("said", ["aprove", "not on Fridays", "ye"])
def test_a_call_is_answered_by_a_plain_yes_or_no_alone(said: str) -> None:
    row = {"id": CALL.id, "prompt": CALL.prompt, "target": CALL.target, "tool": CALL.tool}
    assert given_by(from_row(row), said, "") is None
    assert given_by(from_row(row), "no", "not today") == Given("reject", "not today")
    assert given_by(from_row(row), "yes", "") == Given("approve")


def test_always_is_refused_where_it_is_not_offered() -> None:
    asked = {"id": CALL.id, "prompt": CALL.prompt, "tool": CALL.tool, "thread_id": "thr_play", "run_id": "run_1"}
    assert given_by(from_row({**asked, "target": "host:example.org"}), "always", "") == Given("always")
    assert given_by(from_row({**asked, "target": ""}), "always", "") is None


def test_a_call_that_is_too_long_for_its_question_is_shown_whole(stage: Stage, capsys: Capsys) -> None:
    call = ToolCall(CallId("tool_1"), "post", {"body": "a" * 14_000 + "the middle" + "a" * 14_000})
    long = QuestionRow(
        "thr_play", "run_1", "approval:tool_1:0:0", question(call, "it is outward", "0" * 64)[0], tool="post"
    )
    stage.commands.questions = [WaitingThread("thr_play", (long,))]
    stage.commands.add(
        "thr_play", "TOOL_CALL_START", call_id="tool_1", name="post", args=dict(call.args), message_id="msg"
    )
    assert '"body": "' + str(call.args["body"]) + '"' in typed(capsys, "approvals", "show", "approval:tool_1").out
