"""What a command has changed in a workspace, read from the layer that it wrote into (`tools.shell.layer`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import TooLarge
from sulla.tools.paths import MAX_DEPTH
from sulla.tools.shell.layer import Layer
from sulla.tools.shell.snapshot import FolderWatch, Snapshot

MOST_CHANGES: Final = 50_000
"""Files and folders that one command may change."""
CACHE: Final = ("__pycache__", ".pyc")
"""A folder, and how files in it end: what Python has compiled, which it would run instead of what a person reads. It is
left behind, and made anew by the next command."""
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
    """Whether somebody else has made or changed it in the workspace meanwhile, or anything in what is gone."""
    same: bool = False
    """Whether it holds what it held: it was only opened to be written, or has another time."""
    runs: bool = False
    """Whether it is a file that can be run, and could not before."""
    is_new: bool = False
    """Whether nothing was there before."""
    mode: int = 0
    """The rights of a folder that is new; of what was there before those that it keeps, of a file with its kind."""
    leads_out: bool = False
    """Whether it is a link that leads out of the workspace."""
    leads_to: str = ""
    """Where a link leads below the workspace, with a stroke behind a folder; empty if it leads out, or to the workspace
    itself."""
    refused: bool = False
    """Whether the command gave other rights to what was there before: it keeps its own."""

    @property
    def path(self) -> str:
        """Below the workspace, for people and models."""
        return "/".join(self.parts)


def changes_in(
    layer: Layer, since_ns: int, before: Snapshot, made: Mapping[str, int] = MappingProxyType({})
) -> tuple[Change, ...]:
    """What differs between the workspace and what the command saw in the end: folders before what is in them, and what
    is gone before what took its place.

    Args:
        layer: nothing writes into it any more.
        since_ns: what has changed in the workspace after this time, somebody else has changed (`Layer.since_ns`).
        before: what was in the workspace then: what is gone since, or in a folder that is another one now, too.
        made: folders that other commands have made since, with their inodes.

    Raises:
        TooLarge: there is more than anybody looks through.
    """
    found: list[Change] = []
    for change in _ChangeReader(layer, since_ns, before, made).below((), seen_through=True):
        found.append(change)
        if len(found) > MOST_CHANGES:
            raise TooLarge(f"the command changed more than {MOST_CHANGES:,} files and folders of the workspace")
    return tuple(found)


class _ChangeReader:
    """Reads one layer. It lives as long as that takes."""

    def __init__(self, layer: Layer, since_ns: int, before: Snapshot, made: Mapping[str, int]) -> None:
        self._upper, self._workspace = layer.upper, Path(layer.workspace)
        self._since_ns = since_ns
        self._before_all = before
        self._folders = FolderWatch(self._workspace, before, since_ns, made)

    def below(self, parts: tuple[str, ...], *, seen_through: bool) -> Iterator[Change]:
        """What a folder of the layer holds.

        Args:
            parts: which.
            seen_through: whether what lies in the workspace below it was there for the command, too.
        """
        folder = self._upper.joinpath(*parts)
        try:
            if len(parts) > MAX_DEPTH:
                raise OSError
            with os.scandir(folder) as entries:
                written = {entry.name: entry.stat(follow_symlinks=False) for entry in entries}
        except OSError:
            yield Change(parts, "odd")
            return
        gone = set[str]()
        if not seen_through:
            with suppress(OSError):
                gone = set(os.listdir(self._workspace.joinpath(*parts))) - written.keys()  # noqa: PTH208 - names
        for name in sorted({*written, *gone}):
            if parts[-1:] == CACHE[:1] and name.endswith(CACHE[1]):
                continue
            if name in gone:
                yield self._gone((*parts, name))
            else:
                yield from self._one((*parts, name), written[name], seen_through)

    def _one(self, parts: tuple[str, ...], now: os.stat_result, seen_through: bool) -> Iterator[Change]:
        before = self._before(parts)
        if stat.S_ISCHR(now.st_mode) and now.st_rdev == 0:
            if before is not None:
                yield self._gone(parts)
            return
        if before is not None and stat.S_ISDIR(before.st_mode) != stat.S_ISDIR(now.st_mode):
            yield self._gone(parts)
            before = None
        if stat.S_ISDIR(now.st_mode):
            mode = stat.S_IMODE(now.st_mode) & 0o777
            if before is None:
                yield Change(parts, "folder", is_new=True, mode=mode)
            elif (had := stat.S_IMODE(before.st_mode) & 0o777) != mode:
                yield Change(parts, "folder", same=True, mode=had, refused=True)
            folder = self._upper.joinpath(*parts)
            whole = seen_through and not _replaced(folder)
            with _open_to_us(folder, now.st_mode):
                yield from self.below(parts, seen_through=whole)
        elif stat.S_ISREG(now.st_mode) or stat.S_ISLNK(now.st_mode):
            kind: ChangeKind = "file" if stat.S_ISREG(now.st_mode) else "link"
            same = before is not None and _same(
                self._upper.joinpath(*parts), now, self._workspace.joinpath(*parts), before
            )
            was_file = before is not None and stat.S_ISREG(before.st_mode)
            ran = before is not None and was_file and bool(before.st_mode & 0o111)
            runs = kind == "file" and bool(now.st_mode & 0o111) and not ran
            mode = _kept_rights(before, now) if before is not None and was_file and kind == "file" else 0
            refused = bool(mode) and mode & 0o777 != now.st_mode & 0o777
            raced = self._is_raced(parts) if before is not None else self._before_all.had("/".join(parts))
            leads_to = self._leads_to(parts) if kind == "link" else ""
            out = leads_to is None
            yield Change(
                parts, kind, now.st_size, raced, same, runs, before is None, mode, out, leads_to or "", refused
            )
        else:
            yield Change(parts, "odd")

    def _before(self, parts: tuple[str, ...]) -> os.stat_result | None:
        try:
            return self._workspace.joinpath(*parts).lstat()
        except OSError:
            return None  # it was not there, or nobody can say what was

    def _leads_to(self, parts: tuple[str, ...]) -> str | None:
        """What `Change.leads_to` says; None if it leads out."""
        try:
            target = self._upper.joinpath(*parts).readlink()
        except OSError:
            return None  # nobody can say where
        place = Path(os.path.normpath(self._workspace.joinpath(*parts).parent / target))
        if not place.is_relative_to(self._workspace):
            return None
        below = place.relative_to(self._workspace)
        is_folder = self._upper.joinpath(below).is_dir() or place.is_dir()
        return "" if place == self._workspace else f"{below}{'/' if is_folder else ''}"

    def _gone(self, parts: tuple[str, ...]) -> Change:
        return Change(parts, "gone", raced=self._is_raced(parts))

    def _is_raced(self, parts: tuple[str, ...]) -> bool:
        """Whether anything there has changed since; what is more than anybody looks through counts as changed."""
        if self._folders.is_replaced(parts):
            return True
        left, ahead = MOST_CHANGES, [self._workspace.joinpath(*parts)]
        while ahead:
            path = ahead.pop()
            try:
                status = path.lstat()
                if status.st_ctime_ns > self._since_ns:
                    return True
                if stat.S_ISDIR(status.st_mode):
                    ahead += (path / name for name in os.listdir(path))  # noqa: PTH208 - names alone
            except OSError:
                continue  # it is gone as well, or nobody can look at it
            left -= 1
            if left < 0:
                return True
        return False


@contextmanager
def _open_to_us(folder: Path, mode: int) -> Iterator[None]:
    """Look into a folder that hides what is in it; others' folders are looked into or not."""
    hidden = mode & stat.S_IRWXU != stat.S_IRWXU
    with suppress(PermissionError):
        if hidden:
            folder.chmod(stat.S_IMODE(mode) | stat.S_IRWXU)
    try:
        yield
    finally:
        with suppress(PermissionError):
            if hidden:
                folder.chmod(stat.S_IMODE(mode))


def _replaced(folder: Path) -> bool:
    with suppress(OSError):
        return os.getxattr(folder, _REPLACED) == b"y"
    return False


def _kept_rights(before: os.stat_result, now: os.stat_result) -> int:
    """The rights of a file that was there before, with its kind: who may read and write it stays as it was, and whoever
    may read it may run it if the command has said so.
    """
    runs = now.st_mode & 0o111 & ((before.st_mode & 0o444) >> 2)
    return stat.S_IFREG | (before.st_mode & 0o666) | runs


def _same(written: Path, now: os.stat_result, kept: Path, before: os.stat_result) -> bool:
    if (now.st_size, stat.S_IFMT(now.st_mode)) != (before.st_size, stat.S_IFMT(before.st_mode)):
        return False
    if stat.S_ISREG(now.st_mode) and _kept_rights(before, now) & 0o777 != before.st_mode & 0o777:
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
