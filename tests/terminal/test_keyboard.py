"""What is typed and pasted: nothing answers a question that nobody has seen, and no message loses anything."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input

from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import QUIET_S, read_answer
from sulla.testing.clock import ManualClock
from tests.cli.terminal import Terminal, at_a_terminal, terminal
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse

Capsys = pytest.CaptureFixture[str]
SCRIPT = Script(
    [
        Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "touch unseen"}),)), text="make", results=0),
        Rule(Reply("That was it.<AGENT_DONE/>")),
    ]
)
ASK = (sys.executable, "-m", "sulla", "ask", "make it")
CHAT = (sys.executable, "-m", "sulla", "chat")


def pasted(text: str) -> str:
    """What a terminal sends for a paste where it was asked to mark them."""
    return f"\x1b[200~{text}\x1b[201~"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with service(SCRIPT) as model:
        settings = {"SULLA_SHELL__SANDBOX": "false", "SULLA_MEMORY__ENABLED": "false"}
        place = Place(tmp_path / "home", **settings, **model.environ)
        monkeypatch.setenv("SULLA_HOME", str(place.home))
        with place.up():
            yield place


def refuse(seen: Terminal, place: Place, end: str) -> None:
    """Say no to the question that is shown, and see that nothing ran."""
    assert not (place.home / "workspace" / "unseen").exists()
    seen.type("no\r")
    seen.until(end)
    assert not (place.home / "workspace" / "unseen").exists()


async def ended(answer: Coroutine[None, None, str | None]) -> str | None:
    """The answer, or what was pressed instead; a task that raises ``KeyboardInterrupt`` ends the loop as well."""
    try:
        return await answer
    except KeyboardInterrupt:
        return "Ctrl-C"


async def shown(capsys: Capsys, text: str) -> str:
    """What is shown until this is; the line editor draws when the loop has nothing else to do, or 10 ms later."""
    seen = ""
    while text not in seen:
        await asyncio.sleep(0)
        seen += capsys.readouterr().out
    return seen


def leave(seen: Terminal) -> None:
    seen.prompted("you>")
    seen.type("\x04")
    seen.until("goes on here.")
    assert seen.process.wait(PATIENCE_S) == Exit.OK


def said(capsys: Capsys) -> list[str]:
    """The messages of the only thread."""
    (row,) = typed(capsys, "thread", "list", "--json").out.splitlines()
    shown = typed(capsys, "thread", "show", json.loads(row)["thread_id"], "--json").out
    events = [json.loads(line) for line in shown.splitlines()]
    return [event["data"]["text"] for event in events if event["type"] == "INPUT"]


def test_the_second_line_of_an_unmarked_paste_does_not_answer_the_question(place: Place) -> None:
    with terminal(CHAT, place.environ) as seen:
        seen.prompted("you>")
        seen.type("make it\ryes\r")
        seen.until("was not taken; answer now]")
        seen.until("or why not>")
        refuse(seen, place, "That was it.")
        leave(seen)


def test_what_was_typed_before_the_question_does_not_answer_it(place: Place) -> None:
    with terminal(ASK, place.environ) as seen:
        seen.type("y\n")
        seen.until("was not taken; answer now]")
        seen.until("or why not>")
        refuse(seen, place, "That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK


async def test_keys_count_only_after_the_keyboard_was_quiet_since_the_question(capsys: Capsys) -> None:
    clock = ManualClock()
    with create_pipe_input() as keys, create_app_session(input=keys):
        answer = asyncio.create_task(read_answer("yes or no> ", clock))
        for early in ("y", "\r", pasted("yes\r"), "\x04", "\x1b[A", "yes\r"):
            await clock.advance(0.9 * QUIET_S)
            keys.send_text(early)
            await clock.settle()
        assert "yes or no>" not in await shown(capsys, "was not taken; answer now]")
        await clock.advance(QUIET_S)
        await shown(capsys, "yes or no>")
        keys.send_text("no\r")
        assert await answer == "no"


@pytest.mark.parametrize("early", [True, False])
async def test_ctrl_c_ends_a_question_at_any_time(early: bool) -> None:
    clock = ManualClock()
    with create_pipe_input() as keys, create_app_session(input=keys):
        answer = asyncio.create_task(ended(read_answer("yes or no> ", clock)))
        await clock.advance(0.0 if early else QUIET_S)
        keys.send_text("\x03")
        assert await answer == "Ctrl-C"


def test_a_paste_at_a_question_answers_nothing(place: Place) -> None:
    with terminal(ASK, place.environ) as seen:
        seen.prompted("or why not>")
        seen.type(pasted("yes\r") + pasted("y"))
        seen.until("a paste is no answer")
        seen.until("or why not>")
        seen.type("\r")  # a line without anything: it is asked again
        seen.prompted("or why not>")
        refuse(seen, place, "That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK


def test_a_paste_of_three_lines_is_one_message(place: Place, capsys: Capsys) -> None:
    with terminal(CHAT, place.environ) as seen:
        seen.prompted("you>")
        seen.type(pasted("one\rtwo\rthree") + "\r")
        seen.until("That was it.")
        leave(seen)
    assert said(capsys) == ["one\ntwo\nthree"]


def test_a_storm_of_pastes_and_keys_answers_no_question_and_loses_nothing_of_a_message(
    place: Place, capsys: Capsys
) -> None:
    dice = random.Random(13)
    words = [" understanding", " international", " information", " caf\N{LATIN SMALL LETTER E WITH ACUTE}", "\n"]
    parts = ["x" + "".join(dice.choices(words, (6, 6, 6, 1, 1), k=18)) for _ in range(100)]
    assert len("".join(parts)) > 20_000
    with terminal(CHAT, place.environ) as seen:
        seen.prompted("you>")
        for part in parts:  # a line's end that is typed would send it
            seen.type(part if "\n" not in part and dice.random() < 0.5 else pasted(part.replace("\n", "\r")))
        seen.type("\r")
        seen.until("That was it.")
        seen.prompted("you>")
        before = ["y", "yes\r", "\r", "\x1b[A", pasted("yes\r"), pasted("y\ryes\r")]
        seen.type("make it\r" + "".join(dice.choices(before, k=50)))
        seen.until("was not taken; answer now]")
        seen.until("or why not>")
        behind = ["y", "\x1b[A", "\x1b[D", "\x15", pasted("yes\r"), pasted("y\ryes\r")]
        seen.type("".join(dice.choices(behind, k=50)))
        seen.until("a paste is no answer")
        seen.type("\x05\x15")  # what is left of the keys is taken away
        refuse(seen, place, "That was it.")
        leave(seen)
    assert said(capsys)[0] == "".join(parts)


def test_the_terminal_is_as_it_was_after_ctrl_c(place: Place) -> None:
    script = f'before=$(stty -g); {" ".join(ASK[:3])} chat; test "$before" = "$(stty -g)" && echo as it was'
    with terminal(("sh", "-c", script), place.environ) as seen:
        seen.prompted("you>")
        seen.type("\x03")
        seen.until("as it was")
        seen.process.wait(PATIENCE_S)
    assert seen.shown.count("\x1b[?2004l") == 1


def test_a_script_is_not_asked_and_reads_lines_as_they_are(place: Place, capsys: Capsys) -> None:
    ended = typed(capsys, "chat", given=b"one\ntwo\n")
    assert (ended.code, ended.out, ended.err) == (Exit.OK, "That was it.\n" * 2, "")
    code, _ = at_a_terminal((sys.executable, "-m", "sulla", "status"), "", place.environ)
    assert code == Exit.OK
