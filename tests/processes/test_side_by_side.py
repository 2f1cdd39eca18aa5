"""Tests that run side by side tell what they tell alone, and one that takes its process with it has failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.processes.forked import FORKS

pytestmark = [pytest.mark.skipif(not FORKS, reason="here, all tests run in one process"), in_turn(3)]

HEAD = """
import os, signal, sys, warnings
from pathlib import Path
import pytest

@pytest.fixture(scope="module", autouse=True)
def around():
    yield
    with (Path(__file__).parent / "torn down").open("a") as kept:
        kept.write(f"{Path(__file__).stem}\\n")
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
FILES = {
    "test_well": "@pytest.mark.parametrize('n', range(21))\ndef test_holds(n, tmp_path): print('quiet')",
    "test_ill": "def test_fails():\n    print('said before')\n    assert [1] == [2]\ndef test_goes_on(): pass",
    "test_killed": f"def test_ends(): {KILL}\ndef test_behind_it(): pass",
    "test_warns": "def test_warns(): warnings.warn(UserWarning('mind this'))",
    "test_raises": "@pytest.fixture\ndef broken(): raise OSError('no such thing')\ndef test_lacks(broken): pass",
}


def _run(folder: Path, *arguments: str) -> tuple[int, str]:
    for name, text in FILES.items():
        (folder / f"{name}.py").write_text(HEAD + text)
    command = [sys.executable, "-m", "pytest", "-p", "tests.processes.side_by_side", "-p", "no:cacheprovider", "-q"]
    run = subprocess.run(
        [*command, "-W", "default::UserWarning", "-c", ROOT / "pyproject.toml", "--processes", "2", *arguments, folder],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return run.returncode, run.stdout + run.stderr


def test_all_is_run_once_and_told(tmp_path: Path) -> None:
    code, said = _run(tmp_path)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "2 failed, 24 passed, 1 warning, 1 error" in said
    assert "assert [1] == [2]" in said
    assert said.count("said before") == 1
    assert "quiet" not in said
    assert "its process ended meanwhile, with -9" in said
    assert "no such thing" in said
    assert "UserWarning: mind this" in said
    ended = (tmp_path / "torn down").read_text().split()
    assert sorted(ended) == ["test_ill", "test_killed", "test_raises", "test_warns", "test_well"]


def test_a_run_that_is_to_stop_stops_everywhere(tmp_path: Path) -> None:
    code, said = _run(tmp_path, "--session-timeout", "0.001", "--deselect", str(tmp_path / "test_killed.py"))
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "session-timeout" in said
    assert "20 passed" not in said


def test_where_no_process_is_left_the_run_fails(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text(f"{HEAD}def test_ends(): {KILL}")
    code, said = _run(tmp_path, "-k", "test_ends")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "no process is left to run" in said
