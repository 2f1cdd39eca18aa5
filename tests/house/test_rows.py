"""Tables of rows try what their tests would, and tell which rows fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT

PLANTED = """
import warnings
import pytest

TRIED = []

@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_some_rows_fail(number):
    TRIED.append(number)
    assert number % 2 == 0, f"odd: {number}"

@pytest.mark.parametrize("b", ["x", "y"])
@pytest.mark.parametrize("a", [1, 2])
def test_every_row_is_tried(a, b):
    TRIED.append((a, b))

def test_what_was_tried():
    assert TRIED == [0, 1, 2, 3, (1, "x"), (1, "y"), (2, "x"), (2, "y")]

@pytest.mark.parametrize("number", [1, 2, 3])
def test_that_skips(number):
    if number > 1:
        pytest.skip("not today")

@pytest.mark.parametrize("how", ["warn", "fail", "skip", "fine"])
def test_in_other_ways(how):
    if how == "warn":
        warnings.warn("old")
    if how == "fail":
        pytest.fail("no")
    if how == "skip":
        pytest.skip("not today")

class TestOfAClass:
    seen = 0

    @pytest.mark.parametrize("number", [1, 2])
    def test_has_an_instance_for_each_row(self, number):
        self.seen += 1
        assert self.seen == 1

@pytest.mark.parametrize("number", [1, 2])
def test_with_a_fixture(number, monkeypatch):
    pass

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.xfail(strict=True))])
def test_with_a_mark(number):
    assert number == 1

@pytest.fixture
def doubled(request):
    return request.param * 2

@pytest.mark.parametrize("doubled", [1, 2], indirect=True)
def test_by_way_of_a_fixture(doubled):
    assert doubled in (2, 4)

@pytest.mark.parametrize("number", [1, 2])
async def test_that_waits(number):
    pass

@pytest.mark.parametrize("number", [1])
def test_of_one_row(number):
    pass
"""


def _run(folder: Path, *names: str) -> str:
    planted = folder / "test_planted.py"
    planted.write_text(PLANTED)
    chosen = [f"{planted}::{name}" for name in names] or [str(planted)]
    command = [sys.executable, "-m", "pytest", "-p", "tests.house.rows", "-p", "no:cacheprovider", "-rA", "-v"]
    return subprocess.run(
        [*command, "-c", ROOT / "pyproject.toml", *chosen],
        # Where nobody watches, pytest would repeat whole messages in its summary.
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "CI": ""},
    ).stdout  # fmt: skip


def _ended(output: str, how: str) -> set[str]:
    return set(re.findall(rf"^{how} \S*?::(\S+)", output, re.MULTILINE))


def test_every_row_is_tried_and_each_that_fails_is_told(tmp_path: Path) -> None:
    output = _run(tmp_path)
    assert _ended(output, "FAILED") == {"test_some_rows_fail", "test_in_other_ways"}, output
    assert "2 of 4 rows failed" in output
    assert re.findall(r"^E +AssertionError: (odd: \d)$", output, re.MULTILINE) == ["odd: 1", "odd: 3"]
    assert re.findall(r"^\[(\w+)\]$", output, re.MULTILINE) == ["1", "3", "warn", "fail"], output
    assert "assert (1 % 2) == 0" in output, "an assertion is explained as in a test of its own"


def test_only_rows_of_plain_values_are_put_together(tmp_path: Path) -> None:
    output = _run(tmp_path)
    assert _ended(output, "PASSED") == {
        "test_every_row_is_tried",
        "test_what_was_tried",
        "TestOfAClass::test_has_an_instance_for_each_row",
        "test_with_a_fixture[1]",
        "test_with_a_fixture[2]",
        "test_with_a_mark[1]",
        "test_by_way_of_a_fixture[1]",
        "test_by_way_of_a_fixture[2]",
        "test_that_waits[1]",
        "test_that_waits[2]",
        "test_of_one_row[1]",
    }, output
    assert _ended(output, "XFAIL") == {"test_with_a_mark[2]"}
    assert re.search(r"^SKIPPED .*: 2 of 3 rows: 2, 3: not today$", output, re.MULTILINE), output
    assert "17 rows were tried as tables of one test each" in output


def test_rows_can_still_be_chosen(tmp_path: Path) -> None:
    output = _run(tmp_path, "test_some_rows_fail[0]", "test_some_rows_fail[2]")
    assert _ended(output, "PASSED") == {"test_some_rows_fail"}
    assert "2 rows were tried" in output
