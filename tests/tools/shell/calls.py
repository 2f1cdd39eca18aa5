"""Something happens before a call that changes a file: a kill, an error, or somebody else's work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sulla.tools.shell.landing_state import LandingState
from sulla.tools.shell.layer import remove_tree

CALLS = ("chmod", "fchmod", "link", "mkdir", "rename", "rmdir", "symlink", "unlink", "utime")
"""What changes files."""


@contextmanager
def before_call(act: Callable[[int], object], *, trees: bool = True, notes: bool = True) -> Iterator[list[int]]:
    """Do something before each call that changes a file, by its number; gives a list of how many there were. Whole
    trees are removed by another program, and that it failed is told to nobody.
    """
    count = [0]

    def counted(whole: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            count[0] += 1
            act(count[0] - 1)
            return whole(*args, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, counted(getattr(os, name)))
        if trees:
            patch.setattr("sulla.tools.shell.landing_state.remove_tree", counted(remove_tree))
        if notes:
            patch.setattr(LandingState, "note", counted(LandingState.note))
        yield count


def at(number: int, error: BaseException) -> Callable[[int], None]:
    def act(call: int) -> None:
        if call == number:
            raise error

    return act


class Killed(BaseException):
    """The daemon is gone at this point."""
