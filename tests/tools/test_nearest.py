from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import pytest

from sulla.tools.nearest import MAX_COMPARED, did_you_mean, nearest

NAMES = ("read_file", "write_file", "list_dir", "search_files", "get_time_date")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("readfile", "read_file"), ("READ_FILE", "read_file"), ("listdir", "list_dir"), ("time", "get_time_date")],
)
def test_the_best_match_comes_first(wrong: str, meant: str) -> None:
    assert nearest(wrong, NAMES)[0] == meant


def test_something_else_altogether_is_near_nothing() -> None:
    assert nearest("qqqqq", NAMES) == ()
    assert nearest("", NAMES) == ()
    assert nearest("read_file", ()) == ()


def test_only_so_many_are_offered() -> None:
    assert len(nearest("file", [f"file_{number}" for number in range(20)])) == 3


def test_a_huge_wrong_name_costs_little() -> None:
    assert nearest("read_file" + "x" * 1_000_000, NAMES) == ()


def test_of_many_names_few_are_compared_and_the_best_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def counted(word: str, names: Iterable[str], n: int, cutoff: float) -> list[str]:
        told = list(names)
        compared.append(len(told))
        return get_close_matches(word, told, n=n, cutoff=cutoff)

    monkeypatch.setattr("difflib.get_close_matches", counted)
    many = [f"step_{number}" for number in range(1000)] + list(NAMES)
    for wrong, meant in (("stap_517", "step_517"), ("lisst_dir", "list_dir"), ("saerch_files", "search_files")):
        assert nearest(wrong, many)[0] == meant
    assert max(compared) <= MAX_COMPARED


def test_it_reads_as_a_question() -> None:
    assert did_you_mean("red_file", NAMES).startswith(" Did you mean 'read_file'")
    assert did_you_mean("qqqqq", NAMES) == ""
