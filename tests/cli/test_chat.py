"""`sulla chat` against a real daemon."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from sulla.terminal.chat.lines import LineNote, LineTalk
from sulla.terminal.chat.orders import ORDERS
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Place
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

Capsys = pytest.CaptureFixture[str]


@pytest.mark.usefixtures("here")
def test_a_script_gets_the_answers_and_nothing_else(capsys: Capsys) -> None:
    chat = typed(capsys, "chat", given=b"hello\n\n  \nsnow")
    assert (chat.code, chat.out, chat.err) == (Exit.OK, "Hello.\nA first line\nand \N{SNOWMAN}.\n", "")


@pytest.mark.usefixtures("here")
def test_a_script_that_is_faster_than_a_person_gets_every_answer(capsys: Capsys) -> None:
    chat = typed(capsys, "chat", given=b"hello\n" * 5)
    assert (chat.code, chat.out, chat.err) == (Exit.OK, "Hello.\n" * 5, "")


@pytest.mark.usefixtures("here")
def test_json_is_one_event_per_line_of_all_its_turns(capsys: Capsys) -> None:
    chat = typed(capsys, "chat", "--json", given=b"hello\nsnow")
    events = [json.loads(line) for line in chat.out.splitlines()]
    assert (chat.code, chat.err) == (Exit.OK, "")
    assert [event["type"] for event in events].count("RUN_FINISHED") == 2
    assert len({event["thread_id"] for event in events}) == 1


@pytest.mark.usefixtures("here")
def test_an_empty_script_does_nothing(capsys: Capsys) -> None:
    assert typed(capsys, "chat").code == Exit.OK


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (b"fail\nhello\n", Exit.OK),
        (b"hello\nfail\n", Exit.FAILED),
        (b"hello\nbe blocked\n", Exit.BLOCKED),
        (b"hello\n\xff\n", Exit.USAGE),
    ],
)
def test_a_script_learns_how_its_last_line_ended(capsys: Capsys, lines: bytes, code: Exit) -> None:
    chat = typed(capsys, "chat", given=lines)
    assert chat.code == code
    assert "Hello.\n" in chat.out


@pytest.mark.usefixtures("here")
def test_a_refused_line_does_not_end_the_talk(capsys: Capsys) -> None:
    chat = typed(capsys, "chat", given=b"x" * 100_001 + b"\nhello\n")
    assert (chat.code, chat.out) == (Exit.OK, "Hello.\n")
    assert chat.err == (
        "refused: text: got 100001 characters, expected at most 100000; "
        "send it in parts, or put it in a file of the workspace and name that\n"
    )


def inputs(capsys: Capsys, thread_id: str) -> list[dict[str, str]]:
    """What was said in a thread."""
    events = map(json.loads, typed(capsys, "thread", "show", thread_id, "--json").out.splitlines())
    return [event["data"] for event in events if event["type"] == "INPUT"]


@pytest.mark.usefixtures("here")
def test_a_scripts_commands_are_done_and_no_model_is_asked(capsys: Capsys) -> None:
    chat = typed(capsys, "chat", "--json", given=b"hello\n/new\n/quote a letter\nhello\n//hello\n/exit\nhello\n")
    threads = list(dict.fromkeys(json.loads(line)["thread_id"] for line in chat.out.splitlines()))
    said = [(event["text"], event.get("quoted", "")) for thread in threads for event in inputs(capsys, thread)]
    assert said == [("hello", ""), ("hello", "a letter"), ("/hello", "")]
    assert (chat.code, chat.err, len(threads)) == (Exit.OK, "", 2)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"/threads", "not done: /threads is for a talk at a terminal; `"),
        (b"/stop", "here each line waits for the answer to the one before"),
        (b"/hepl", "not sent: there is no command /hepl: did you mean /help?"),
        (b"/agent", "/agent wants an id behind it here"),
    ],
)
def test_what_a_script_cannot_do_is_refused_by_name_and_not_sent(capsys: Capsys, line: bytes, said: str) -> None:
    chat = typed(capsys, "chat", given=line)
    assert (chat.code, chat.out) == (Exit.USAGE, "")
    assert said in chat.err


@pytest.mark.usefixtures("here")
def test_a_question_is_a_text_also_where_it_looks_like_a_command(capsys: Capsys) -> None:
    asked = typed(capsys, "ask", "--json", "/stop")
    assert [event["text"] for event in inputs(capsys, json.loads(asked.out.splitlines()[0])["thread_id"])] == ["/stop"]
    assert asked.code == Exit.OK


def test_every_command_of_a_talk_is_known_without_a_screen() -> None:
    for form in ORDERS:
        line = f"/{form.name} x" if form.needed else f"/{form.name}"
        assert isinstance(LineTalk(None).take(line), LineNote)


@pytest.mark.usefixtures("here")
def test_an_unknown_thread_is_refused(capsys: Capsys) -> None:
    chat = typed(capsys, "chat", "--thread", "thr_unknown", given=b"hello\n")
    assert chat.code == Exit.REFUSED
    assert "thr_unknown" in chat.err


def test_ctrl_c_ends_a_script(place: Place) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sulla", "chat"],
        env=place.environ,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as chat:
        assert chat.stdin is not None
        assert chat.stdout is not None
        chat.stdin.write("slow\nhello\n")
        chat.stdin.flush()
        assert chat.stdout.read(4) == "This"
        chat.send_signal(signal.SIGINT)
        out, err = chat.communicate(timeout=PATIENCE_S)
    assert chat.returncode == Exit.CANCELLED
    assert "Hello." not in out
    assert "[stopped]" in err


def test_a_person_is_prompted_can_stop_an_answer_and_is_told_how_to_go_on(place: Place) -> None:
    master, slave = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "sulla", "chat"],
        env=place.environ,
        text=True,
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as chat:
        os.close(slave)
        said = ""

        def until(text: str) -> None:
            nonlocal said
            while text not in said:
                assert chat.stdout is not None
                more = chat.stdout.read(1)
                assert more, said
                said += more

        until("leaves.\nyou> ")
        os.write(master, b"slow\n")
        until("This takes a very")
        chat.send_signal(signal.SIGINT)
        until("[stopped]\nyou> ")
        os.write(master, b"hello\n")
        until("Hello.\nyou> ")
        os.write(master, b"\x04")
        until("goes on here.\n")
        assert chat.wait(PATIENCE_S) == Exit.OK
    os.close(master)
    assert re.search(r"sulla chat --thread thr_[0-9a-f]{24}` goes on here\.", said)
