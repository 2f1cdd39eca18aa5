"""`sulla approvals`, over a daemon whose agent wants to run a command without a sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sulla.cli.client import open_client
from sulla.cli.exits import Exit
from sulla.cli.place import door
from sulla.core.errors import SullaError
from sulla.testing.script import Reply, Rule, Script, ToolUse
from tests.cli.typed import typed
from tests.daemon.running import Place, service

Capsys = pytest.CaptureFixture[str]
SCRIPT = Script(
    [
        Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "touch made-by-it"}),)), text="make", results=0),
        Rule(Reply("That was it.<AGENT_DONE/>")),
    ]
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with service(SCRIPT) as model:
        place = Place(tmp_path / "home", SULLA_SHELL__SANDBOX="false", **model.environ)
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
    for _ in range(1_000):
        if lines := typed(capsys, "approvals", "--json").out.splitlines():
            found: dict[str, str] = json.loads(lines[0])
            return found
    raise AssertionError("nobody was asked")


def test_a_question_is_listed_and_a_yes_has_the_call_made(home: Path, capsys: Capsys) -> None:
    question = asked(home, capsys)
    assert "touch made-by-it" in question["prompt"]
    listed = typed(capsys, "approvals")
    assert listed.code == Exit.OK
    assert listed.out.startswith(f"{question['id']} in {question['thread_id']} (until ")
    assert not (home / "workspace" / "made-by-it").exists()
    said = typed(capsys, "approvals", "answer", question["id"][:20], "approve")
    assert (said.code, said.out) == (Exit.OK, f"{question['id']}: approve\n")
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
    assert typed(capsys, "approvals", "rules").out.split()[0] == "RULE"
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
