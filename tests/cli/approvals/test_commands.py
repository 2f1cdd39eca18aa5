"""`sulla approvals`, over a daemon whose agent wants to run a command without a sandbox."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.errors import SullaError
from sulla.terminal.client import open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from tests.cli.terminal import terminal
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Place, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import pause, until
from tests.terminal.chat.screens import seat

pytestmark = in_turn(6)

Capsys = pytest.CaptureFixture[str]
PROMPT = "you · sulla · "
"""How the line of a talk begins in which one types."""
SCRIPT = Script(
    [
        Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "touch made-by-it"}),)), text="make", results=0),
        Rule(
            Reply("Two.", tools=(ToolUse("bash", {"command": "touch a"}), ToolUse("bash", {"command": "touch b"}))),
            text="both",
            results=0,
        ),
        Rule(
            Reply("Begun.", tools=(ToolUse("bash", {"command": "exit 7", "background": True}),)),
            text="later",
            results=0,
        ),
        Rule(
            Reply("I send one.", tools=(ToolUse("spawn_sub_agent", {"task": "make it so, child"}),)),
            text="send somebody",
            results=0,
        ),
        Rule(Reply("Look.", tools=(ToolUse("notify_user", {"text": "Over there."}),)), text="tell me", results=0),
        Rule(Reply("That was it.<AGENT_DONE/>")),
    ]
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with service(SCRIPT) as model:
        settings = {"SULLA_SHELL__SANDBOX": "false", "SULLA_MEMORY__ENABLED": "false"}
        place = Place(tmp_path / "home", **settings, **model.environ)
        monkeypatch.setenv("SULLA_HOME", str(place.home))
        yield place


@pytest.fixture
def home(place: Place) -> Iterator[Path]:
    with place.up():
        yield place.home


def asked(home: Path, capsys: Capsys) -> dict[str, str]:
    """The question that a turn waits for."""

    async def send() -> None:
        async with open_client(door(home)) as client:
            thread = (await client.call("thread.create"))["thread_id"]
            await client.call("turn.send", thread_id=thread, message_id="m1", text="make it")

    asyncio.run(send())
    while not (lines := typed(capsys, "approvals", "--json").out.splitlines()):
        pause()
    found: dict[str, str] = json.loads(lines[0])
    return found


def test_a_question_is_listed_and_a_yes_has_the_call_made(home: Path, capsys: Capsys) -> None:
    question = asked(home, capsys)
    assert "touch made-by-it" in question["prompt"]
    listed = typed(capsys, "approvals")
    assert listed.code == Exit.OK
    short = question["id"].removeprefix("approval:")[:14]
    assert listed.out.startswith(f"{short}\n  sulla, just now, in {question['thread_id']} (")
    assert "  ┌ bash asks\n  │ touch made-by-it\n  └ why: " in listed.out
    assert listed.out.count("touch made-by-it") == 1, "what would be done stands there once"
    assert f"approvals answer {short} approve`" in listed.out
    assert question["id"] not in listed.out, "an id has one length"
    assert typed(capsys, "approvals", "show", short).out.count("touch made-by-it") == 1
    assert not (home / "workspace" / "made-by-it").exists()
    said = typed(capsys, "approvals", "answer", question["id"][:20], "approve")
    assert (said.code, said.out) == (Exit.OK, f"{short}: approve\n")
    ended = typed(capsys, "ask", "--thread", question["thread_id"], "and?")
    assert ended.code == Exit.OK
    assert (home / "workspace" / "made-by-it").exists()
    assert typed(capsys, "approvals", "list").out == ""


def test_a_no_makes_nothing(home: Path, capsys: Capsys) -> None:
    question = asked(home, capsys)
    typed(capsys, "approvals", "answer", question["id"], "reject", "--text", "not now")
    typed(capsys, "ask", "--thread", question["thread_id"], "and?")
    assert not (home / "workspace" / "made-by-it").exists()
    shown = typed(capsys, "thread", "show", question["thread_id"], "--json").out
    assert "action rejected by user: not now" in shown


def test_what_does_not_fit_is_refused_with_what_to_do(home: Path, capsys: Capsys) -> None:
    question = asked(home, capsys)
    unknown = typed(capsys, "approvals", "answer", "approval:nothing", "approve")
    assert (unknown.code, unknown.out) == (Exit.REFUSED, "")
    assert "`sulla approvals` lists the questions" in unknown.err
    wrong = typed(capsys, "approvals", "answer", question["id"], "run_again")
    assert wrong.code == Exit.REFUSED
    assert "is answered with approve or reject or always" in wrong.err
    assert typed(capsys, "approvals", "rules").err == "nothing is allowed with always\n"
    gone = typed(capsys, "approvals", "forget", "rule_1")
    assert gone.code == Exit.REFUSED
    assert "no rule 'rule_1' holds" in gone.err


def test_a_question_outlives_the_daemon_that_asked_it(place: Place, capsys: Capsys) -> None:
    with place.up():
        question = asked(place.home, capsys)
    with place.up():
        assert json.loads(typed(capsys, "approvals", "--json").out)["id"] == question["id"]
        typed(capsys, "approvals", "answer", question["id"], "approve")
        typed(capsys, "ask", "--thread", question["thread_id"], "and?")
    assert (place.home / "workspace" / "made-by-it").exists()


def test_a_token_without_approve_answers_nothing(home: Path, capsys: Capsys) -> None:
    question = asked(home, capsys)
    secret = typed(capsys, "token", "create", "phone", "--scope", "read", "--scope", "write").out.strip()
    given = {"thread_id": question["thread_id"], "id": question["id"], "verdict": "approve"}

    async def answer() -> None:
        async with open_client(replace(door(home), token=secret)) as client:
            await client.call("approval.answer", **given)

    with pytest.raises(SullaError, match="scope 'approve'"):
        asyncio.run(answer())
    assert json.loads(typed(capsys, "approvals", "--json").out)["id"] == question["id"]
    assert not (home / "workspace" / "made-by-it").exists()


# ------------------------------------------------------------------------------------------ while somebody talks


def sulla(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "sulla", *words)


def test_ask_without_a_terminal_ends_and_tells_the_command_that_answers(home: Path, capsys: Capsys) -> None:
    ended = typed(capsys, "ask", "make it")
    assert (ended.code, ended.out) == (Exit.BLOCKED, "I do.\n")
    (command,) = [line for line in ended.err.splitlines() if "sulla approvals answer" in line]
    assert "touch made-by-it" in ended.err
    words = command.split()[1:]
    assert typed(capsys, *words).code == Exit.OK
    thread = json.loads(typed(capsys, "thread", "list", "--json").out)["thread_id"]
    assert typed(capsys, "ask", "--thread", thread, "and?").code == Exit.OK
    assert (home / "workspace" / "made-by-it").exists()


def test_the_last_answer_once_more_says_what_its_turn_waits_for_and_how_that_is_answered(
    home: Path, capsys: Capsys
) -> None:
    typed(capsys, "ask", "make it")
    again = typed(capsys, "ask", "--last")
    assert (again.code, again.out) == (Exit.BLOCKED, "I do.\n")
    assert "│ touch made-by-it\n" in again.err
    (command,) = [line for line in again.err.splitlines() if "sulla approvals answer" in line]
    silent = typed(capsys, "ask", "--last", "--json")
    assert (silent.code, silent.err) == (Exit.BLOCKED, "")
    assert typed(capsys, *command.split()[1:]).code == Exit.OK
    assert typed(capsys, "ask", "--last", "and?").code == Exit.OK
    assert typed(capsys, "ask", "--last").code == Exit.OK


def test_the_last_answer_once_more_says_what_a_sub_agent_waits_for_too(home: Path, capsys: Capsys) -> None:
    assert typed(capsys, "ask", "send somebody").code == Exit.BLOCKED
    thread = json.loads(typed(capsys, "thread", "list", "--json").out)["thread_id"]
    for command in (("ask", "--last"), ("ask", "--thread", thread, "and?")):
        again = typed(capsys, *command)
        assert again.code == Exit.BLOCKED
        assert "made-by-it" in again.err
        assert "sulla approvals answer tool_" in again.err
    assert "waits" in typed(capsys, "thread", "list").out


def test_an_answer_to_another_conversation_says_where_what_comes_of_it_is(
    place: Place, home: Path, capsys: Capsys
) -> None:
    question = asked(home, capsys)
    with seat(["chat"], place.environ, columns=200) as at:
        at.until(PROMPT)
        at.type("/approvals 1\r")
        at.until("or why not>")
        at.type("n\r")
        at.until(f"[reject: what comes of it is in {question['thread_id']}", PROMPT)
        at.type(f"/threads {question['thread_id'][:12]}\r")
        at.until("you> make it")


def test_json_ends_with_the_question_as_its_last_event(home: Path, capsys: Capsys) -> None:
    ended = typed(capsys, "ask", "--json", "make it")
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert (ended.code, ended.err, events[-1]["type"]) == (Exit.BLOCKED, "", "SUSPENDED")
    (wait,) = events[-1]["data"]["waits"]
    shown = json.loads(typed(capsys, "approvals", "show", wait["wait_id"], "--json").out)
    assert shown["call"] == {"name": "bash", "args": {"command": "touch made-by-it"}}


def test_a_person_answers_right_there_and_the_answer_goes_on(place: Place, home: Path) -> None:
    with terminal(sulla("ask", "make it"), place.environ) as seen:
        seen.prompted("or why not>")
        seen.type("\n")
        seen.prompted("or why not>")  # an empty line is no answer
        seen.type("y\n")
        seen.until("That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert (home / "workspace" / "made-by-it").exists()


def test_a_question_that_somebody_else_answers_is_not_asked_any_longer(
    place: Place, home: Path, capsys: Capsys
) -> None:
    with terminal(sulla("ask", "make it"), place.environ) as seen:
        seen.prompted("or why not>")
        question = json.loads(typed(capsys, "approvals", "--json").out)["id"]
        assert typed(capsys, "approvals", "answer", question, "approve").code == Exit.OK
        seen.until("[answered elsewhere with the token owner: yes]")
        seen.until("That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert (home / "workspace" / "made-by-it").exists()


def test_of_two_questions_one_is_answered_elsewhere_and_the_other_here(
    place: Place, home: Path, capsys: Capsys
) -> None:
    with terminal(sulla("ask", "both"), place.environ) as seen:
        seen.prompted("or why not>")
        first, _ = (json.loads(line)["id"] for line in typed(capsys, "approvals", "--json").out.splitlines())
        assert typed(capsys, "approvals", "answer", first, "reject").code == Exit.OK
        seen.until("[answered elsewhere with the token owner: no]")
        seen.prompted("or why not>")
        seen.type("y\n")
        seen.until("That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert not (home / "workspace" / "a").exists()
    assert (home / "workspace" / "b").exists()


def test_a_question_whose_turn_is_stopped_elsewhere_is_not_asked_any_longer(
    place: Place, home: Path, capsys: Capsys
) -> None:
    async def stop(thread: str) -> None:
        async with open_client(door(home)) as client:
            await client.call("turn.stop", thread_id=thread, request_id="stop")

    with terminal(sulla("ask", "make it"), place.environ) as seen:
        seen.prompted("or why not>")
        asyncio.run(stop(json.loads(typed(capsys, "approvals", "--json").out)["thread_id"]))
        seen.until("[the question needs no answer any more]")
        assert seen.process.wait(PATIENCE_S) == Exit.CANCELLED


def test_a_talk_says_too_what_was_answered_elsewhere(place: Place, home: Path, capsys: Capsys) -> None:
    with seat(["chat"], place.environ) as at:
        at.until(PROMPT)
        at.type("make it\r")
        at.until("or why not>")
        question = json.loads(typed(capsys, "approvals", "--json").out)["id"]
        typed(capsys, "approvals", "answer", question, "reject", "--text", "too late")
        at.until("[answered elsewhere with the token owner: no, too late]", "That was it.", PROMPT)


def test_each_of_two_questions_is_asked_once(place: Place, home: Path) -> None:
    with terminal(sulla("ask", "both"), place.environ) as seen:
        for answer in ("y\n", "not this one\n"):
            seen.prompted("or why not>")
            seen.type(answer)
        seen.until("That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert (home / "workspace" / "a").exists()
    assert not (home / "workspace" / "b").exists()


def test_ctrl_c_at_a_question_stops_the_turn_and_the_talk_goes_on(place: Place, home: Path, capsys: Capsys) -> None:
    with seat(["chat"], place.environ) as at:
        at.until(PROMPT)
        at.type("make it\r")
        at.until("or why not>")
        at.type("\x03")
        at.until("[stopped", PROMPT)
        at.type("hello\r")
        at.until("That was it.", "[done:", PROMPT)
        at.type("\x04")
        assert at.ended() == Exit.OK
    assert typed(capsys, "approvals", "--json").out == ""
    assert not (home / "workspace" / "made-by-it").exists()


def test_a_question_that_was_left_open_is_shown_as_open_and_answered_there(
    place: Place, home: Path, capsys: Capsys
) -> None:
    with seat(["chat"], place.environ) as at:
        at.until(PROMPT)
        at.type("make it\r")
        at.until("or why not>")
        at.type("\x04")
        at.until("[or /approvals here]", PROMPT)
        at.type("\x04")
        assert at.ended() == Exit.OK
    thread = json.loads(typed(capsys, "approvals", "--json").out)["thread_id"]
    assert f"--thread {thread}" in "".join(at.text.split("\n"))
    with seat(["chat", "--thread", thread], place.environ) as at:
        at.until("waits for your answer", PROMPT)
        at.type("/approvals 1\r")
        at.until("or why not>")
        at.type("y\r")
        at.until("That was it.", PROMPT)
        at.type("hello\r")
        at.until("That was it.", times=2)
        at.type("\x04")
        assert at.ended() == Exit.OK
    assert (home / "workspace" / "made-by-it").exists()


def test_a_message_behind_a_question_is_taken_and_ends_the_same_way(home: Path, capsys: Capsys) -> None:
    question = asked(home, capsys)
    behind = typed(capsys, "ask", "--thread", question["thread_id"], "hello")
    assert (behind.code, behind.out) == (Exit.BLOCKED, "")
    assert "an earlier turn of this thread waits for an answer" in behind.err
    assert "sulla approvals answer tool_" in behind.err
    silent = typed(capsys, "ask", "--json", "--thread", question["thread_id"], "hello again")
    assert (silent.code, silent.out, silent.err) == (Exit.BLOCKED, "", "")
    typed(capsys, "approvals", "answer", question["id"], "reject")
    last = typed(capsys, "ask", "--thread", question["thread_id"], "and?")
    assert (last.code, last.out) == (Exit.OK, "That was it.\n")
    assert typed(capsys, "thread", "show", question["thread_id"]).out.count("That was it.") == 4


def test_a_script_is_not_left_hanging_behind_a_question(home: Path, capsys: Capsys) -> None:
    talked = typed(capsys, "chat", given=b"make it\nhello\n")
    assert (talked.code, talked.out) == (Exit.BLOCKED, "I do.\n"), "hello would have waited behind it"


def test_a_note_is_shown_while_somebody_talks(home: Path, capsys: Capsys) -> None:
    talked = typed(capsys, "chat", given=b"tell me\n")
    assert talked.code == Exit.OK
    assert "! note from sulla: Over there.\n" in talked.err


def test_nothing_asked_is_said_so(home: Path, capsys: Capsys) -> None:
    assert typed(capsys, "approvals").err == "nobody waits for an answer\n"
    assert typed(capsys, "approvals", "rules").err == "nothing is allowed with always\n"
    assert typed(capsys, "approvals", "--json").err == ""


def test_the_next_turn_is_told_that_a_job_has_ended(place: Place, home: Path, capsys: Capsys) -> None:
    with terminal(sulla("ask", "do it later"), place.environ) as seen:
        seen.prompted("or why not>")
        seen.type("y\n")
        seen.until("That was it.")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    until(lambda: not json.loads(typed(capsys, "status", "--json").out)["shell"]["jobs"], "the job ends")
    thread = json.loads(typed(capsys, "thread", "list", "--json").out)["thread_id"]
    typed(capsys, "ask", "--thread", thread, "and now?")
    shown = typed(capsys, "thread", "show", thread, "--json").out
    assert shown.count("job_1 ended with exit status 7") == 1
