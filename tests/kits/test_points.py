"""Which points are tried: each kind, a tenth besides, the same for a commit and others for the next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kits.points import drawn, every, seed, some, turns

KINDS = [{"offer"}, {"append", "RUN_STARTED"}, *[{"append", "INPUT"}] * 97, {"append", "INPUT", "RUN_FINISHED"}]


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    seed.cache_clear()
    monkeypatch.setenv("POINTS_SEED", "a commit")
    yield
    seed.cache_clear()


def test_each_kind_is_tried_and_a_tenth_besides() -> None:
    chosen = drawn(KINDS, "a run")
    assert {1, 2, 100} <= set(chosen)  # each is the only one of its kind
    assert 10 <= len(chosen) <= 13
    assert chosen == sorted(set(chosen) & set(every(KINDS, "a run")))


def test_the_same_commit_draws_the_same_and_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = drawn(KINDS, "a run")
    assert f"points {chosen} of 100 of a run: again with POINTS_SEED=a commit" in capsys.readouterr().out
    assert drawn(KINDS, "a run") == chosen
    assert drawn(KINDS, "another run") != chosen


def test_commit_after_commit_all_points_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: set[int] = set()
    for number in range(100):
        seed.cache_clear()
        monkeypatch.setenv("POINTS_SEED", str(number))
        tried |= set(drawn(KINDS, "a run"))
    assert tried == set(every(KINDS, "a run"))


def test_without_being_told_it_is_the_commit_that_is_checked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POINTS_SEED")
    assert len(seed()) == 40


def test_some_parameters_are_for_the_gate_and_the_others_for_the_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        seed.cache_clear()
        monkeypatch.setenv("POINTS_SEED", str(number))
        given = some(["sqlite", ("redis", 2), "postgres"], 2, "a proof")
        assert [one.values for one in given] == [("sqlite",), ("redis", 2), ("postgres",)]
        assert [mark.name for one in given for mark in one.marks] == ["faults"]


def test_tests_of_one_kind_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    def test() -> None: ...

    tried: set[str] = set()
    for number in range(20):
        seed.cache_clear()
        monkeypatch.setenv("POINTS_SEED", str(number))
        in_turn = turns(["killed", "frozen", "cut"], 2, "outages")
        for name in ("killed", "frozen", "cut"):
            in_turn(name)(test)
            tried |= {name} - {name for mark in test.__dict__.pop("pytestmark", ()) if mark.name == "faults"}
    assert tried == {"killed", "frozen", "cut"}
    with pytest.raises(AssertionError, match="stopped"):
        turns(["killed", "frozen", "cut"], 2, "outages")("stopped")


def test_files_without_a_repository_have_one_seed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("POINTS_SEED")
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    assert seed() == "no commit"
