"""Of a marked file the gate runs a part, another one at each commit, and `./dev faults` all the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT
from tests.kits.in_turn import left_out

TESTS = [f"test_{number}" for number in range(10)]


def test_of_each_file_its_part_is_drawn_and_at_least_one_test() -> None:
    assert [len(left_out(TESTS, share, "file", "commit")) for share in (1, 2, 3, 10, 100)] == [0, 5, 6, 9, 9]
    assert left_out([], 3, "file", "commit") == set()


def test_the_same_commit_draws_the_same_and_commits_after_one_another_draw_all() -> None:
    assert left_out(TESTS, 3, "file", "one") == left_out(TESTS[::-1], 3, "file", "one")
    drawn = [set(TESTS) - left_out(TESTS, 3, "file", f"commit {number}") for number in range(40)]
    assert set().union(*drawn) == set(TESTS)
    assert len(set(map(frozenset, drawn))) > 10


def _passed(folder: Path, *arguments: str) -> set[str]:
    environ = os.environ | {"POINTS_SEED": "one", "PYTHONPATH": str(ROOT)}
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.kits.in_turn",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:schemathesis",
        "-q",
        "-rp",
        *arguments,
    ]
    done = subprocess.run(line, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line.split("::")[1] for line in done.stdout.splitlines() if line.startswith("PASSED")}


def test_the_gate_and_faults_have_all_together_and_whoever_names_a_file_has_all(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\ntestpaths = ['t']\naddopts = \"-m 'not faults'\"\nmarkers = ['faults', 'in_turn']\n"
    )
    (tmp_path / "t").mkdir()
    planted = "import pytest\npytestmark = pytest.mark.in_turn(3)\n" + "\n".join(
        f"def {name}(): pass" for name in TESTS
    )
    planted += "\n@pytest.mark.faults\ndef test_rare(): pass"
    (tmp_path / "t" / "test_planted.py").write_text(planted)
    gate, faults = _passed(tmp_path), _passed(tmp_path, "-m", "faults")
    assert len(gate) == 4, "of those alone that are not for faults anyway"
    assert gate | faults == {*TESTS, "test_rare"}
    assert gate & faults == set()
    assert _passed(tmp_path, "t/test_planted.py") == set(TESTS)
    assert _passed(tmp_path, "-m", "faults", "t") == faults
