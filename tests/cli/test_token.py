"""`sulla token`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from sulla.cli.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place

Capsys = pytest.CaptureFixture[str]


def test_it_is_the_one_that_the_daemon_takes(here: Place, capsys: Capsys) -> None:
    shown = typed(capsys, "token")
    assert (shown.code, shown.out, shown.err) == (Exit.OK, (here.home / "token").read_text(), "")


def test_a_new_home_gets_one_and_keeps_it(tmp_path: Path, capsys: Capsys) -> None:
    home = tmp_path / "new"
    first, second = (typed(capsys, "token", "--home", str(home)).out for _ in range(2))
    assert first == second == (home / "token").read_text()
    assert stat.S_IMODE((home / "token").stat().st_mode) == 0o600


def test_json_holds_it_for_scripts(here: Place, capsys: Capsys) -> None:
    assert json.loads(typed(capsys, "token", "--json").out) == {"token": (here.home / "token").read_text().strip()}


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "file").write_text("")
    shown = typed(capsys, "token", "--home", str(tmp_path / "file"))
    assert (shown.code, shown.out) == (Exit.SETTINGS, "")
    assert shown.err.startswith(f"sulla: the home {tmp_path / 'file'} cannot be made: ")
