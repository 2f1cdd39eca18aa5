"""Writes and removes one text file of a folder, and never over what a person has saved meanwhile. It blocks."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from sulla.core.errors import Conflict, NotFound, Refused
from sulla.definitions.replace import lease, swap, turn, write_beside

_MODE: Final = 0o600
_LONGER: Final = "it was changed since it was read: read it again, and change what it says now"


def text_digest(text: str) -> str:
    """What tells one state of a file from another.

    Args:
        text: all that it holds.
    """
    return f"sha256:{sha256(text.encode(errors='surrogatepass')).hexdigest()}"


def save_text(file: Path, text: str, digest: str | None) -> None:
    """Write a file, whole or not at all.

    Args:
        file: where.
        text: what it is to hold.
        digest: of what it holds now; None for one that is not there yet.

    Raises:
        Conflict: it holds something else by now, or is there already.
        NotFound: it is not there any more.
        Refused: it cannot be written.
    """
    with _alone(file) as folder_fd:
        if digest is None:
            _make(folder_fd, file, text)
            return
        with _opened(folder_fd, file) as old:
            _expect(file, old, digest)
            raw = (BOM_UTF8 if _all(old).startswith(BOM_UTF8) else b"") + text.encode()
            if not swap(folder_fd, file.name, raw, old, lambda one: _digest(one) == digest):
                raise Conflict(f"{file.name}: {_LONGER}")


def remove_text(file: Path, digest: str) -> None:
    """Remove a file.

    Args:
        file: which.
        digest: of what it holds now.

    Raises:
        Conflict, NotFound, Refused: as `save_text`.
    """
    with _alone(file) as folder_fd, _opened(folder_fd, file) as old, lease(old) as alone:
        _expect(file, old, digest)
        if not alone() or os.stat(file.name, dir_fd=folder_fd, follow_symlinks=False).st_ino != _inode(old):
            raise Conflict(f"{file.name}: {_LONGER}")
        os.unlink(file.name, dir_fd=folder_fd)
        os.fsync(folder_fd)


def _make(folder_fd: int, file: Path, text: str) -> None:
    beside, _ = write_beside(folder_fd, file.name, text.encode(), _MODE)
    try:
        os.link(beside, file.name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd, follow_symlinks=False)
    except FileExistsError:
        raise Conflict(f"{file.name} is there already: say which state of it is changed") from None
    finally:
        os.unlink(beside, dir_fd=folder_fd)
        os.fsync(folder_fd)


def _expect(file: Path, old: BinaryIO, digest: str) -> None:
    if _digest(old) != digest:
        raise Conflict(f"{file.name}: {_LONGER}")


def _opened(folder_fd: int, file: Path) -> BinaryIO:
    try:
        return os.fdopen(os.open(file.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder_fd), "rb")
    except FileNotFoundError:
        raise NotFound(f"{file.name} is not there any more") from None


def _all(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


def _digest(file: BinaryIO) -> str:
    raw = _all(file).removeprefix(BOM_UTF8)
    with suppress(UnicodeDecodeError):
        return text_digest(raw.decode())
    return ""  # no text, so nobody can have read it


def _inode(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_ino


@contextmanager
def _alone(file: Path) -> Iterator[int]:
    """Have the folder for us alone."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder_fd = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with turn(folder_fd):
                yield folder_fd
        finally:
            os.close(folder_fd)
    except OSError as error:
        raise Refused(f"{error.filename or file} cannot be written: {error.strerror}") from error
