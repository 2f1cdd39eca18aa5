"""What there is of one landing (`tools.shell.landing`), and what it has done so far: read from the disk alone, so that
the next daemon knows it as well."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sulla.core.errors import Conflict
from sulla.tools.paths import printable
from sulla.tools.shell.landing_steps import LandingPlan, LandingStep
from sulla.tools.shell.layer import Layer, remove_tree
from sulla.tools.shell.renames import FOLDER, content_of


class LandingState:
    """One set of changes on its way into a workspace. It lives as long as somebody works on that.

    Args:
        layer: holds the changes.
        plan: what is to be done.
        top: the workspace's folder, open: it stays the same one wherever somebody moves it. -1 if all is done.
    """

    def __init__(self, layer: Layer, plan: LandingPlan, top: int) -> None:
        self.layer = layer
        self.plan = plan
        self.top = top
        self.area = Path(plan.workspace, ".sulla", layer.folder.name) if plan.inside else layer.area
        """Where what is kept meanwhile lies."""
        self.new, self.old, self.staged = self.area / "new", self.area / "old", self.area / "staged"
        self.rescued = self.area / layer.rescued.name
        """Holds, by its path, what was in the workspace before and could not be put back."""
        self._noted = self.area / "noted"
        self.made: dict[str, int] = {}
        """The folders that were made, with their inodes."""
        self._staging: dict[str, dict[str, Any]] | None = None
        self._times: dict[int, tuple[int, int]] = {}
        """The inode of what was noted of a step, and its ``st_ctime_ns``."""
        with suppress(FileNotFoundError):
            for line in self._noted.read_text().splitlines():
                with suppress(ValueError):  # the last one, which a kill has cut off
                    number, inode, ctime_ns = json.loads(line)
                    self._take(number, inode, ctime_ns)

    @property
    def is_staged(self) -> bool:
        """Whether all is there that has to be copied. Before it nothing of the workspace has changed."""
        return self.staged.exists()

    def source(self, number: int, step: LandingStep) -> Path:
        """What is put there, as long as it is not."""
        return self.new / str(number) if step.copied else self.layer.upper.joinpath(*step.parts)

    def kept(self, number: int) -> Path:
        """What was there before a step, once it is kept."""
        return self.old / str(number)

    def is_done(self, number: int, step: LandingStep) -> bool:
        """Whether a step was done; of folders nobody can tell."""
        if step.is_put:
            return self.is_staged and not os.path.lexists(self.source(number, step))
        return step.kind == "gone" and os.path.lexists(self.kept(number))

    def note(self, number: int, status: os.stat_result) -> None:
        """Note what is there after a step, or once it is kept before a step, to know it again.

        Args:
            number: of the step.
            status: of that.
        """
        noted = (number, status.st_ino, status.st_ctime_ns)
        with self._noted.open("a") as notes:
            notes.write(f"{json.dumps(noted)}\n")
        self._take(*noted)

    def is_ours(self, number: int, there: os.stat_result) -> bool:
        """Whether a file is what a step has put there, and nobody has worked on it since."""
        return list(content_of(there)) == self._staged_as("ours", number) and not self.is_touched(number, there)

    def is_copy_changed(self, number: int, step: LandingStep) -> bool:
        """Whether somebody has changed the copy that a step is to put there: another home may have the same workspace.

        Args:
            number: of the step.
            step: it.
        """
        if not (step.copied and self.is_staged) or self.is_done(number, step):
            return False
        return self.source(number, step).lstat().st_ctime_ns != self._staged_as("copies", number)

    def _staged_as(self, part: str, number: int) -> object:
        if self._staging is None:
            self._staging = json.loads(self.staged.read_text())
        return self._staging[part].get(str(number))

    def is_touched(self, number: int, there: os.stat_result) -> bool:
        """Whether somebody has written a file since it was noted, if it was."""
        inode, ctime_ns = self._times.get(number, (0, 0))
        return inode == there.st_ino and ctime_ns != there.st_ctime_ns

    @contextmanager
    def at(self, parts: Sequence[str]) -> Iterator[int]:
        """A folder of the workspace, open; no link is followed on the way there.

        Raises:
            OSError: it is not there.
            Conflict: it is another one than before, or one on the way is.
        """
        at = os.dup(self.top)
        try:
            for end, name in enumerate(parts, 1):
                below = os.open(name, FOLDER, dir_fd=at)
                os.close(at)
                at, path = below, "/".join(parts[:end])
                inode = os.fstat(at).st_ino
                if (self.made.get(path) or self.plan.folders.get(path, inode)) != inode:
                    raise Conflict(f"somebody has put another folder in the place of {printable(path)} meanwhile")
            yield at
        finally:
            os.close(at)

    def make_area(self) -> None:
        """Make the folders of the area, anew.

        Raises:
            OSError: they cannot be made.
        """
        self.remove()
        if self.plan.inside:
            sulla = Path(self.plan.workspace, ".sulla")
            with suppress(FileExistsError):
                sulla.mkdir()
            os.close(os.open(sulla, FOLDER))  # no link
        for folder in (self.area, self.new, self.old, self.rescued):
            folder.mkdir(0o700, exist_ok=True)

    def remove(self) -> None:
        """Remove the area, but for what could not be put back."""
        if not self.has_rescued:
            remove_tree(self.area)
            return
        for part in (self.new, self.old, self.staged, self._noted):
            remove_tree(part)

    @property
    def has_rescued(self) -> bool:
        """Whether anything could not be put back."""
        return self.rescued.is_dir() and any(self.rescued.iterdir())

    def _take(self, number: int, inode: int, ctime_ns: int) -> None:
        step = self.plan.steps[number]
        if step.kind == "folder":
            self.made["/".join(step.parts)] = inode
        else:
            self._times[number] = inode, ctime_ns
