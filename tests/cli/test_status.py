"""`sulla status` against a real daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import sulla
from sulla.cli.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place

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
