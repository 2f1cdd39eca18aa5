"""A full file moves out of the way, and a kill in the middle of that costs nothing."""

from __future__ import annotations

import pytest

from sulla.journal.rotation import RotationPlan, is_full, moves


@pytest.mark.parametrize(
    ("size", "more", "full"), [(0, 5, False), (0, 500, False), (95, 5, False), (95, 6, True), (100, 0, False)]
)
def test_a_file_is_full_when_a_line_does_not_fit_and_an_empty_one_never_is(size: int, more: int, full: bool) -> None:
    assert is_full(size, more, 100) is full


@pytest.mark.parametrize(
    ("there", "keep", "todo"),
    [
        (set(), 3, RotationPlan((), ((0, 1),))),
        ({1, 2}, 3, RotationPlan((), ((2, 3), (1, 2), (0, 1)))),
        ({1, 2, 3}, 3, RotationPlan((3,), ((2, 3), (1, 2), (0, 1)))),
        ({1, 3}, 3, RotationPlan((), ((1, 2), (0, 1)))),
        ({2, 3}, 3, RotationPlan((), ((0, 1),))),
        ({1, 2, 3, 4, 9}, 2, RotationPlan((2, 3, 4, 9), ((1, 2), (0, 1)))),
        ({1}, 1, RotationPlan((1,), ((0, 1),))),
    ],
)
def test_files_are_shifted_as_far_as_there_is_a_gap(there: set[int], keep: int, todo: RotationPlan) -> None:
    assert moves(there, keep) == todo


def _rotate(files: dict[int, int], keep: int, steps: int) -> None:
    """So many steps of a rotation; the values stand for the files' contents, a higher one is older."""
    todo = moves(files.keys() - {0}, keep)
    for number in todo.remove[:steps]:
        del files[number]
    for number, higher in todo.rename[: max(0, steps - len(todo.remove))]:
        assert higher not in files, "overwritten"
        files[higher] = files.pop(number)


@pytest.mark.parametrize("keep", range(1, 5))
def test_killed_anywhere_only_the_oldest_goes_and_the_order_stays(keep: int) -> None:
    for steps in range(keep + 3):
        files = {number: number for number in range(keep + 1)}
        _rotate(files, keep, steps)
        assert sorted(files.values())[:keep] == list(range(keep))
        files.setdefault(0, -1)  # the next start begins a new one, if need be
        _rotate(files, keep, 99)
        ages = [files[number] for number in sorted(files)]
        assert ages == sorted(ages)
        assert 0 not in files
        assert max(files) <= keep
        assert ages == list(range(min(ages), min(ages) + len(ages)))
