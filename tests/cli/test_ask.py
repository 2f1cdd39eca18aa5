"""`sulla ask` against a real daemon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

Capsys = pytest.CaptureFixture[str]


@pytest.mark.usefixtures("here")
def test_the_answer_is_printed_and_nothing_else(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "hello", "there")
    assert (asked.code, asked.out, asked.err) == (Exit.OK, "Hello.\n", "")


@pytest.mark.usefixtures("here")
def test_tool_calls_are_told_beside_the_answer(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "look")
    assert (asked.code, asked.out) == (Exit.OK, "I look.\nNothing there.\n")
    assert asked.err == '· list_dir {"path": "."}\n'


@pytest.mark.usefixtures("here")
def test_a_blocked_agent_says_what_it_needs(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "be blocked")
    assert (asked.code, asked.out) == (Exit.BLOCKED, "I stop here.\n")
    assert asked.err == "blocked: no key\nneeded: the key\n"


@pytest.mark.usefixtures("here")
def test_a_failed_turn_says_why(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "fail")
    assert (asked.code, asked.out) == (Exit.FAILED, "")
    assert asked.err.startswith("failed (provider_rejected): ")
    assert "no such thing" in asked.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hi", "--thread", "thr_unknown"), "thr_unknown"),
        (("hi", "--thread", "no id"), "thread id"),
        (("x" * 100_001,), "that has 100,001 characters, and a message may have 100,000: put it into a file"),
        (("x" * 1_200_000,), "that has 1,200,000 characters"),
    ],
)
def test_a_refusal_is_passed_on(capsys: Capsys, words: tuple[str, ...], said: str) -> None:
    asked = typed(capsys, "ask", *words)
    assert (asked.code, asked.out) == (Exit.REFUSED, "")
    assert asked.err.startswith("sulla: ")
    assert said in asked.err
    assert asked.err.count("\n") == 1


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", [("x" * 100_001,), ("x" * 1_200_000,), ("hi", "--agent", "nobody")])
def test_a_refused_question_leaves_no_empty_thread_behind(capsys: Capsys, words: tuple[str, ...]) -> None:
    def threads() -> set[str]:
        lines = typed(capsys, "thread", "list", "--all", "--json").out.splitlines()
        return {json.loads(line)["thread_id"] for line in lines}

    before = threads()
    assert typed(capsys, "ask", *words).code == Exit.REFUSED
    assert threads() == before


@pytest.mark.usefixtures("here")
def test_a_text_of_the_longest_kind_gets_through_to_the_agent(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "\N{FIRE}" * 100_000)
    assert asked.code == Exit.FAILED, "it was taken; that it is too much for the model is the agent's to say"
    assert asked.err.startswith("failed (limit_reached): the newest message takes up to ")


@pytest.mark.usefixtures("here")
def test_a_token_that_is_not_the_daemons_is_refused(place: Place, capsys: Capsys) -> None:
    other = place.home.parent / "other"
    other.mkdir()
    os.link(place.home / "daemon.json", other / "daemon.json")
    nobody = typed(capsys, "ask", "hi", "--home", str(other))
    assert nobody.code == Exit.REFUSED
    assert nobody.err.startswith(f"sulla: cannot read the token in the home {other}")
    (other / "token").write_text("wrong")
    wrong = typed(capsys, "ask", "hi", "--home", str(other))
    assert wrong.code == Exit.REFUSED
    assert "does not let us in: the token is not valid" in wrong.err


@pytest.mark.usefixtures("here")
def test_json_is_one_event_per_line_and_nothing_else(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "snow", "--json")
    events = [json.loads(line) for line in asked.out.splitlines()]
    assert asked.code == Exit.OK
    assert asked.err == ""
    assert [event["seq"] for event in events if event["seq"]] == sorted({event["seq"] for event in events} - {None})
    assert [event["type"] for event in events][-2:] == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    assert "\N{SNOWMAN}" in events[-2]["data"]["text"]


@pytest.mark.usefixtures("here")
def test_json_says_the_same_by_its_exit_code(capsys: Capsys) -> None:
    assert typed(capsys, "ask", "be blocked", "--json").code == Exit.BLOCKED
    assert typed(capsys, "ask", "fail", "--json").code == Exit.FAILED


@pytest.mark.usefixtures("here")
def test_a_thread_can_be_gone_on_in(capsys: Capsys) -> None:
    first = json.loads(typed(capsys, "ask", "hello", "--json").out.splitlines()[-1])
    second = typed(capsys, "ask", "and now", "--json", "--thread", first["thread_id"])
    events = [json.loads(line) for line in second.out.splitlines()]
    assert {event["thread_id"] for event in events} == {first["thread_id"]}
    assert all(event["seq"] > first["seq"] for event in events if event["seq"])


@pytest.mark.usefixtures("here")
def test_a_dash_reads_the_question_from_standard_input(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "-", given="sn\nsnow \N{SNOWMAN}".encode())
    assert (asked.code, asked.out) == (Exit.OK, "A first line\nand \N{SNOWMAN}.\n")


def test_standard_input_that_is_no_text_is_refused(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "-", given=b"ab\xff")
    assert asked.code == Exit.USAGE
    said = "sulla: standard input: character 3 of the question is not valid UTF-8: write it in UTF-8\n"
    assert asked.err == said


@pytest.mark.usefixtures("here")
def test_what_would_move_the_cursor_is_left_out(capsys: Capsys) -> None:
    assert typed(capsys, "ask", "escape").out == "]52;c;c3RvbGVuClean.2J\n"
    as_json = typed(capsys, "ask", "escape", "--json").out
    assert as_json.isascii()
    assert as_json.replace("\n", "").isprintable()


def words_of(place: Place) -> tuple[str, str]:
    """What was said last, and what was quoted with it."""
    thread_id = (place.home / "last_thread").read_text().strip()
    told = map(json.loads, place.run("thread", "export", thread_id)[1].splitlines()[1:-1])
    said = [event["data"] for event in told if event["type"] == "INPUT"][-1]
    return said["text"], said.get("quoted", "")


def test_what_is_piped_in_is_passed_on_as_somebody_elses(place: Place) -> None:
    assert place.run("ask", "hello", "there", given=b"--- a\n+++ b\n")[0] == Exit.OK
    assert words_of(place) == ("hello there", "--- a\n+++ b")


def test_a_dash_among_the_words_stands_for_what_is_piped_in(place: Place) -> None:
    assert place.run("ask", "hello:", "-", given=b"one\ntwo")[0] == Exit.OK
    assert words_of(place) == ("hello:\n\none\ntwo", "")


def test_a_pipe_without_words_is_the_question(place: Place) -> None:
    assert place.run("ask", given=b"hello from a pipe\n")[0] == Exit.OK
    assert words_of(place) == ("hello from a pipe", "")
    code, _, said = place.run("ask")
    assert (code, "there is no question" in said) == (Exit.USAGE, True)


@pytest.mark.parametrize("option", ["--last", "--continue"])
def test_the_last_thread_goes_on_and_its_last_answer_is_printed_again(place: Place, option: str) -> None:
    assert place.run("ask", "snow")[0] == Exit.OK
    first = (place.home / "last_thread").read_text()
    assert place.run("ask", option)[:2] == (Exit.OK, "A first line\nand \N{SNOWMAN}.\n")
    assert place.run("ask", option, "hello")[:2] == (Exit.OK, "Hello.\n")
    assert (place.home / "last_thread").read_text() == first
    assert place.run("ask", option)[1] == "Hello.\n"


def test_without_a_last_thread_that_is_said(place: Place, tmp_path: Path) -> None:
    code, _, said = Place(tmp_path / "none").run("ask", "--last", "hi")
    assert (code, "there is no last thread" in said) == (Exit.USAGE, True)


# ---------------------------------------------------------------------------------------------- in a process of its own


def test_ctrl_c_stops_the_turn(place: Place, here: Place, capsys: Capsys) -> None:
    with place.begin("ask", "slow", "--json") as asking:
        asking.until("very")
        assert asking.ended(signal.SIGINT) == Exit.CANCELLED
    assert asking.complaints == "\n[stopped]\n"
    thread_id = json.loads(asking.said.splitlines()[-1])["thread_id"]
    after = typed(capsys, "ask", "hello", "--thread", thread_id)
    assert (after.code, after.out) == (Exit.OK, "Hello.\n"), "the thread is free again"


def test_a_reader_that_leaves_ends_the_command_quietly(place: Place) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sulla", "ask", "flood"],
        env=place.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:
        assert asking.stdout is not None
        assert asking.stderr is not None
        assert asking.stdout.read(4) == b"word"
        asking.stdout.close()
        assert asking.stderr.read() == b""
        assert asking.wait() == Exit.PIPE


def test_a_terminal_without_the_character_gets_a_stand_in(place: Place) -> None:
    plain = Place(place.home, PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert plain.run("ask", "snow")[:2] == (Exit.OK, "A first line\nand \\u2603.\n")


def test_an_agent_can_be_asked_by_its_name_and_a_wrong_one_is_named(here: Place, capsys: Capsys) -> None:
    events = [json.loads(line) for line in typed(capsys, "ask", "--json", "--agent", "sulla", "hello").out.splitlines()]
    assert events[-1]["agent"] == "sulla"
    wrong = typed(capsys, "ask", "--agent", "sula", "hello")
    assert (wrong.code, "no agent 'sula'; did you mean 'sulla'?" in wrong.err) == (Exit.REFUSED, True)
