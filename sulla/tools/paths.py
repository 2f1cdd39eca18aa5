"""The one path containment: every file that a tool touches is reached through here.

A path is walked one component at a time from an open folder, never following a symbolic link by itself. A link is read
and its target walked the same way; ``..`` goes back to the folder that was opened before. So a link that is swapped in
between a check and its use leads nowhere: there is no check apart from the use. This needs openat(2), which Linux and
macOS have.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, PathEscape, Refused, SullaError, TooLarge

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
MAX_DEPTH = 64
"""Folders below the root."""
MAX_LINKS = 40
"""Symbolic links in one path (as in Linux)."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class PathSpot:
    """A place in the root: what is or may be there is reached as `name` in the open folder `folder_fd`."""

    folder_fd: int
    name: str
    """Never a symbolic link when it was found, never ``..``; ``.`` for the root itself."""
    parts: tuple[str, ...]
    """Where it is, links resolved: the names from the root down."""

    @property
    def path(self) -> str:
        """Relative to the root, for people and models."""
        return "/".join(self.parts) or "."

    def kind(self) -> int:
        """The file type bits (``stat.S_IFMT``) of what is there; 0 for nothing."""
        try:
            return stat.S_IFMT(os.stat(self.name, dir_fd=self.folder_fd, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return 0


def inside(root: Path, path: str) -> Path:
    """Where `path` leads, provided that it stays in `root`.

    For showing and for handing on. To read or write use `open_file`, `open_folder` or `locate`, which cannot be raced.

    Args:
        root: the folder to stay in.
        path: relative to it, or absolute but within it. Need not exist.

    Returns:
        The absolute path with all links resolved.

    Raises:
        PathEscape: it leads out of `root`, by ``..``, by a link or from the start, or to a device, pipe or socket.
        InvalidInput: it is empty or holds characters that no path should.
        TooLarge: it is longer or deeper than a path may be.
        NotFound: it goes on behind something that is not a folder.
    """
    walk = _PathWalk(root, path)
    try:
        with translated(path):
            walk.run()
        if not walk.missing and walk.spot().kind() not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _special(path)
        return root.resolve().joinpath(*walk.names, *walk.missing)
    finally:
        walk.close()


def open_file(root: Path, path: str) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        PathEscape: as `inside`.
        InvalidInput: as `inside`, or it is a folder.
        NotFound: there is no such file.
    """
    with locate(root, path) as spot, translated(path):
        return open_at(spot.folder_fd, spot.name, path)


def open_at(folder_fd: int, name: str, path: str) -> BinaryIO:
    """Open the regular file `name` in an open folder; never follows a link, never waits for a pipe.

    Args:
        folder_fd: the folder.
        name: one name, no path.
        path: what to call it in errors.

    Raises:
        PathEscape: it is a device, pipe or socket.
        InvalidInput: it is a folder.
        OSError: it cannot be opened.
    """
    fd = os.open(name, _FILE, dir_fd=folder_fd)
    kind = stat.S_IFMT(os.fstat(fd).st_mode)
    if kind == stat.S_IFREG:
        return os.fdopen(fd, "rb")
    os.close(fd)
    raise InvalidInput(f"{path!r} is a folder, not a file") if kind == stat.S_IFDIR else _special(path)


@contextmanager
def open_folder(root: Path, path: str) -> Iterator[int]:
    """An open folder's descriptor, for as long as the block lasts.

    Raises:
        PathEscape: as `inside`.
        InvalidInput: as `inside`, or it is a file.
        NotFound: there is no such folder.
    """
    with locate(root, path) as spot, open_folder_at(spot, path) as fd:
        yield fd


@contextmanager
def open_folder_at(spot: PathSpot, path: str) -> Iterator[int]:
    """The same for a place that was found. `path` is what to call it in errors; those are as `open_folder`'s."""
    with translated(path):
        if spot.kind() == stat.S_IFREG:
            raise InvalidInput(f"{path!r} is a file, not a folder")
        fd = os.open(spot.name, _FOLDER, dir_fd=spot.folder_fd)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def locate(root: Path, path: str, *, make_folders: bool = False) -> Iterator[PathSpot]:
    """Walk to the place that `path` names; its folder stays open for as long as the block lasts.

    Args:
        root: the folder to stay in.
        path: relative to it, or absolute but within it.
        make_folders: whether to make the folders on the way that are missing.

    Raises:
        PathEscape, InvalidInput, TooLarge: as `inside`.
        NotFound: a folder on the way is a file, or is missing and not to be made. The last name may be missing.
    """
    walk = _PathWalk(root, path)
    try:
        with translated(path):
            walk.run()
            for name in walk.missing[:-1]:
                walk.step_into(name, make=make_folders)
            spot = walk.spot()
        yield spot
    finally:
        walk.close()


def printable(name: str) -> str:
    """A name as it may be shown: quoted and escaped if it would break the line or cannot be encoded."""
    return name if name.isprintable() else repr(name)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn the system's errors about `path` into ours, without any path of the machine in them."""
    try:
        yield
    except OSError as error:
        raise _translate(error, path) from error


class _PathWalk:
    """Opens a path from the root, folder by folder, and keeps each open, so that ``..`` means where we came from."""

    def __init__(self, root: Path, path: str) -> None:
        self._root = root
        self._path = path
        self._fds: list[int] = []
        self._ahead = deque[str]()
        self._links = 0
        self.names: list[str] = []
        """What there is, from the root down."""
        self.missing: list[str] = []
        """What there is not, behind it."""

    def run(self) -> None:
        """Go as far as there is something, and note the rest."""
        self._ahead.extend(_components(self._root, self._path))
        self._fds.append(os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        while self._ahead:
            name = self._ahead.popleft()
            if name == "..":
                self._back()
            elif self.missing or not self._enter(name):
                self.missing.append(name)
            if len(self.names) + len(self.missing) > MAX_DEPTH:
                raise TooLarge(f"the path {self._path!r} is deeper than {MAX_DEPTH} folders")

    def step_into(self, name: str, *, make: bool) -> None:
        """Go on into a folder that was missing."""
        if make:
            # Somebody else may have made it meanwhile; that it is a folder is seen when it is opened.
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self._fds[-1])
                os.fsync(self._fds[-1])
        else:
            raise NotFound(f"{self._path!r}: there is no folder {'/'.join((*self.names, name))!r} in the workspace")
        self._descend(name)

    def spot(self) -> PathSpot:
        """The place that was reached."""
        if not self.names and not self.missing:
            return PathSpot(self._fds[0], ".", ())
        if self.missing:
            return PathSpot(self._fds[-1], self.missing[-1], (*self.names, self.missing[-1]))
        # A folder's own descriptor is on top; a file has none.
        return PathSpot(self._fds[len(self.names) - 1], self.names[-1], tuple(self.names))

    def close(self) -> None:
        """Let go of all folders."""
        while self._fds:
            os.close(self._fds.pop())

    def _enter(self, name: str) -> bool:
        """Step onto `name`, or put a link's target ahead; False if there is nothing of that name."""
        try:
            mode = os.stat(name, dir_fd=self._fds[-1], follow_symlinks=False).st_mode
        except FileNotFoundError:
            return False
        if stat.S_ISLNK(mode):
            self._follow(os.readlink(name, dir_fd=self._fds[-1]))
        elif stat.S_ISDIR(mode):
            self._descend(name)
        elif self._ahead:
            raise NotFound(f"{self._path!r} goes on behind {name!r}, which is not a folder")
        else:
            self.names.append(name)
        return True

    def _follow(self, target: str) -> None:
        self._links += 1
        if self._links > MAX_LINKS:
            raise PathEscape(
                f"the path {self._path!r} has more than {MAX_LINKS} links in it; they seem to go in circles"
            )
        if target.startswith("/"):
            target = _below(self._root, target, self._path)
            while len(self._fds) > 1:
                os.close(self._fds.pop())
            self.names.clear()
        self._ahead.extendleft(reversed(_split(target)))

    def _descend(self, name: str) -> None:
        self._fds.append(os.open(name, _FOLDER, dir_fd=self._fds[-1]))
        self.names.append(name)

    def _back(self) -> None:
        if self.missing:
            self.missing.pop()
        elif not self.names:
            raise _escape(self._path)
        else:
            self.names.pop()
            os.close(self._fds.pop())


def _components(root: Path, path: str) -> deque[str]:
    if not path.strip():
        raise InvalidInput("the path is empty; '.' is the workspace itself")
    try:
        raw = path.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"the path {path!r} is not valid Unicode") from error
    if any(char < " " or char == "\x7f" for char in path):
        raise InvalidInput(f"the path {path!r} has control characters in it")
    if len(raw) > MAX_PATH_BYTES:
        raise TooLarge(f"the path is {len(raw)} bytes long; a path may have {MAX_PATH_BYTES}")
    if path == "~" or path.startswith("~/"):
        raise PathEscape(f"the path {path!r} leads out of the workspace; write it relative to the workspace")
    parts = _split(_below(root, path, path) if path.startswith("/") else path)
    if any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        raise TooLarge(f"the path {path[:100]!r}… has a name in it that is longer than {MAX_NAME_BYTES} bytes")
    return deque(parts)


def _split(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _below(root: Path, absolute: str, asked: str) -> str:
    """An absolute path as one relative to `root`; compared as text, since what it names may be a link by now."""
    for base in {os.fspath(root), os.path.realpath(root)}:
        if absolute == base or absolute.startswith(f"{base.rstrip('/')}/"):
            return absolute[len(base) :]
    raise _escape(asked)


def _escape(path: str) -> PathEscape:
    return PathEscape(f"the path {path!r} leads out of the workspace; stay within it")


def _special(path: str) -> PathEscape:
    return PathEscape(f"{path!r} is a device, a pipe or a socket; only files and folders of the workspace can be used")


def _translate(error: OSError, path: str) -> SullaError:
    match error.errno:
        case errno.ENOENT:
            return NotFound(f"there is no {path!r} in the workspace")
        case errno.ENOTDIR:
            return NotFound(f"{path!r} goes through something that is not a folder")
        case errno.EISDIR:
            return InvalidInput(f"{path!r} is a folder, not a file")
        case errno.ELOOP:
            return PathEscape(f"{path!r} became a link while it was being opened")
        case errno.ENXIO:
            return _special(path)
        case errno.EACCES | errno.EPERM:
            return Refused(f"the system does not permit this on {path!r}")
        case errno.ENAMETOOLONG:
            return TooLarge(f"{path[:100]!r}… is longer than the file system allows")
        case _:
            return Refused(f"{path!r}: {os.strerror(error.errno or 0)}")
