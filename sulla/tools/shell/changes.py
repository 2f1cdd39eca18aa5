"""What a command has changed in a workspace, read from the layer that it wrote into (`tools.shell.layer`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import TooLarge
from sulla.tools.paths import MAX_DEPTH
from sulla.tools.shell.layer import Layer

MOST_CHANGES: Final = 50_000
"""Files and folders that one command may change."""
CACHES: Final = ("__pycache__", ".pyc")
"""How the names end of what Python has compiled: it would run that instead of what a person reads. It is left behind,
and made anew by the next command."""
_REPLACED: Final = "user.overlay.opaque"
"""The attribute of a folder in a layer of which nothing shows that lies below it."""

_PIECE: Final = 1 << 20

ChangeKind = Literal["file", "folder", "link", "gone", "odd"]
"""Made or written; a folder that is new; a symbolic link; removed with all that was in it; something else, such as a
pipe, or what nobody can look into."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was."""

    parts: tuple[str, ...]
    """Where it is below the workspace."""
    kind: ChangeKind
    size: int = 0
    """Bytes, of a file."""
    raced: bool = False
    """Whether somebody else has made or changed it in the workspace while the command ran."""
    same: bool = False
    """Whether it holds what it held: it was only opened to be written, or has another time."""

    @property
    def path(self) -> str:
        """Below the workspace, for people and models."""
        return "/".join(self.parts)


def changes_in(layer: Layer) -> tuple[Change, ...]:
    """What the layer holds, folders before what is in them, and what is gone before what took its place.

    Args:
        layer: nothing writes into it any more.

    Raises:
        TooLarge: there is more than anybody looks through.
    """
    found: list[Change] = []
    since_ns = layer.since_ns
    for change in _below(layer, (), since_ns):
        found.append(change)
        if len(found) > MOST_CHANGES:
            raise TooLarge(f"the command changed more than {MOST_CHANGES:,} files and folders of the workspace")
    return tuple(found)


def _below(layer: Layer, parts: tuple[str, ...], since_ns: int) -> Iterator[Change]:
    folder = layer.upper.joinpath(*parts)
    try:
        if len(parts) > MAX_DEPTH:
            raise OSError
        with suppress(PermissionError):  # one that only hides what is in it; others' folders are read or not
            folder.chmod(stat.S_IMODE(folder.lstat().st_mode) | stat.S_IRWXU)
        with os.scandir(folder) as entries:
            below = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        yield Change(parts, "odd")
        return
    for entry in below:
        if not entry.name.endswith(CACHES):
            yield from _one(layer, (*parts, entry.name), entry.stat(follow_symlinks=False), since_ns)


def _one(layer: Layer, parts: tuple[str, ...], now: os.stat_result, since_ns: int) -> Iterator[Change]:
    written, kept = layer.upper.joinpath(*parts), Path(layer.workspace, *parts)
    try:
        before = kept.lstat()
    except OSError:
        before = None  # it was not there, or nobody can say what was
    raced = before is not None and before.st_ctime_ns > since_ns
    if stat.S_ISDIR(now.st_mode):
        merged = before is not None and stat.S_ISDIR(before.st_mode)
        if before is not None and (not merged or _replaced(written)):
            yield Change(parts, "gone", raced=raced)
            merged = False
        if not merged:
            yield Change(parts, "folder")
        yield from _below(layer, parts, since_ns)
    elif stat.S_ISCHR(now.st_mode) and now.st_rdev == 0:
        if before is not None:
            yield Change(parts, "gone", raced=raced)
    elif stat.S_ISREG(now.st_mode) or stat.S_ISLNK(now.st_mode):
        kind: ChangeKind = "file" if stat.S_ISREG(now.st_mode) else "link"
        if before is not None and stat.S_ISDIR(before.st_mode):
            yield Change(parts, "gone", raced=raced)
            before = None
        same = before is not None and _same(written, now, kept, before)
        yield Change(parts, kind, now.st_size, raced, same)
    else:
        yield Change(parts, "odd")


def _replaced(folder: Path) -> bool:
    with suppress(OSError):
        return os.getxattr(folder, _REPLACED) == b"y"
    return False


def _same(written: Path, now: os.stat_result, kept: Path, before: os.stat_result) -> bool:
    if (now.st_size, now.st_mode) != (before.st_size, before.st_mode):
        return False
    with suppress(OSError):
        if stat.S_ISLNK(now.st_mode):
            return written.readlink() == kept.readlink()
        with _reading(written) as ours, _reading(kept) as theirs:
            while (piece := ours.read(_PIECE)) == theirs.read(_PIECE):
                if not piece:
                    return True
    return False


def _reading(file: Path) -> BinaryIO:
    return os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
