"""At which points of its course something is tried out: where a process dies, or which seeds are drawn.

`./dev faults` tries every point. `./dev check` tries a tenth, and each kind of point at least once; which ones is
drawn from the commit, so that commit after commit all of them come up, and one commit fails again where it failed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Collection, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest
from _pytest.mark import MarkDecorator, ParameterSet

from sulla.testing.mortal import CHANGES
from sulla.testing.store import Touch

_ROOT = Path(__file__).resolve().parents[2]
_SHARE = 10
"""One of so many points is drawn."""

T = TypeVar("T")

Kinds = Collection[str]
"""What happens at a point, for example the kinds of the records that are written."""

Points = Callable[[Sequence[Kinds], str], list[int]]
"""Given what happens at each point and a name of the course, the numbers of those to try, from 1."""


@cache
def seed() -> str:
    """What the points of the gate are drawn by: ``POINTS_SEED``, else the commit that is checked out.

    Where there is no repository, only the files of one, the seed is ``no commit``: then the same are drawn every time.
    """
    if (given := os.environ.get("POINTS_SEED")) is not None:
        return given
    line = ["git", "-C", str(_ROOT), "rev-parse", "HEAD"]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


def every(kinds: Sequence[Kinds], course: str) -> list[int]:
    """All of them.

    Args:
        kinds: what happens at each point.
        course: of what they are points.
    """
    return list(range(1, len(kinds) + 1))


def drawn(kinds: Sequence[Kinds], course: str) -> list[int]:
    """A tenth of all, and what it takes besides so that everything happens at one of them, each drawn by the commit.

    Says how to have the same again; pytest shows it with a test that fails.

    Args:
        kinds: what happens at each point.
        course: of what they are points; another one is drawn for otherwise.
    """
    order = every(kinds, course)
    Random(f"{seed()} {course}").shuffle(order)
    chosen = order[: -(-len(order) // _SHARE)]
    left = set[str]().union(*kinds).difference(*(kinds[number - 1] for number in chosen))
    while left:
        most = max(order, key=lambda number: len(left.intersection(kinds[number - 1])))
        chosen.append(most)
        left.difference_update(kinds[most - 1])
    chosen.sort()
    print(f"points {chosen} of {len(kinds)} of {course}: again with POINTS_SEED={seed()}")  # noqa: T201  # shown with a failure
    return chosen


def sample(values: Sequence[T], many: int, course: str) -> list[T]:
    """A few, drawn by the commit.

    Args:
        values: what is drawn from.
        many: how many are drawn.
        course: of what they are; another one is drawn for otherwise.
    """
    return Random(f"{seed()} {course}").sample(values, many)


def some(values: Sequence[object], many: int, course: str) -> list[ParameterSet]:
    """Parameters of which a few are for the gate, drawn by the commit; the others are for `./dev faults`.

    Args:
        values: each a parameter, or a tuple of them.
        many: how many are drawn; they differ little, or `values` would not be drawn from.
        course: of what they are parameters.
    """
    chosen = sample(range(len(values)), many, course)
    parameters = [value if isinstance(value, tuple) else (value,) for value in values]
    return [
        pytest.param(*value, marks=() if at in chosen else pytest.mark.faults) for at, value in enumerate(parameters)
    ]


def turns(names: Sequence[str], many: int, course: str) -> Callable[[str], MarkDecorator]:
    """For tests of one kind, of which a few are for the gate, drawn by the commit; the others are for `./dev faults`.

    Args:
        names: of the tests; what one of them is marked with is asked for by its name.
        many: how many are drawn.
        course: of what they are tests.
    """
    chosen = sample(names, many, course)

    def mark(name: str) -> MarkDecorator:
        assert name in names, name
        return pytest.mark.usefixtures() if name in chosen else pytest.mark.faults

    return mark


each_extent = pytest.mark.parametrize(
    "points", [pytest.param(drawn, id="drawn"), pytest.param(every, id="every", marks=pytest.mark.faults)]
)
"""For a test that takes `points: Points`."""


class Course:
    """A plan of a `FaultyStore` that lets everything happen, and remembers what each change was.

    Args:
        changes: the methods that count.
    """

    def __init__(self, changes: Collection[str] = CHANGES) -> None:
        self._changes = changes
        self.kinds: list[Kinds] = []

    async def __call__(self, touch: Touch) -> None:
        """Remember it.

        Args:
            touch: a call, before or after it.
        """
        if touch.phase == "before" and touch.method in self._changes:
            self.kinds.append({touch.method, *touch.kinds})
