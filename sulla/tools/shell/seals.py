"""What of a workspace a command may not change that runs for somebody who has read what nobody trusts: files that the
owner's programs run or obey (`tools.program_files`)."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.tools.program_files import LEFT_FOR_LAST, ProgramFiles

MOST_LOOKED: Final = 20_000
"""Entries of the workspace that are looked at, those that lie highest first."""
MOST_SEALS: Final = 400
"""What is sealed at once: each is a mount, and stands on a command line."""
INSTALLED: Final = frozenset({"node_modules", "site-packages", "vendor"})
"""Folders of what others have written and a tool has installed: the program files in them are not looked for."""
GIT_OBEYED: Final = ("config", "config.worktree", "hooks", "info", "modules", "worktrees", "commondir", "gitdir")
"""What git obeys in its folder; a commit writes beside these."""


@dataclass(frozen=True, slots=True)
class Seal:
    """One file or folder, mounted on itself, so that a command can neither move nor replace it."""

    path: str
    identity: str
    """Its device and number, as ``stat -c %d:%i`` tells them."""
    writable: bool = False
    """Whether what is in it may be written: git's own folder, for commits."""


def seals_of(workspace: str, programs: ProgramFiles) -> tuple[Seal, ...]:
    """What there is to be sealed in a workspace, and in the git folders there; what lies highest, if it is too much,
    and tests and scripts after all others.

    Args:
        workspace: its folder, links resolved.
        programs: says which files programs run.
    """
    found = sorted(_obeyed(workspace, programs), key=lambda one: one[1] in LEFT_FOR_LAST)
    return tuple(islice((seal for path, _ in found for seal in _seals(path)), MOST_SEALS))


def _obeyed(workspace: str, programs: ProgramFiles) -> Iterator[tuple[Path, str]]:
    """What programs run or obey, one level after the other, and who; what lies in a folder that is one of these is not
    told."""
    left, level = MOST_LOOKED, [Path(workspace)]
    while level and left > 0:
        below: list[Path] = []
        for folder in level:
            with suppress(OSError), os.scandir(folder) as found:  # what cannot be looked into cannot be written to
                entries = sorted(islice(found, left), key=lambda entry: entry.name)
                left -= len(entries)
                for entry in entries:
                    path = Path(entry.path)
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if who := programs.reader(path.relative_to(workspace).parts, folder=is_folder):
                        yield path, who
                    elif is_folder and entry.name not in INSTALLED:
                        below.append(path)
        level = below


def _seals(path: Path) -> Iterator[Seal]:
    is_git = path.name.casefold().endswith(".git") and path.is_dir()
    if (found := _seal(path, writable=is_git)) is None:
        return
    yield found
    inner = (_seal(path / one) for one in GIT_OBEYED if is_git)
    yield from (one for one in inner if one is not None)


def _seal(path: Path, *, writable: bool = False) -> Seal | None:
    """None for what is not there, or is neither file nor folder: a link is never followed."""
    with suppress(FileNotFoundError, NotADirectoryError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            return Seal(str(path), f"{status.st_dev}:{status.st_ino}", writable)
    return None


def mounts(seals: Sequence[Seal]) -> tuple[str, ...]:
    """The words of bubblewrap that seal them."""
    return tuple(word for seal in seals for word in ("--bind" if seal.writable else "--ro-bind", seal.path, seal.path))


def checked(argv: tuple[str, ...], seals: Sequence[Seal]) -> tuple[str, ...]:
    """The command line that looks first, from within, whether what was mounted is what was seen: something at work in
    the workspace may have put a link in its place, and a mount follows that out of the workspace."""
    if not seals:
        return argv
    paths, seen = shlex.join(seal.path for seal in seals), "\n".join(seal.identity for seal in seals)
    script = (
        f'test "$(stat -c %d:%i -- {paths})" = {shlex.quote(seen)} || '
        '{ echo "the workspace changed while the sandbox was made; run the command again" >&2; exit 126; }; exec "$@"'
    )
    return ("sh", "-c", script, "sh", *argv)
