"""`sulla approvals`, where a playbook lets people choose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.gateway.commands import WaitingThread
from sulla.gateway.wire import QuestionRow
from sulla.terminal.exits import Exit
from tests.cli.stage import Stage
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]
WHICH = QuestionRow("thr_play", "run_1", "answer:1", "Which?", choices=("red", "blue\x1b[2J"))
SHALL_I = QuestionRow("thr_play", "run_1", "human:1", "Shall I?")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path / "home")
    made.commands.questions = [WaitingThread("thr_play", (WHICH, SHALL_I))]
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
    assert "VERDICT`: result, give_up\n" in listed.out
    assert "VERDICT`: approve, reject, give_up\n" in listed.out
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
