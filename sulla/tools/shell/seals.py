"""What of a workspace a command may not change that runs for somebody who has read what nobody trusts: files that the
owner's programs run or obey (`tools.program_files`), files that have a second name, and sockets."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused
from sulla.tools.program_files import LEFT_FOR_LAST, ProgramFiles

MOST_LOOKED: Final = 20_000
"""Entries of the workspace that are looked at, those that lie highest first."""
MOST_SEALS: Final = 400
"""What is sealed at once: each is a mount, and stands on a command line."""
INSTALLED: Final = frozenset({"node_modules", "site-packages", "vendor"})
"""Folders of what others have written and a tool has installed: the program files in them are not looked for, and they
are sealed as a whole if a file in them has a second name, as those have that pnpm, bun and uv install."""

How = Literal["read-only", "writable", "hidden"]


@dataclass(frozen=True, slots=True)
class Seal:
    """One file or folder, mounted, so that a command can neither move nor replace it."""

    path: str
    identity: str
    """Its device and number, as ``stat -c %d:%i`` tells them."""
    how: How = "read-only"
    """``writable``: what is in it may be written (a git folder, for commits). ``hidden``: nothing is seen of it (a
    socket, behind which a program outside listens)."""
    source: str = ""
    """What is mounted there; empty for itself."""


@dataclass(slots=True)
class _Found:
    """What one walk through a workspace has met. It lives as long as the walk."""

    obeyed: list[tuple[Path, str]]
    """What programs run or obey, and who."""
    linked: list[Path]
    """Files with a second name: whoever writes into one changes what the other name stands for."""
    sockets: list[Path]
    installed: list[Path]
    left: int = MOST_LOOKED
    """How many entries may still be looked at."""


def seals_of(workspace: str, programs: ProgramFiles) -> tuple[Seal, ...]:
    """What there is to be sealed in a workspace, and in the git folders there; what lies highest, if it is too much,
    and tests and scripts after all others.

    Args:
        workspace: its folder, links resolved.
        programs: says which files programs run.

    Raises:
        Refused: more files have a second name, or are sockets, than can be sealed.
    """
    found = _walked(workspace, programs)
    apart = [path for path in found.installed if linked_in(path, found.left, most=0)]
    sockets = [*found.sockets, *_sockets_below([path for path, _ in found.obeyed], found.left)]
    if (must := len(apart) + len(found.linked) + len(sockets)) > MOST_SEALS:
        named = next(iter((*found.linked, *sockets, *apart))).relative_to(workspace)
        raise Refused(
            f"{must} files of the workspace have a second name elsewhere (hard links) or are sockets, such as {named}, "
            f"and {MOST_SEALS} can be kept from a command of a conversation that holds text from outside: ask the "
            "person to have them copied (cp -r), or to begin a new conversation for this command"
        )
    obeyed = sorted(found.obeyed, key=lambda one: one[1] in LEFT_FOR_LAST)
    linked = (seal for path in (*apart, *found.linked) if (seal := _seal(path)) is not None)
    program_files = (seal for path, _ in obeyed if (seal := _seal(path)) is not None)
    # The sockets last: one may lie in a folder that is itself mounted, and a later mount lies above an earlier one.
    return (*linked, *islice(program_files, MOST_SEALS - must), *map(_hidden, sockets))


def _walked(workspace: str, programs: ProgramFiles) -> _Found:
    """One level after the other; what lies in a folder that programs obey is not told, nor what was installed."""
    found, level = _Found([], [], [], []), [Path(workspace)]
    while level and found.left > 0:
        level = [path for folder in level for path in _below(folder, Path(workspace), programs, found)]
    return found


def _below(folder: Path, workspace: Path, programs: ProgramFiles, found: _Found) -> list[Path]:
    """Sort what lies in one folder into what was found; the folders to be looked into next."""
    below: list[Path] = []
    with suppress(OSError), os.scandir(folder) as entries:  # what cannot be looked into cannot be written to
        seen = sorted(islice(entries, found.left), key=lambda entry: entry.name)
        found.left -= len(seen)
        for entry in seen:
            path, is_folder = Path(entry.path), entry.is_dir(follow_symlinks=False)
            if _is_socket(entry):
                found.sockets.append(path)
            elif who := programs.reader(path.relative_to(workspace).parts, folder=is_folder):
                found.obeyed.append((path, who))
            elif is_folder:
                (found.installed if entry.name in INSTALLED else below).append(path)
            elif entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_nlink > 1:
                found.linked.append(path)
    return below


def _sockets_below(level: list[Path], left: int) -> list[Path]:
    """Sockets in folders that programs obey, those that lie highest first, as far as `left` entries reach."""
    sockets: list[Path] = []
    while level and left > 0:
        below: list[Path] = []
        for folder in level:
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in islice(entries, left):
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        below.append(Path(entry.path))
                    elif _is_socket(entry):
                        sockets.append(Path(entry.path))
        level = below
    return sockets


def _is_socket(entry: os.DirEntry[str]) -> bool:
    """Whether it is one itself: of most entries the folder says already that they are something else."""
    known = entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False) or entry.is_symlink()
    return not known and Path(entry.path).is_socket()


def linked_in(folder: Path, left: int, *, most: int) -> list[Path]:
    """Files below a folder that have a second name; the folder itself, if they are more than `most` or there are more
    than `left` entries to be looked at: what cannot be looked through counts as linked."""
    linked: list[Path] = []
    for at, folders, files in os.walk(folder):
        left -= len(files) + len(folders)
        for name in files:
            with suppress(OSError):
                status = (path := Path(at, name)).lstat()
                if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
                    linked.append(path)
        if len(linked) > most or left < 0:
            return [folder]
    return linked


def _seal(path: Path) -> Seal | None:
    """None for what is not there, or is neither file nor folder: a link is never followed."""
    with suppress(FileNotFoundError, NotADirectoryError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            return Seal(str(path), f"{status.st_dev}:{status.st_ino}")
    return None


def _hidden(path: Path) -> Seal:
    """A socket, behind the empty device: nobody can connect to that."""
    status = Path(os.devnull).stat()
    return Seal(str(path), f"{status.st_dev}:{status.st_ino}", "hidden")


def mounts(seals: Sequence[Seal]) -> tuple[str, ...]:
    """The words of bubblewrap that seal them."""
    return tuple(word for seal in seals for word in _mount(seal))


def _mount(seal: Seal) -> tuple[str, str, str]:
    if seal.how == "hidden":
        return ("--ro-bind", os.devnull, seal.path)
    return ("--bind" if seal.how == "writable" else "--ro-bind", seal.source or seal.path, seal.path)


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
