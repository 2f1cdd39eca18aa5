"""At which points of its course something is tried out: where a process dies, or which seeds are drawn.

`./dev faults` tries every point. `./dev check` tries each kind of point once, and a tenth of the others; which tenth is
drawn from the commit, so that commit after commit all of them come up, and one commit fails again where it failed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest

from sulla.testing.mortal import CHANGES
from sulla.testing.store import Touch

_ROOT = Path(__file__).resolve().parents[2]
_SHARE = 10
"""One of so many points is drawn."""

Points = Callable[[Sequence[str], str], list[int]]
"""Given the kind of each point and a name of the course, the numbers of those to try, from 1."""


@cache
def seed() -> str:
    """What the points of the gate are drawn by: ``SULLA_POINTS_SEED``, else the commit that is checked out."""
    if (given := os.environ.get("SULLA_POINTS_SEED")) is not None:
        return given
    line = ["git", "-C", str(_ROOT), "rev-parse", "HEAD"]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(
            f"{_ROOT} has no commit to draw points by ({error}): set SULLA_POINTS_SEED, to anything"
        ) from error


def every(kinds: Sequence[str], course: str) -> list[int]:
    """All of them.

    Args:
        kinds: the kind of each point.
        course: of what they are points.
    """
    return list(range(1, len(kinds) + 1))


def drawn(kinds: Sequence[str], course: str) -> list[int]:
    """The first of each kind and a tenth of all. Says, for a test that fails, how to have the same again.

    Args:
        kinds: the kind of each point.
        course: of what they are points; another one is drawn for otherwise.
    """
    first = {kind: number for number, kind in reversed(list(enumerate(kinds, 1)))}
    tenth = Random(f"{seed()} {course}").sample(every(kinds, course), -(-len(kinds) // _SHARE))
    chosen = sorted({*first.values(), *tenth})
    print(f"points {chosen} of {len(kinds)} of {course}: again with SULLA_POINTS_SEED={seed()}")
    return chosen


each_extent = pytest.mark.parametrize(
    "points", [pytest.param(drawn, id="drawn"), pytest.param(every, id="every", marks=pytest.mark.faults)]
)
"""For a test that takes `points: Points`."""


class Course:
    """A plan of a `FaultyStore` that lets everything happen, and remembers of what kind each change was."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    async def __call__(self, touch: Touch) -> None:
        """Remember it.

        Args:
            touch: a call, before or after it.
        """
        if touch.phase == "before" and touch.method in CHANGES:
            self.kinds.append(" ".join((touch.method, *touch.kinds)))
