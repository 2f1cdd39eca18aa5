"""`sulla status` against a real daemon."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

import sulla
from sulla.cli.status import paused_runs, shell_line
from sulla.core.errors import StoreUnavailable
from sulla.core.jsontypes import JsonObject
from sulla.daemon.report import report_elsewhere
from sulla.host.host import Built
from sulla.terminal.client import Client
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse

Capsys = pytest.CaptureFixture[str]


def test_it_says_what_runs_where_with_which_model_and_why(here: Place, capsys: Capsys) -> None:
    shown = typed(capsys, "status")
    assert (shown.code, shown.err) == (Exit.OK, "")
    assert shown.out.startswith(f"sulla {sulla.__version__} at http://127.0.0.1:")
    assert f"  home: {here.home}\n" in shown.out
    assert f"  workspace: {here.home}/workspace\n" in shown.out
    assert f"  store: sqlite:///{here.home}/sulla.db (the default)\n" in shown.out
    assert "  model: ollama:fake:1b\n  model why: SULLA_MODEL or model.name says so\n" in shown.out
    assert "offline" not in shown.out


def test_json_holds_the_same_for_scripts(here: Place, capsys: Capsys) -> None:
    shown = typed(capsys, "status", "--json")
    report = json.loads(shown.out)
    assert shown.code == Exit.OK
    assert report["home"] == str(here.home)
    assert report["offline"] is False
    assert (report["running"], report["queued"], report["failing"], report["stopping"]) == (0, 0, [], False)
    assert report["paused_runs"] == 0


def test_paused_runs_are_counted_over_all_pages_and_not_while_the_store_is_away() -> None:
    pages: dict[str | None, dict[str, Any]] = {
        None: {"runs": [{}, {}], "next": "thr_2"},
        "thr_2": {"runs": [{}], "next": None},
    }

    class Paged:
        async def call(self, method: str, **params: Any) -> dict[str, Any]:
            assert (method, params["status"]) == ("workflow.runs", "paused")
            return pages[params["after"]]

    class Away:
        async def call(self, method: str, **params: Any) -> dict[str, Any]:
            raise StoreUnavailable("the store does not answer")

    assert asyncio.run(paused_runs(cast(Client, Paged()))) == 3
    assert asyncio.run(paused_runs(cast(Client, Away()))) is None


def test_no_secret_is_in_it(here: Place, capsys: Capsys) -> None:
    token = (here.home / "token").read_text().strip()
    assert token not in typed(capsys, "status").out + typed(capsys, "status", "--json").out


def test_a_reader_that_was_never_there_is_no_traceback(place: Place) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "sulla", "status"]
    done = subprocess.run(command, env=place.environ, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (Exit.PIPE, b"")


def test_as_long_as_the_sandbox_is_tried_nobody_is_told_that_there_is_none() -> None:
    assert shell_line({"sandbox": False, "tried": False}) == "shell: the sandbox is being tried"
    assert shell_line({"sandbox": False, "tried": True}).startswith("shell: no sandbox")


def test_it_says_in_a_few_lines_what_agents_can_do_and_who_waits(
    tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "agents" / "reader").mkdir(parents=True)
    (home / "agents" / "reader" / "soul.md").write_text("You read.")
    (home / "skills" / "tea").mkdir(parents=True)
    (home / "skills" / "tea" / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\nBoil.")
    (home / "projects" / "broken").mkdir(parents=True)
    (home / "projects" / "broken" / "PROJECT.md").write_bytes(b"\xff")
    (home / "sulla.toml").write_text('[mcp.servers.gone]\ncommand = "/nowhere/to/be/found"\n')
    monkeypatch.setenv("SULLA_HOME", str(home))
    script = Script([Rule(Reply("I do.", tools=(ToolUse("bash", {"command": "true"}),)), results=0)])
    with service(script) as model, Place(home, SULLA_SHELL__SANDBOX="false", **model.environ).up():
        assert typed(capsys, "ask", "do").code == Exit.BLOCKED
        lines = [line.strip() for line in typed(capsys, "status").out.splitlines()]
        assert "shell: no sandbox, so a person is asked before each command (sulla doctor)" in lines
        assert "agents: sulla, reader" in lines
        assert "skills: 11, 1 not allowed yet: tea" in lines
        assert "projects: 1 with 0 open tasks, 1 cannot be read (sulla doctor)" in lines
        assert "mcp servers: 1, not up: gone (sulla mcp list)" in lines
        assert "waiting for an answer: 1 (sulla approvals)" in lines
        assert any(line.startswith("memory: ") for line in lines)
        report = json.loads(typed(capsys, "status", "--json").out)
        assert report["approvals"] == 1
        assert report["shell"]["sandbox"] is False
        assert report["skills"] == {"known": 11, "not_allowed": ["tea"]}


async def _runs() -> None:
    return None


def test_a_gateway_calls_nothing_behind_that_it_leaves_to_the_workers() -> None:
    absent = Built(tasks={"memory": _runs, "mcp": _runs, "live": _runs}, at_gateways=frozenset({"live"}))
    said: JsonObject = {
        "memory": "behind",
        "live": "behind",
        "mcp": [{"name": "clock", "state": "down"}],
        "shell": {"tried": False},
    }
    told = report_elsewhere(said, absent.absent_at_gateways)
    assert told == {
        "memory": "at the workers",
        "mcp": [{"name": "clock", "state": "at the workers"}],
        "shell": {"tried": False, "here": False},
    }
    assert shell_line(cast(dict[str, Any], told["shell"])) == "shell: commands are run at the workers"
    assert report_elsewhere({"memory": "off", "journal": "up to date"}, {"memory", "journal"}) == {}
