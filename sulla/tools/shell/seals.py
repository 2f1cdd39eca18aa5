"""What of a workspace a command may not change that runs for somebody who has read what nobody trusts: files that the
owner's programs run or obey (`tools.program_files`), those that have a second name, and what cannot be looked through.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused
from sulla.tools.program_files import ProgramFiles
from sulla.tools.program_links import led_to

MOST_LOOKED: Final = 50_000
"""Entries of the workspace that are looked at, those that lie highest first. Folders beyond are sealed as a whole."""
MOST_SEALS: Final = 400
"""What is sealed at once: each is a mount, and stands on a command line."""
MOST_PATH_BYTES: Final = 1_000
"""Of a folder's name with all above it. What lies deeper is sealed with it: the kernel takes no path of over 4,095."""
INSTALLED: Final = frozenset({"node_modules", "site-packages", "vendor"})
"""Folders of what others have written and a tool has installed: the program files in them are not looked for, and they
are sealed as a whole if a file in them has a second name, as those have that pnpm, bun and uv install."""
MOST_TOLD: Final = 3
"""Folders that a command is told it cannot write in."""


@dataclass(frozen=True, slots=True)
class Seal:
    """One file or folder, mounted on itself to be read, so that a command can neither change nor replace it."""

    path: str
    identity: str
    """Its device and number, as ``stat -c %d:%i`` tells them."""
    whole: bool = False
    """Whether it is a folder that stands for more than can be sealed one by one, or for what cannot be looked at."""


@dataclass(slots=True)
class _Found:
    """What one walk through a workspace has met. It lives as long as the walk."""

    kept: list[Path]
    """Files and folders that programs run or obey, and files with a second name."""
    whole: list[Path]
    """Folders that nobody can say of what lies in them."""
    installed: list[Path]
    left: int
    """How many entries may still be looked at."""


def seals_of(workspace: str, programs: ProgramFiles) -> tuple[Seal, ...]:
    """What there is to be sealed in a workspace. Where that is too much, the folder in
    which most of it lies is sealed as a whole, until it is not.

    Args:
        workspace: its folder, links resolved.
        programs: says which files programs run.

    Raises:
        Refused: nothing of the workspace could be written in.
    """
    found = _walked(workspace, programs)
    whole = set(found.whole)
    linked = (path for path in found.installed if _linked_in(path, found.left, most=0))
    kept = {*found.kept, *linked, *led_to(workspace, programs.reader)}
    while len(kept) + len(whole) > MOST_SEALS:
        folder, _ = Counter(path.parent for path in (*kept, *whole)).most_common(1)[0]
        kept, whole = ({path for path in paths if folder not in path.parents} for paths in (kept, whole))
        whole.add(folder)
    if (top := Path(workspace)) in whole:
        raise Refused(
            "this conversation holds text from outside, so its commands may not change what the person's programs run, "
            f"and in {top} itself lies more of that than can be kept apart ({MOST_SEALS} files that programs run or "
            "obey, or that have a second name elsewhere). Use the tools for files, or have the person move them into "
            "a folder below it, or begin a new conversation for this command"
        )
    wholes = (seal for path in sorted(whole) if (seal := _seal(path, whole=True)) is not None)
    # What lies in a folder that is sealed as a whole is sealed with it.
    apart = (path for path in sorted(kept) if not whole.intersection(path.parents))
    return (*wholes, *(seal for path in apart if (seal := _seal(path)) is not None))


def _walked(workspace: str, programs: ProgramFiles) -> _Found:
    """One level after the other; what lies in a folder that programs obey is not told, nor what was installed."""
    found, level = _Found([], [], [], MOST_LOOKED), [workspace]
    while level:
        level = [path for folder in level for path in _below(folder, workspace, programs, found)]
    return found


def _below(folder: str, workspace: str, programs: ProgramFiles, found: _Found) -> list[str]:
    """Sort what lies in one folder into what was found; the folders to be looked into next."""
    below: list[str] = []
    parts = tuple(filter(None, folder.removeprefix(workspace).split("/")))
    try:
        if len(os.fsencode(folder)) > MOST_PATH_BYTES:
            raise OSError
        with os.scandir(folder) as entries:
            for entry in entries:
                if (left := found.left) <= 0:
                    raise OSError
                found.left, is_folder = left - 1, entry.is_dir(follow_symlinks=False)
                if programs.reader((*parts, entry.name), folder=is_folder):
                    found.kept.append(Path(entry.path))
                elif is_folder:
                    if entry.name in INSTALLED:
                        found.installed.append(Path(entry.path))
                    else:
                        below.append(entry.path)
                elif entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_nlink > 1:
                    found.kept.append(Path(entry.path))
    except FileNotFoundError:
        return []  # it was there just now
    except OSError:
        # Too deep, too much, or not to be read: whoever cannot look into it cannot say what programs run there.
        found.whole.append(Path(folder))
        return []
    return below


def _linked_in(folder: Path, left: int, *, most: int) -> list[Path]:
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


def _seal(path: Path, *, whole: bool = False) -> Seal | None:
    """None for what is not there, or is neither file nor folder: a link is never followed."""
    with suppress(FileNotFoundError, NotADirectoryError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            return Seal(str(path), f"{status.st_dev}:{status.st_ino}", whole=whole)
    return None


def mounts(seals: Sequence[Seal]) -> tuple[str, ...]:
    """The words of bubblewrap that seal them."""
    return tuple(word for seal in seals for word in ("--ro-bind", seal.path, seal.path))


def checked(argv: tuple[str, ...], seals: Sequence[Seal]) -> tuple[str, ...]:
    """The command line that looks first, from within, whether what was mounted is what was seen: something at work in
    the workspace may have put a link in its place, and a mount follows that out of the workspace."""
    if not seals:
        return argv
    paths, seen = shlex.join(seal.path for seal in seals), "\n".join(seal.identity for seal in seals)
    wholes = [seal.path for seal in seals if seal.whole]
    more = f" and {len(wholes) - MOST_TOLD} more" if len(wholes) > MOST_TOLD else ""
    said = f"nothing can be written in {', '.join(wholes[:MOST_TOLD])}{more}: too much there may be run by programs"
    note = f"echo {shlex.quote(said)} >&2; " if wholes else ""
    script = (
        f'test "$(stat -c %d:%i -- {paths})" = {shlex.quote(seen)} || '
        f'{{ echo "the workspace changed while the sandbox was made; run the command again" >&2; exit 126; }}; {note}'
        'exec "$@"'
    )
    return ("sh", "-c", script, "sh", *argv)
