"""A test that lacks its server is skipped, and the run says so in its last line and ends with 3."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.servers.not_run import NOT_RUN

pytestmark = in_turn(3)

PLANTED = """
import pytest
from tests.servers.not_run import missing

@pytest.mark.parametrize("n", range(3))
def test_lacks(n):
    if n:
        missing("Redis", "install redis-server")

def test_lacks_it_too():
    missing("Redis", "install redis-server")

def test_holds():
    pass

def test_skipped_for_another_reason():
    pytest.skip("no such thing on this system")
"""


def _run(tmp_path: Path, *arguments: str, planted: str = PLANTED) -> subprocess.CompletedProcess[str]:
    (tmp_path / "test_planted.py").write_text(planted)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-q", *arguments]
    return subprocess.run(
        [*command, "-c", ROOT / "pyproject.toml", tmp_path / "test_planted.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("side_by_side", [(), ("--processes", "2")], ids=["alone", "side by side"])
def test_the_last_line_names_what_was_not_run_and_the_run_does_not_pass(
    tmp_path: Path, side_by_side: tuple[str, ...]
) -> None:
    run = _run(tmp_path, *side_by_side)
    assert run.stdout.splitlines()[-1] == "NOT RUN: 2 tests need Redis (install redis-server)", run.stdout
    assert run.returncode == NOT_RUN == 3


def test_a_run_that_lacks_nothing_says_nothing(tmp_path: Path) -> None:
    run = _run(tmp_path, planted=PLANTED.replace('missing("Redis", "install redis-server")', "pass"))
    assert run.returncode == 0
    assert "NOT RUN" not in run.stdout


def test_a_failure_stays_a_failure(tmp_path: Path) -> None:
    run = _run(tmp_path, planted=PLANTED.replace("    pass", "    assert False"))
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "NOT RUN: 2 tests need Redis" in run.stdout
