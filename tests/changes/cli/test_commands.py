"""People see, keep and give up what commands have changed, at a running daemon and without a model."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sulla.terminal.exits import Exit
from tests.daemon.running import Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.terminal.chat.screens import seat

pytestmark = [pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"), in_turn(2)]

COMMAND = "printf 'all:\\n\\techo \"\\\\made\"\\n' > Makefile"
RULES = (
    Rule(Reply("I do.", tools=(ToolUse("bash", {"command": COMMAND}),)), text="make", results=0),
    Rule(Reply("I look.", tools=(ToolUse("read_file", {"path": "Makefile"}),)), text="look", results=0),
    Rule(
        Reply("I send one.", tools=(ToolUse("spawn_sub_agent", {"task": "make it, child"}),)),
        text="send somebody",
        results=0,
    ),
    Rule(Reply("That was it.<AGENT_DONE/>")),
)
PAGE = b"Somebody's page."


@pytest.fixture(scope="module")
def model() -> Iterator[Service]:
    with service(Script(RULES)) as model:
        yield model


@pytest.fixture
def place(model: Service, tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path / "home", SULLA_MEMORY__ENABLED="false", **model.environ)
    with place.up():
        yield place


def makefile(place: Place) -> Path:
    return place.home / "workspace" / "Makefile"


def made(place: Place) -> str:
    """A conversation with text from outside runs a command; by what its changes are called in the line that says so."""
    code, _, told = place.run("ask", "make", given=PAGE)
    assert code == Exit.OK, told
    found = re.search(
        r"^! (\w+): what this command changed waits for your yes; `sulla changes` shows it$", told, re.MULTILINE
    )
    assert found is not None, told
    return found[1]


def rows(place: Place) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.run("changes", "--json")[1].splitlines()]


def test_what_waits_is_told_listed_shown_and_kept_and_stays_marked(place: Place, model: Service) -> None:
    name = made(place)
    assert not makefile(place).exists()
    (row,) = rows(place)
    assert (row["changes"], row["told"]) == (f"changes_{name}", "programs may run or obey Makefile")
    assert name in place.run("changes")[1]
    assert "changes of commands that wait for a yes: 1 (sulla changes)" in place.run("status")[1]
    shown = place.run("changes", "show", name[:4])[1].splitlines()
    assert shown[0] == f"┌ changes {name}"
    assert '│ +    echo "\\made"' in shown
    code, _, told = place.run("changes", "keep", name)
    assert (code, "not kept, since there is nobody to ask" in told) == (Exit.USAGE, True)
    kept = place.run("changes", "keep", "--yes", name)
    assert kept == (Exit.OK, f"{name}: What the command changed is in the workspace now.\n", "")
    assert makefile(place).read_text() == 'all:\n\techo "\\made"\n'
    assert place.run("changes") == (Exit.OK, "", "no changes of commands wait for a yes\n")
    audited = [json.loads(line) for line in (place.home / "audit.jsonl").read_text().splitlines()]
    assert audited[-1]["method"] == "changes.keep"
    place.run("ask", "--thread", row["thread_id"], "and now?")
    assert f"what a command had changed, changes_{name}, was put into the workspace" in "".join(model.shown_last)
    asked = [json.loads(line) for line in place.ask("--json", "look")[1].splitlines()]
    (result,) = [event["data"] for event in asked if event["type"] == "TOOL_CALL_RESULT"]
    assert result["tainted"]


def test_what_a_sub_agents_command_changed_is_told_to_whoever_waits_and_is_given_up(place: Place) -> None:
    _, _, told = place.run("ask", "send somebody", given=PAGE)
    assert "what this command changed waits for your yes" in told
    (row,) = rows(place)
    dropped = json.loads(place.run("changes", "drop", "--json", row["changes"])[1])
    assert dropped["changes"] == row["changes"]
    assert (rows(place), makefile(place).exists()) == ([], False)
    code, _, told = place.run("changes", "show", row["changes"])
    assert (code, "no changes wait for a yes (any more)" in told) == (Exit.REFUSED, True)


def test_nothing_is_kept_while_all_work_is_paused(place: Place) -> None:
    name = made(place)
    place.run("pause", "--reason", "lunch")
    code, _, told = place.run("changes", "keep", "--yes", name)
    assert (code, "all of it waits still: paused by owner" in told) == (Exit.REFUSED, True)
    place.run("resume")
    assert place.run("changes", "keep", "--yes", name)[0] == Exit.OK


def test_a_talk_shows_what_waits_before_it_is_kept(place: Place) -> None:
    with seat(["chat"], place.environ, columns=100) as at:
        at.until("fake:1b>")
        at.type("/quote Somebody's page.\r")
        at.until("[passed on with the next message]")
        at.type("make\r")
        at.until("waits for your yes; /changes shows it", "[done:")
        (row,) = rows(place)
        name = row["changes"].removeprefix("changes_")
        at.until_more("/changes\r", f"{name}  programs may run or obey Makefile")
        at.type("/changes keep\r")
        at.until(f"┌ changes {name}", f"/changes keep {name} puts it into the workspace")
        assert not makefile(place).exists()
        at.until_more(f"/changes keep {name}\r", "What the command changed is in the workspace now.")
    assert makefile(place).exists()
