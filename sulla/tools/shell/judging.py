"""What a person has to allow of what a command has written into a layer, and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.tools.program_files import ProgramFiles
from sulla.tools.program_links import led_to
from sulla.tools.shell.changes import Change

MOST_BELOW: Final = 20_000
"""Files that are looked at in a folder that is gone; one with more counts as one that programs obey."""
OUTSIDE: Final = "it leads out of the workspace"
SOMEBODY: Final = "somebody else changed it meanwhile"
NOT_KEPT: Final = "no file, folder or link that anybody can read, so it stays behind"


@dataclass(frozen=True, slots=True)
class JudgedChange:
    """A change, and what there is to be said about it."""

    change: Change
    why: str = ""
    """Why a person has to allow it; empty if nobody has to."""


Obeyed = Callable[[Change], str]
"""Who runs or obeys what was changed; empty for nobody."""


def judged(changes: Iterable[Change], obeyed: Obeyed) -> tuple[JudgedChange, ...]:
    """What a person has to allow, and why, of the changes of one command. Pure but for `obeyed`.

    Args:
        changes: all that a command has made. What only looks changed is left out.
        obeyed: says who runs or obeys one.
    """
    found = [JudgedChange(change, _why(change, obeyed)) for change in changes]
    # Who moves something to where it cannot stay must not lose it.
    gone = any(one.change.kind == "gone" for one in found)
    return tuple(
        JudgedChange(one.change, one.why or (NOT_KEPT if gone and one.change.kind == "odd" else ""))
        for one in found
        if not (one.change.same and one.why)
    )


def _why(change: Change, obeyed: Obeyed) -> str:
    if change.kind == "odd":
        return ""
    if who := obeyed(change):
        return f"{who} may run or obey it outside the sandbox"
    if change.leads_out:
        return OUTSIDE
    return SOMEBODY if change.raced and not change.same else ""


class ObeyedFiles:
    """Says who runs or obeys what was changed in a workspace. It lives as long as one landing.

    Args:
        workspace: its folder, links resolved.
        programs: says which files programs run.
    """

    def __init__(self, workspace: str, programs: ProgramFiles) -> None:
        self._top = Path(workspace)
        self._programs = programs
        self._led = led_to(workspace, programs.known)

    def who(self, change: Change) -> str:
        """Empty for nobody."""
        place = self._top.joinpath(*change.parts)
        is_folder = change.kind == "folder" or (change.kind == "gone" and place.is_dir() and not place.is_symlink())
        # What is gone has no content that anybody could run: it asks where a program misses it by its name.
        look = self._programs.known if change.kind == "gone" else self._programs.reader
        if who := look(change.parts, folder=is_folder):
            return who
        if who := self._led.reader(place) or (self._at_its_end(change.leads_to) if change.leads_to else ""):
            return who
        if is_folder and change.kind == "gone":
            return self._within(place, change.parts)
        return ""

    def _at_its_end(self, path: str) -> str:
        """Who obeys what a link leads to: whoever later writes to it by the link's name writes that."""
        named = self._top / path
        ends = {named, Path(os.path.realpath(named))}
        for place in (one for one in ends if self._top in one.parents):
            # What is new is judged by itself, and what is not there may be a folder: both go by the tables alone.
            look = self._programs.reader if place.is_file() else self._programs.known
            parts = place.relative_to(self._top).parts
            if who := look(parts, folder=place.is_dir() or path.endswith("/")):
                return who
            if who := self._led.reader(place):
                return who
        return ""

    def _within(self, folder: Path, parts: tuple[str, ...]) -> str:
        """Who obeys anything in a folder that is gone."""
        left = MOST_BELOW
        for at, folders, files in os.walk(folder):
            below = (*parts, *Path(at).relative_to(folder).parts)
            left -= len(folders) + len(files)
            for names, are_folders in ((folders, True), (files, False)):
                for name in names:
                    if who := self._programs.known((*below, name), folder=are_folders):
                        return who
            if who := next(filter(None, (self._led.reader(Path(at, name)) for name in (*folders, *files))), ""):
                return who
            if left < 0:
                return f"somebody (more than {MOST_BELOW:,} files lie in it)"
        return ""
