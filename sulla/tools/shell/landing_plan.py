"""Decides what a landing has to do, from what is in the layer and in the workspace (`tools.shell.landing`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from sulla.tools.shell.changes import Change
from sulla.tools.shell.landing_steps import LandingPlan, LandingStep, in_order
from sulla.tools.shell.layer import Layer
from sulla.tools.shell.renames import can_move


def plan_of(layer: Layer, changes: Sequence[Change], top: int) -> LandingPlan:
    """What is to be done.

    Args:
        layer: holds the changes.
        changes: of any kind; what is no file, folder or link stays behind.
        top: the workspace's folder, open.

    Raises:
        OSError: something of it cannot be looked at.
    """
    inside, ordered = not can_move(layer), [change for change in in_order(changes) if change.kind != "odd"]
    # In the place of what is gone another folder may be made.
    gone = {change.parts for change in ordered if change.kind == "gone"}
    there: dict[tuple[str, ...], os.stat_result | None] = {}
    rights: dict[str, int] = {}
    steps: list[LandingStep] = []
    for change in ordered:
        copied, had = False, 0
        for end in range(1, len(change.parts) + 1):
            if (parts := change.parts[:end]) not in there:
                there[parts] = _folder("/".join(parts), top)
        if change.kind in ("file", "link"):
            # One with a second name would be one with what is still held back, and change with it.
            copied = inside or layer.upper.joinpath(*change.parts).lstat().st_nlink > 1
            for end in range(1, len(change.parts)):
                if (path := "/".join(change.parts[:end])) not in rights:
                    rights[path] = stat.S_IMODE(layer.upper.joinpath(path).lstat().st_mode)
        if (before := there[change.parts]) is not None and not change.is_new:
            had = stat.S_IMODE(before.st_mode) & 0o777
        steps.append(LandingStep(change.parts, change.kind, change.is_new, copied, change.mode, had))
    return LandingPlan(
        layer.workspace,
        os.fstat(top).st_ino,
        inside,
        tuple(steps),
        {"/".join(parts): found.st_ino for parts, found in there.items() if found is not None and parts not in gone},
        {path: mode for path, mode in rights.items() if mode & stat.S_IRWXU != stat.S_IRWXU},
    )


def _folder(path: str, top: int) -> os.stat_result | None:
    with suppress(FileNotFoundError, NotADirectoryError):
        found = os.stat(path, dir_fd=top, follow_symlinks=False)
        return found if stat.S_ISDIR(found.st_mode) else None
    return None
