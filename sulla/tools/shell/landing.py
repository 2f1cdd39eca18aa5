"""Putting into a workspace what a command has written into a layer over it: all of it, or nothing.

What is to be done is written down first. Then what has to be copied is copied beside the workspace's files, and only
then something of the workspace changes, by renames alone; whatever is in the way is kept until the end. So a step that
fails is followed by undoing those before it, and a daemon that was killed goes on when it starts again, or undoes what
it has done if somebody has changed a file meanwhile. All of this is for worker threads.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from sulla.core.errors import Conflict, Refused
from sulla.tools.shell.changes import Change
from sulla.tools.shell.landing_steps import LandingStep, in_order
from sulla.tools.shell.layer import Layer, remove_tree
from sulla.tools.shell.renames import (
    FOLDER,
    can_move,
    content_of,
    copy_to,
    is_newer_below,
    keep,
    opened,
    refusal,
    status_of,
    strip,
    take_out,
)
from sulla.tools.shell.workspace_lock import locked

log = logging.getLogger(__name__)

AgainResult = Literal["nothing", "landed", "undone"]
"""What a daemon before has left of a landing: none, one that is whole now, or one of which nothing is there now."""


def put(layer: Layer, changes: Sequence[Change]) -> None:
    """Put changes into the workspace. Like those of any program they are not forced to the disk one by one.

    Args:
        layer: holds them; closed, and its workspace `locked`.
        changes: of any kind; what is no file, folder or link stays behind.

    Raises:
        Conflict: somebody has changed a file in this moment; nothing is there.
        Refused: one of them cannot be put there; nothing is, and the layer holds all of it still.
    """
    landing = _Landing.planned(layer, [change for change in in_order(changes) if change.kind != "odd"])
    try:
        landing.go()
    except (OSError, Refused):
        landing.undo()
        raise
    landing.clear()


def put_again(folder: Path) -> AgainResult:
    """Go on with what an earlier daemon was about to put into a workspace when it was killed.

    Args:
        folder: of a layer.
    """
    try:
        landing = _Landing.left(folder)
    except (OSError, ValueError, KeyError, TypeError):
        return "nothing"
    if landing.is_over:
        landing.clear()
        return "landed"
    try:
        with locked(landing.layer.workspace):
            try:
                landing.go()
            except (OSError, Refused) as error:
                said = str(error)
                landing.undo()
                log.warning("what a command had changed is not put into the workspace after the restart: %s", said)
                return "undone"
            landing.clear()
    except Refused as busy:
        log.warning("what a command had changed waits for the next start: %s", busy.message)
        return "undone"
    return "landed"


class _Landing:
    """One set of changes on its way into a workspace; what it has done so far can be told from the disk alone.

    Args:
        layer: holds them.
        steps: in their order.
        inside: whether what is kept meanwhile has to lie in the workspace: nothing can be renamed from the layer to it.
    """

    def __init__(self, layer: Layer, steps: Sequence[LandingStep], *, inside: bool) -> None:
        self.layer = layer
        self._steps = steps
        self._inside = inside
        own = Path(layer.workspace, ".sulla", layer.folder.name)
        self._area = own if inside else layer.folder / "landing"
        self._new, self._old, self._staged = self._area / "new", self._area / "old", self._area / "staged"
        self._rights: dict[tuple[str, ...], int] = {}
        """Of folders in the layer, as the command left them."""
        self._seen: dict[int, tuple[int, ...]] = {}

    @classmethod
    def planned(cls, layer: Layer, changes: Sequence[Change]) -> _Landing:
        """One that has not begun; from here on it is decided."""

        def step(change: Change) -> LandingStep:
            copied = had = 0
            if change.kind in ("file", "link"):
                # One with a second name would be one with what is still held back, and change with it.
                copied = inside or layer.upper.joinpath(*change.parts).lstat().st_nlink > 1
            elif change.kind == "folder" and not change.is_new:
                had = stat.S_IMODE(Path(layer.workspace, *change.parts).lstat().st_mode) & 0o777
            return LandingStep(change.parts, change.kind, change.is_new, bool(copied), change.mode, had)

        try:
            inside = not can_move(layer)
            steps = [step(change) for change in changes]
            said = {"workspace": layer.workspace, "inside": inside, "steps": [asdict(one) for one in steps]}
            layer.decided.write_text(json.dumps(said))
        except OSError as error:
            layer.decided.unlink(missing_ok=True)
            raise refusal(layer.workspace, error) from error
        return cls(layer, steps, inside=inside)

    @classmethod
    def left(cls, folder: Path) -> _Landing:
        """One that a daemon before has begun.

        Raises:
            OSError: there is none.
            ValueError: nobody can tell what it was; it had not begun, then.
        """
        layer = Layer(folder, "")
        over = layer.landed.exists()
        note = json.loads((layer.landed if over else layer.decided).read_text())
        steps = [LandingStep(**(one | {"parts": tuple(one["parts"])})) for one in note["steps"]]
        return cls(Layer(folder, str(note["workspace"])), steps, inside=bool(note["inside"]))

    @property
    def is_over(self) -> bool:
        """Whether all of it is in the workspace, for good."""
        return self.layer.landed.exists()

    def go(self) -> None:
        """Do what is left to be done.

        Raises:
            OSError: a step fails.
            Conflict: somebody has changed what a step would change.
        """
        with self._top() as top:
            for number, step in enumerate(self._steps):
                with self._told(step):
                    self._check(number, step, top)
            self._stage()
            for number, step in enumerate(self._steps):
                with self._told(step):
                    self._do(number, step, top)
            for number, step in enumerate(self._steps):
                self._check_kept(number, step)
            for step in reversed(self._steps):  # only now: one may let nobody write into it
                if step.kind == "folder":
                    with self._told(step), opened(top, step.parts) as at:
                        os.fchmod(at, step.mode)
        self.layer.note.unlink(missing_ok=True)
        self.layer.decided.rename(self.layer.landed)  # from here on nothing is undone any more

    def clear(self) -> None:
        """Remove what was kept."""
        if self._inside:
            remove_tree(self._area)

    def undo(self) -> None:
        """Put everything back as it was, but for what somebody else has changed since."""
        with self._top() as top:
            # Before all is staged nothing of the workspace has changed.
            ours = json.loads(self._staged.read_text()) if self._is_staged else {}
            for number, step in reversed(list(enumerate(self._steps if self._is_staged else ()))):
                try:
                    with opened(top, step.parts[:-1]) as at:
                        self._undo(number, step, at, ours)
                except OSError as error:
                    if error.errno not in (errno.ENOENT, errno.ENOTDIR):  # its folder was never made, or is gone
                        log.error("%s is not as it was before a command: %s", step.path, os.strerror(error.errno or 0))
        for parts, mode in self._rights.items():
            with suppress(OSError):
                self.layer.upper.joinpath(*parts).chmod(mode)
        remove_tree(self._area)
        self.layer.decided.unlink(missing_ok=True)

    # ------------------------------------------------------------------------------------------------------- steps

    def _check(self, number: int, step: LandingStep, top: int) -> None:
        """See that nobody has changed what a step is about to change."""
        if self._is_done(number, step):
            return
        there = None
        with suppress(FileNotFoundError, NotADirectoryError), opened(top, step.parts[:-1]) as at:
            there = status_of(step.parts[-1], at)
        if there is None or stat.S_ISDIR(there.st_mode):
            return  # a folder that is to go is looked through once nobody can reach it
        kept = status_of(str(self._old / str(number)))
        # A kill came right after it was kept, which its `st_ctime` tells.
        same = kept is not None and kept.st_ino == there.st_ino
        if (there.st_mtime_ns if same else there.st_ctime_ns) > self.layer.closed_ns:
            raise _changed(step)
        self._seen[number] = content_of(there)

    def _check_kept(self, number: int, step: LandingStep) -> None:
        """See that nobody has written a file in the very moment in which it was replaced."""
        kept = status_of(str(self._old / str(number)))
        if kept is None or stat.S_ISDIR(kept.st_mode):
            return
        seen = self._seen.get(number)
        if kept.st_mtime_ns > self.layer.closed_ns or (seen is not None and content_of(kept) != seen):
            raise _changed(step)

    def _stage(self) -> None:
        """Copy what cannot be moved; nothing of the workspace changes by that."""
        if self._is_staged:
            return
        with self._told_of_area():
            remove_tree(self._area)
            if self._inside:
                with suppress(FileExistsError):
                    self._area.parent.mkdir()
                if self._area.parent.is_symlink():
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            for folder in (self._area, self._new, self._old):
                folder.mkdir(0o700)
        ours: dict[int, tuple[int, ...]] = {}
        for number, step in enumerate(self._steps):
            if step.kind in ("file", "link"):
                with self._told(step):
                    written, source = self.layer.upper.joinpath(*step.parts), self._source(number, step)
                    self._let_move(step)
                    if step.copied:
                        copy_to(written, source)
                    else:
                        strip(written)
                    ours[number] = content_of(source.lstat())
        with self._told_of_area():
            beside = self._area / "staging"
            beside.write_text(json.dumps(ours))
            beside.rename(self._staged)

    def _do(self, number: int, step: LandingStep, top: int) -> None:
        if self._is_done(number, step):
            return
        name, kept = step.parts[-1], self._old / str(number)
        with opened(top, step.parts[:-1]) as at:
            there = status_of(name, at)
            is_folder = there is not None and stat.S_ISDIR(there.st_mode)
            if there is not None and not is_folder and content_of(there) != self._seen.get(number):
                raise _changed(step)
            if step.kind == "gone":
                if there is not None:
                    take_out(name, at, kept)
                if is_folder and is_newer_below(kept, self.layer.closed_ns):
                    raise _changed(step)
            elif step.kind == "folder":
                _make_folder(step, at, there)
            elif is_folder:
                raise _changed(step)
            else:
                if there is not None:
                    keep(name, at, kept)
                os.rename(self._source(number, step), name, dst_dir_fd=at)

    def _undo(self, number: int, step: LandingStep, at: int, ours: Mapping[str, list[int]]) -> None:
        name, kept, there = step.parts[-1], self._old / str(number), status_of(step.parts[-1], at)
        match step.kind:
            case "folder":
                if step.is_new:
                    with suppress(OSError):  # somebody else has put something there, or it was never made
                        os.rmdir(name, dir_fd=at)
                elif there is not None and stat.S_ISDIR(there.st_mode):
                    with opened(at, (name,)) as folder:
                        os.fchmod(folder, step.had)
                return
            case "file" | "link" if self._is_done(number, step):
                if there is None or list(content_of(there)) != ours.get(str(number)):
                    return  # somebody has removed it, or worked on it
                os.rename(name, self._source(number, step), src_dir_fd=at)
                there = None
        if there is None and os.path.lexists(kept):
            os.rename(kept, name, dst_dir_fd=at)

    def _is_done(self, number: int, step: LandingStep) -> bool:
        if step.kind in ("file", "link"):
            return self._is_staged and not os.path.lexists(self._source(number, step))
        return step.kind == "gone" and os.path.lexists(self._old / str(number))

    def _let_move(self, step: LandingStep) -> None:
        """Files leave folders that can be written alone."""
        for end in range(1, len(step.parts)):
            if step.parts[:end] in self._rights:
                continue
            folder = self.layer.upper.joinpath(*step.parts[:end])
            mode = self._rights[step.parts[:end]] = stat.S_IMODE(folder.lstat().st_mode)
            if mode & stat.S_IRWXU != stat.S_IRWXU:
                folder.chmod(mode | stat.S_IRWXU)

    @property
    def _is_staged(self) -> bool:
        return self._staged.exists()

    def _source(self, number: int, step: LandingStep) -> Path:
        return self._new / str(number) if step.copied else self.layer.upper.joinpath(*step.parts)

    @contextmanager
    def _top(self) -> Iterator[int]:
        top = os.open(self.layer.workspace, FOLDER)
        try:
            yield top
        finally:
            os.close(top)

    @contextmanager
    def _told(self, step: LandingStep) -> Iterator[None]:
        """Say which file it was that failed."""
        try:
            yield
        except OSError as error:
            raise refusal(step.path, error) from error

    @contextmanager
    def _told_of_area(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise refusal(str(self._area), error) from error


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
