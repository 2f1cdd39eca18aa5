"""Undoing a landing that cannot be gone on with (`tools.shell.landing`). What somebody else has changed meanwhile stays
as it is, and what was there before and cannot be put back is kept for a person, never removed."""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress

from sulla.core.errors import Conflict
from sulla.tools.paths import printable
from sulla.tools.shell.landing_state import LandingState
from sulla.tools.shell.landing_steps import LandingStep
from sulla.tools.shell.renames import opened, status_of, writable

log = logging.getLogger(__name__)

MOST_NAMED = 16
"""Files that are named in one message."""


def undo(state: LandingState) -> str:
    """Put everything back as it was, but for what somebody else has changed since.

    Args:
        state: of a landing that was not ended.

    Returns:
        What is not as it was before, and where what was there lies, in words; empty if all is.
    """
    left = [
        step.path
        # Before all is staged nothing of the workspace has changed.
        for number, step in reversed(list(enumerate(state.plan.steps if state.is_staged else ())))
        if not _is_undone(state, number, step)
    ]
    for path, mode in state.plan.rights.items():
        with suppress(OSError):
            state.layer.upper.joinpath(path).chmod(mode)
    _rescue(state)
    state.layer.decided.unlink(missing_ok=True)
    state.remove()
    if not left:
        return ""
    more = f" and {len(left) - MOST_NAMED} more" if left[MOST_NAMED:] else ""
    said = f"not as before, since somebody has changed something there meanwhile: {', '.join(left[:MOST_NAMED])}{more}"
    if state.has_rescued:
        said += f"; what could not be put back lies in {printable(str(state.rescued))} and stays there"
    log.error("%s: %s", state.plan.workspace, said)
    return said


def _is_undone(state: LandingState, number: int, step: LandingStep) -> bool:
    """Undo one step, or say that this cannot be done."""
    try:
        with state.at(step.parts[:-1]) as at:
            try:
                return _undone(state, number, step, at)
            except PermissionError:
                with writable(at):
                    return _undone(state, number, step, at)
    except (OSError, Conflict) as error:
        # Where its folder was never made, or somebody has moved that away before, there is nothing to be undone.
        whole = not (state.is_done(number, step) or os.path.lexists(state.kept(number)))
        if not whole:
            log.error("%s cannot be put back: %s", step.path, error)
        return whole


def _undone(state: LandingState, number: int, step: LandingStep, at: int) -> bool:
    name, kept, there = step.parts[-1], state.kept(number), status_of(step.parts[-1], at)
    if step.kind == "folder":
        _undo_folder(state, step, at, there)
        return True
    if step.is_put and state.is_done(number, step):
        if there is None:
            return not os.path.lexists(kept)  # somebody has removed it
        if not state.is_ours(number, there):
            return False  # somebody has worked on it
        os.rename(name, state.source(number, step), src_dir_fd=at)
        there = None
    if (before := status_of(str(kept))) is None:
        return True
    if there is None:
        os.rename(kept, name, dst_dir_fd=at)
        if step.had:
            with opened(at, (name,)) as folder:
                os.fchmod(folder, step.had)
        return True
    if there.st_ino == before.st_ino:
        kept.unlink()  # it was not replaced yet
    return there.st_ino == before.st_ino


def _undo_folder(state: LandingState, step: LandingStep, at: int, there: os.stat_result | None) -> None:
    if step.is_new:
        with suppress(OSError):  # somebody else has put something there, or it was never made
            os.rmdir(step.parts[-1], dir_fd=at)
    elif there is not None and stat.S_ISDIR(there.st_mode):
        with state.at(step.parts) as folder:
            os.fchmod(folder, step.had)


def _rescue(state: LandingState) -> None:
    """Keep what is still in the area by the names that it had in the workspace."""
    for number, step in enumerate(state.plan.steps):
        kept, place = state.kept(number), state.rescued.joinpath(*step.parts)
        if os.path.lexists(kept):
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                kept.rename(place)
            except OSError:  # of a folder that lies there by a name of its own, or of a full disk
                kept.rename(state.rescued / kept.name)
