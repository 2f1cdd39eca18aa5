"""When a file is full, and what moves where then. Pure.

The current file has the number 0; a higher number is an older file.
"""

from __future__ import annotations

from collections.abc import Collection

from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RotationPlan:
    """How a full file makes room: remove, then rename in this order. Stopped anywhere, nothing is overwritten."""

    remove: tuple[int, ...]
    rename: tuple[tuple[int, int], ...]


def is_full(size_bytes: int, more_bytes: int, limit_bytes: int) -> bool:
    """Whether a file has no room for more; an empty one takes anything, because a line is never split."""
    return size_bytes > 0 and size_bytes + more_bytes > limit_bytes


def moves(numbers: Collection[int], keep_files: int) -> RotationPlan:
    """How the current file gets out of the way.

    Args:
        numbers: the older files that are there.
        keep_files: how many of them there may be afterwards.
    """
    # A gap, as a kill in the middle of this leaves one, takes up the shift.
    free = next((number for number in range(1, keep_files) if number not in numbers), keep_files)
    remove = sorted(number for number in numbers if number > keep_files or number == free)
    return RotationPlan(tuple(remove), tuple((number, number + 1) for number in range(free - 1, -1, -1)))
