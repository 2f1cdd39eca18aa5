"""What is typed and pasted: nothing answers a question that nobody has seen, and no message loses anything."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import DRAWN_S, LEAST_RUN, NOISE_S, PASTE_S, QUIET_S, read_answer, runs_joined
from sulla.testing.clock import ManualClock
from tests.cli.terminal import Terminal, at_a_terminal, terminal
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Place, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse

pytestmark = in_turn(6)

Capsys = pytest.CaptureFixture[str]
SCRIPT = Script(
    [
        Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "touch unseen"}),)), text="make", results=0),
        Rule(Reply("That was it.<AGENT_DONE/>")),
    ]
)
ASK = (sys.executable, "-m", "sulla", "ask", "make it")
CHAT = (sys.executable, "-m", "sulla", "chat")


READY_S = QUIET_S + DRAWN_S
"""So long after a question was shown an answer to it is taken."""


def pasted(text: str) -> str:
    """What a terminal sends for a paste where it was asked to mark them."""
    return f"\x1b[200~{text}\x1b[201~"


def test_many_characters_at_once_are_a_paste_and_nothing_else_is() -> None:
    presses = [KeyPress(key) for key in [*"y" * LEAST_RUN, Keys.ControlM, *"n" * (LEAST_RUN - 1), Keys.Left]]
    first, *others = runs_joined(presses)
    assert (first.key, first.data) == (Keys.BracketedPaste, "y" * LEAST_RUN)
    assert others == presses[LEAST_RUN:]


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


async def test_a_paste_that_does_not_end_locks_no_question(capsys: Capsys) -> None:
    clock, seen = ManualClock(), ""
    with create_pipe_input() as keys, create_app_session(input=keys):
        answer = asyncio.create_task(ended(read_answer("yes or no> ", clock)))
        await clock.advance(READY_S)
        keys.send_text("\x1b[200~yes\r\x03")
        while "a paste without an end: not taken" not in seen:
            await clock.advance(0.1)
            seen += capsys.readouterr().out
        assert clock.elapsed() >= PASTE_S
        await clock.advance(READY_S)
        keys.send_text("no\r")
        assert await answer == "no"


async def test_a_question_at_a_keyboard_that_is_never_quiet_is_left_open(capsys: Capsys) -> None:
    clock = ManualClock()
    with create_pipe_input() as keys, create_app_session(input=keys):
        answer = asyncio.create_task(ended(read_answer("yes or no> ", clock)))
        while not answer.done():
            keys.send_text("y\r")
            for _ in range(10):
                await asyncio.sleep(0)
            await clock.advance(0.5 * QUIET_S)
        assert await answer is None
    assert clock.elapsed() >= NOISE_S
    assert "the question is left open" in capsys.readouterr().err


async def shown(capsys: Capsys, text: str) -> str:
    """What is shown until this is; the line editor draws when the loop has nothing else to do, or 10 ms later."""
    seen = ""
    while text not in seen:
        await asyncio.sleep(0)
        seen += capsys.readouterr().out
    return seen


def test_what_was_typed_before_the_question_does_not_answer_it(place: Place) -> None:
    with terminal(ASK, place.environ) as seen:
        seen.type("y\n")
        seen.until("not taken; answer now]")
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
        assert "yes or no>" not in await shown(capsys, "not taken; answer now]")
        await clock.advance(READY_S)
        await shown(capsys, "yes or no>")
        keys.send_text("no\r")
        assert await answer == "no"


@pytest.mark.parametrize("after_s", [0.0, 0.9 * DRAWN_S])
async def test_what_is_typed_as_the_choices_come_is_no_answer(capsys: Capsys, after_s: float) -> None:
    clock = ManualClock()
    with create_pipe_input() as keys, create_app_session(input=keys):
        answer = asyncio.create_task(read_answer("yes or no> ", clock))
        await clock.advance(QUIET_S)
        assert "yes or no>" not in await shown(capsys, "yes or no")
        await clock.advance(after_s)
        keys.send_text("yes\r")
        await shown(capsys, "too early: not taken")
        assert not answer.done()
        for _ in range(4):  # whoever looks whether it is time may sleep until the choices have stood there
            await clock.advance(DRAWN_S)
        keys.send_text("no\r")
        assert await answer == "no"


@pytest.mark.parametrize("early", [True, False])
async def test_ctrl_c_ends_a_question_at_any_time(early: bool) -> None:
    clock = ManualClock()
    with create_pipe_input() as keys, create_app_session(input=keys):
        answer = asyncio.create_task(ended(read_answer("yes or no> ", clock)))
        await clock.advance(0.0 if early else READY_S)
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


def test_the_terminal_is_as_it_was_after_ctrl_c(place: Place) -> None:
    script = f'before=$(stty -g); {" ".join(CHAT)}; test "$before" = "$(stty -g)" && echo as it was'
    with terminal(("sh", "-c", script), place.environ) as seen:
        seen.prompted("you ")
        seen.type("\x03")
        seen.until("as it was")
        seen.process.wait(PATIENCE_S)
    assert seen.shown.count("\x1b[?2004l") == 1


def test_a_script_is_not_asked_and_reads_lines_as_they_are(place: Place, capsys: Capsys) -> None:
    ended = typed(capsys, "chat", given=b"one\ntwo\n")
    assert (ended.code, ended.out, ended.err) == (Exit.OK, "That was it.\n" * 2, "")
    code, _ = at_a_terminal((sys.executable, "-m", "sulla", "status"), "", place.environ)
    assert code == Exit.OK
