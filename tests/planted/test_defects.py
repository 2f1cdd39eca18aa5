"""Every defect that is planted is noticed by the tests that are there to notice it, and these pass without it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.kits.points import some
from tests.planted.defects import Copy, Defect, Verdict, read

DEFECTS = read()
ENOUGH = 60
DRAWN = 2
"""So many are tried by `./dev check`."""


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """One for each process that runs tests."""
    return Copy(tmp_path_factory.mktemp("planted") / "tree")


def test_the_text_that_each_replaces_is_in_its_file_exactly_once() -> None:
    wrong = [defect.place for defect in DEFECTS if defect.place]
    assert not wrong, "\n".join([*wrong, "the code has changed: plant the same defect in what is there now"])


def test_there_are_enough_and_each_is_another_one() -> None:
    assert len(DEFECTS) >= ENOUGH
    assert [defect.name for defect in DEFECTS if defect.text == defect.instead or not defect.tests] == []
    places = Counter((defect.file, defect.text, defect.instead) for defect in DEFECTS)
    assert [place for place, count in places.items() if count > 1] == []


@pytest.mark.timeout(900)
@pytest.mark.parametrize("defect", some(DEFECTS, DRAWN, "planted defects"), ids=lambda defect: defect.name)
def test_a_defect_is_noticed(copy: Copy, defect: Defect) -> None:
    with copy.planted(defect):
        verdict = copy.run(defect.tests)
    assert verdict.code in (0, 1), f"its tests could not be run:\n{verdict.said}"
    assert verdict.missing(defect.tests) == [], f"not noticed:\n{verdict.said}"
    assert not verdict.overdue, f"noticed by nothing but the time that it took:\n{verdict.said}"


@pytest.mark.faults
@pytest.mark.timeout(3600)
def test_without_a_defect_they_all_pass(copy: Copy) -> None:
    verdict = copy.run(sorted({test for defect in DEFECTS for test in defect.tests}), patience_s=3000)
    assert verdict.code == 0, verdict.said


# -------------------------------------------------------------------------------------------------- the runner itself

TABLE = """
[one]
file = "sulla/core/units.py"
text = "no such text"
instead = "x"
tests = ["tests/core/test_units.py::test_a", "tests/core"]
"""


def test_a_text_that_is_there_no_more_is_named_with_its_place() -> None:
    (defect,) = read({"core": TABLE})
    assert defect.place == "core: one: sulla/core/units.py has 0 times, expected once: 'no such text'"


def test_each_test_that_is_named_has_to_fail_and_no_other_stands_for_it() -> None:
    said = "FAILED tests/a/test_b.py::test_c[x-1] - assert 1\nERROR tests/d/test_e.py::test_f\n"
    verdict = Verdict(1, frozenset({"tests/a/test_b.py::test_c[x-1]", "tests/d/test_e.py::test_f"}), said)
    assert verdict.missing(["tests/a/test_b.py::test_c", "tests/d", "tests/a/test_b.py", "tests/d/test_e.py"]) == []
    assert verdict.missing(["tests/a/test_b.py::test", "tests/a/test"]) == ["tests/a/test_b.py::test", "tests/a/test"]
    assert not verdict.overdue
    assert Verdict(1, frozenset(), "Failed: Timeout (>180.0s) from pytest-timeout.").overdue
