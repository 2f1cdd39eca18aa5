"""Putting into a workspace what a command has written into a layer over it: all of it, or nothing.

What is to be done is written down first. Then what has to be copied is copied beside the workspace's files, and only
then something of the workspace changes, by renames alone; whatever is in the way is kept until the end. So a step that
fails is followed by undoing those before it, and a daemon that was killed goes on when it starts again, or undoes what
it has done if somebody has changed a file meanwhile. All of this is for worker threads.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from sulla.core.errors import Conflict, Refused
from sulla.tools.shell.changes import Change
from sulla.tools.shell.landing_plan import plan_of
from sulla.tools.shell.landing_state import LandingState
from sulla.tools.shell.landing_steps import LandingPlan, LandingStep
from sulla.tools.shell.layer import Layer
from sulla.tools.shell.renames import (
    content_of,
    copy_to,
    folder_opened,
    is_newer_below,
    keep,
    opened,
    refusal,
    status_of,
    strip,
    take_out,
)
from sulla.tools.shell.undoing import undo
from sulla.tools.shell.workspace_lock import locked

log = logging.getLogger(__name__)

AgainResult = Literal["nothing", "landed", "undone", "waits"]
"""What a daemon before has left of a landing: none, one that is whole now, one that was undone, or one that nobody can
go on with now: its workspace is not there, or others change it."""


def put(layer: Layer, changes: Sequence[Change]) -> Mapping[str, int]:
    """Put changes into the workspace. Like those of any program they are not forced to the disk one by one.

    Args:
        layer: holds them; closed, and its workspace `locked`.
        changes: of any kind; what is no file, folder or link stays behind.

    Returns:
        The folders that were made, with their inodes.

    Raises:
        Conflict: somebody has changed a file in this moment; nothing is there, or it says what is not as before.
        Refused: one of them cannot be put there; nothing is, and the layer holds all of it still.
    """
    with _told_of(layer.workspace), folder_opened(layer.workspace) as top:
        plan = plan_of(layer, changes, top)
        layer.decided.write_text(plan.to_text())  # from here on it is decided
        state = LandingState(layer, plan, top)
        try:
            _Landing(state).go()
        except (OSError, Refused) as error:
            if left := undo(state):
                raise Conflict(f"{error}; {left}") from error
            raise
        state.remove()
        return state.made


def put_again(folder: Path) -> AgainResult:
    """Go on with what an earlier daemon was about to put into a workspace when it was killed.

    Args:
        folder: of a layer.
    """
    layer = Layer(folder, "")
    is_over = layer.landed.exists()
    try:
        plan = LandingPlan.from_text((layer.landed if is_over else layer.decided).read_text())
    except (OSError, ValueError, KeyError, TypeError):
        return "nothing"
    if is_over:
        LandingState(layer, plan, -1).remove()
        return "landed"
    try:
        with locked(plan.workspace), _told_of(plan.workspace), folder_opened(plan.workspace) as top:
            if os.fstat(top).st_ino != plan.top:
                raise Refused(f"{plan.workspace} is another folder than it was")
            return _gone_on(LandingState(Layer(folder, plan.workspace), plan, top))
    except Refused as away:
        log.warning("what a command had changed waits in %s for the next start: %s", folder, away.message)
        return "waits"


def _gone_on(state: LandingState) -> AgainResult:
    try:
        _Landing(state).go()
    except (OSError, Refused) as error:
        said = "; ".join(filter(None, [str(error), undo(state)]))
        log.warning("what a command had changed is not put into the workspace after the restart: %s", said)
        return "undone"
    state.remove()
    return "landed"


class _Landing:
    """Does what was decided.

    Args:
        state: what there is of it.
    """

    def __init__(self, state: LandingState) -> None:
        self._state = state
        self._layer = state.layer
        self._steps = list(enumerate(state.plan.steps))
        self._seen: dict[int, tuple[int, ...]] = {}

    def go(self) -> None:
        """Do what is left to be done.

        Raises:
            Conflict: somebody has changed what a step would change.
            Refused: a step fails.
        """
        for number, step in self._steps:
            with _told_of(step.path):
                self._check(number, step)
                if self._state.is_copy_changed(number, step):
                    raise Conflict(f"somebody has changed what was to be put at {step.path}; run the command again")
        self._stage()
        for number, step in self._steps:
            with _told_of(step.path):
                self._do(number, step)
        for number, step in self._steps:
            with _told_of(step.path):
                self._check_kept(number, step)
        for _, step in reversed(self._steps):  # only now: one may let nobody write into it
            if step.kind == "folder":
                with _told_of(step.path), self._state.at(step.parts) as at:
                    os.fchmod(at, step.mode)
        with _told_of(self._state.plan.workspace):
            self._layer.note.unlink(missing_ok=True)
            self._layer.decided.rename(self._layer.landed)  # from here on nothing is undone any more

    def _check(self, number: int, step: LandingStep) -> None:
        """See that nobody has changed what a step is about to change."""
        if self._state.is_done(number, step):
            return
        there = None
        with suppress(FileNotFoundError, NotADirectoryError), self._state.at(step.parts[:-1]) as at:
            there = status_of(step.parts[-1], at)
        if there is None or stat.S_ISDIR(there.st_mode):
            return  # a folder that is to go is looked through once nobody can reach it
        kept = status_of(str(self._state.kept(number)))
        # A kill came right after it was kept, which its `st_ctime` tells.
        same = kept is not None and kept.st_ino == there.st_ino
        changed_ns = there.st_mtime_ns if same else there.st_ctime_ns
        if changed_ns > self._layer.closed_ns or (same and self._state.is_touched(number, there)):
            raise _changed(step)
        self._seen[number] = content_of(there)

    def _check_kept(self, number: int, step: LandingStep) -> None:
        """See that nobody has written a file in the very moment in which it was replaced."""
        kept = status_of(str(self._state.kept(number)))
        if kept is None or stat.S_ISDIR(kept.st_mode):
            return
        seen = self._seen.get(number)
        if kept.st_mtime_ns > self._layer.closed_ns or (seen is not None and content_of(kept) != seen):
            raise _changed(step)

    def _stage(self) -> None:
        """Copy what cannot be moved; nothing of the workspace changes by that."""
        state = self._state
        if state.is_staged:
            return
        with _told_of(str(state.area)):
            state.make_area()
        for path, mode in state.plan.rights.items():  # files leave folders that can be written alone
            with _told_of(path):
                self._layer.upper.joinpath(path).chmod(mode | stat.S_IRWXU)
        ours: dict[int, tuple[int, ...]] = {}
        copies: dict[int, int] = {}
        for number, step in self._steps:
            if step.is_put:
                with _told_of(step.path):
                    written, source = self._layer.upper.joinpath(*step.parts), state.source(number, step)
                    if step.mode:
                        written.chmod(step.mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR)
                    if step.copied:
                        copy_to(written, source)
                    else:
                        strip(written)
                    if step.mode:
                        source.chmod(step.mode & 0o777)
                    status = source.lstat()
                    ours[number] = content_of(status)
                    if step.copied:
                        copies[number] = status.st_ctime_ns
        with _told_of(str(state.area)):
            beside = state.area / "staging"
            beside.write_text(json.dumps({"ours": ours, "copies": copies}))
            beside.rename(state.staged)

    def _do(self, number: int, step: LandingStep) -> None:
        if self._state.is_done(number, step):
            return
        name, kept = step.parts[-1], self._state.kept(number)
        with self._state.at(step.parts[:-1]) as at:
            there = status_of(name, at)
            is_folder = there is not None and stat.S_ISDIR(there.st_mode)
            if there is not None and not is_folder and content_of(there) != self._seen.get(number):
                raise _changed(step)
            if step.kind == "gone":
                if there is not None:
                    take_out(name, at, kept)
                if is_folder and is_newer_below(kept, self._layer.closed_ns):
                    raise _changed(step)
            elif step.kind == "folder":
                _make_folder(step, at, there)
            elif is_folder:
                raise _changed(step)
            else:
                if there is not None:
                    keep(name, at, kept)
                    self._note(number, name, at)
                os.rename(self._state.source(number, step), name, dst_dir_fd=at)
            if step.kind != "gone":
                self._note(number, name, at)

    def _note(self, number: int, name: str, at: int) -> None:
        if (there := status_of(name, at)) is not None:
            self._state.note(number, there)


def _make_folder(step: LandingStep, at: int, there: os.stat_result | None) -> None:
    if there is None:
        os.mkdir(step.parts[-1], 0o700, dir_fd=at)
    elif not stat.S_ISDIR(there.st_mode):
        raise _changed(step)
    elif not step.is_new:
        with opened(at, step.parts[-1:]) as folder:
            os.fchmod(folder, step.mode | stat.S_IRWXU)


def _changed(step: LandingStep) -> Conflict:
    return Conflict(f"somebody has changed {step.path} meanwhile; run the command again")


@contextmanager
def _told_of(path: str) -> Iterator[None]:
    """Say what it was that failed.

    Raises:
        Refused: the system keeps us from it.
    """
    try:
        yield
    except OSError as error:
        raise refusal(path, error) from error
