"""A plugin for files of many tests of one kind: the gate runs a part of them, another one at each commit.

A file says so with ``pytestmark = in_turn(3)``: a third of its tests is drawn by the commit, as the points of
`tests/kits/points.py` are; the others are for `./dev faults`. Whoever names files or tests has all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from tests.kits.points import seed

NAME = "in_turn"


def in_turn(share: int) -> pytest.MarkDecorator:
    """The mark of a file.

    Args:
        share: one of so many of its tests is for the gate, and at least one.
    """
    return pytest.mark.in_turn(share)


def left_out(tests: Iterable[str], share: int, course: str, by: str) -> set[str]:
    """The tests that are not drawn.

    Args:
        tests: the names of all.
        share: one of so many is drawn.
        course: the file, for which others are drawn than for the next one.
        by: what they are drawn by.
    """
    order = sorted(tests)
    Random(f"{by} {course}").shuffle(order)
    return set(order[-(-len(order) // share) :])


def marked_files(items: Iterable[pytest.Item]) -> dict[Path, list[pytest.Item]]:
    """The tests of files that are marked, but for those that are for `./dev faults` anyway."""
    found: dict[Path, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker(NAME) is not None and item.get_closest_marker("faults") is None:
            found.setdefault(item.path, []).append(item)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is not drawn, before pytest leaves out what is marked so."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if named and config.option.markexpr != "faults":
        return
    for path, mine in marked_files(items).items():
        mark = mine[0].get_closest_marker(NAME)
        assert mark is not None
        course = path.relative_to(config.rootpath).as_posix()
        others = left_out((item.nodeid for item in mine), mark.args[0], course, seed())
        for item in mine:
            if item.nodeid in others:
                item.add_marker(pytest.mark.faults)
