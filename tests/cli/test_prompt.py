"""`sulla prompt show`: what a model is told, with or without a daemon."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sulla.host.tools import EVERYBODYS
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place, service
from tests.mcp.benches import HERE
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

Capsys = pytest.CaptureFixture[str]


def test_it_shows_each_piece_in_its_order_and_needs_no_daemon(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    shown = typed(capsys, "prompt", "show")
    assert shown.code == Exit.OK
    heads = [line.split(":")[0] for line in shown.out.splitlines() if line.startswith("[")]
    assert heads == ["[tools", "[base", "[directive", "[awareness", "[wrappers", "[environment", "[skills"]
    assert "stable, about" in shown.out
    assert f"the workspace {tmp_path}/workspace" in shown.out
    assert list(tmp_path.iterdir()) == []  # looking makes nothing


def test_settings_change_it(tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    monkeypatch.setenv("SULLA_AGENT__COMPLETION", "plain")
    pieces = json.loads(typed(capsys, "prompt", "show", "--json").out)
    assert "wrappers" not in [piece["name"] for piece in pieces]
    assert all(piece["stable"] and piece["tokens"] > 0 for piece in pieces)
    assert "read_file" in pieces[0]["tools"]


def test_of_another_agent_it_shows_that_ones(tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    (tmp_path / "agents" / "reader").mkdir(parents=True)
    (tmp_path / "agents" / "reader" / "agent.toml").write_text('tools = ["read_file"]')
    (tmp_path / "agents" / "reader" / "soul.md").write_text("You only read.")
    pieces = json.loads(typed(capsys, "prompt", "show", "--agent", "reader", "--json").out)
    assert set(pieces[0]["tools"]) == {"read_file", *EVERYBODYS}
    assert pieces[1]["text"] == "You only read."
    missing = typed(capsys, "prompt", "show", "--agent", "raeder")
    assert (missing.code, "known: sulla, reader" in missing.err) == (Exit.REFUSED, True)


def test_of_a_thread_it_shows_what_changes_with_each_turn(here: Place, capsys: Capsys) -> None:
    events = [json.loads(line) for line in typed(capsys, "ask", "--json", "hello").out.splitlines()]
    thread_id = events[0]["thread_id"]
    pieces = json.loads(typed(capsys, "prompt", "show", "--thread", thread_id, "--json").out)
    assert pieces[-1]["name"] == "context"
    assert not pieces[-1]["stable"]
    assert pieces[-1]["text"].startswith("<context>\nTime: ")
    assert pieces[-1]["model"] == "fake:1b"


def test_it_is_what_the_agent_is_told_that_has_the_conversation(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name, text in {"sulla": 'hands_to = ["cook"]', "cook": 'name = "Cook"'}.items():
        (home / "agents" / name).mkdir(parents=True)
        (home / "agents" / name / "agent.toml").write_text(text)
    monkeypatch.setenv("SULLA_HOME", str(home))
    hand = Rule(Reply("", tools=(ToolUse("transfer_to_cook", {}),)), text="soup", results=0)
    with service(Script([hand, Rule(Reply("Soup.<AGENT_DONE/>"))])) as model, Place(home, **model.environ).up():
        asked = [json.loads(line) for line in typed(capsys, "ask", "--json", "soup").out.splitlines()]
        told = model.requests[-1]
        shown = json.loads(typed(capsys, "prompt", "show", "--thread", asked[0]["thread_id"], "--json").out)
        alone = json.loads(typed(capsys, "prompt", "show", "--agent", "sulla", "--json").out)
    pieces = {piece["name"]: piece for piece in shown}
    assert pieces["supervisor"]["text"].startswith("SUPERVISOR SYSTEM PROMPT:\nYou work for sulla here")
    assert told["messages"][0]["content"].startswith(pieces["supervisor"]["text"])
    assert sorted(pieces["tools"]["tools"]) == sorted(tool["function"]["name"] for tool in told["tools"])
    assert "request_help" not in alone[0]["tools"], "nobody is above it"
    assert "supervisor" not in [piece["name"] for piece in alone]


def test_a_thread_that_is_not_there_is_refused_by_name(here: Place, capsys: Capsys) -> None:
    shown = typed(capsys, "prompt", "show", "--thread", "thr_none")
    assert shown.code == Exit.REFUSED
    assert "thr_none" in shown.err


def test_the_tools_are_those_that_the_running_agent_is_told_of(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    server = f'command = "{sys.executable}"\nargs = ["{HERE / "real_server.py"}"]\n'
    (home / "sulla.toml").write_text(f"[mcp.servers.real]\n{server}")
    monkeypatch.setenv("SULLA_HOME", str(home))
    with service(Script([Rule(Reply("Hello.<AGENT_DONE/>"))])) as model, Place(home, **model.environ).up():
        until(lambda: json.loads(typed(capsys, "status", "--json").out)["mcp"][0]["state"] == "up", "the server is up")
        assert typed(capsys, "ask", "hello").code == Exit.OK
        shown = json.loads(typed(capsys, "prompt", "show", "--json").out)[0]
        assert shown["tools"] == model.tools_last
        assert {"mcp__real__echo", "bash", "recall", "web_fetch", "add_project_task"} <= set(shown["tools"])
        assert set(shown["tool_tokens"]) == set(shown["tools"])
    without = typed(capsys, "prompt", "show", "--json")
    assert "the tools of MCP servers are not among these" in without.err
    assert set(shown["tools"]) - set(json.loads(without.out)[0]["tools"]) == {
        name for name in shown["tools"] if name.startswith("mcp__")
    }
