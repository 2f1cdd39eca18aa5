"""Projects on disk: a folder each, with a file that people and agents both write (`project_file`)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, NotFound
from sulla.registry.project_file import MOST_CHARS, Project, read_project, set_field
from sulla.tools import locate, open_file, open_folder

PROJECTS: Final = "projects"
"""The folder of the home with a folder for each."""
FILE: Final = "PROJECT.md"
MOST_PROJECTS: Final = 500
"""Folders that are looked at."""
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_TRIES: Final = 5
"""How often a change is made anew because the file was written meanwhile."""


@dataclass(frozen=True, slots=True)
class Found:
    """One project as it is now."""

    slug: str
    project: Project
    text: str
    digest: str
    """Of the whole file: who changes a part of it says which one he has read."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a list of projects."""

    slug: str
    project: Project | None
    """None if the file cannot be read."""
    trouble: str = ""
    """Why not."""


class Projects:
    """The projects of a home.

    A change is made to what the file says at that moment and put in its place in one step. If somebody else has written
    it in between, the change is made again to what they wrote, so nothing of a person's edit is lost.

    Args:
        root: the folder with a folder for each.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def place(self, slug: str) -> Path:
        """The file of a project; the folder of them all for an empty slug."""
        return self._root / slug / FILE if slug else self._root

    @property
    def exists(self) -> bool:
        """Whether there is the folder that they are in."""
        return self._root.is_dir()

    def all(self) -> list[Listed]:
        """All projects by slug."""
        try:
            names = sorted(name for name in self._names() if _SLUG.fullmatch(name))
        except NotFound:
            return []
        return [listed for slug in names[:MOST_PROJECTS] if (listed := self._listed(slug)) is not None]

    def read(self, slug: str) -> Found:
        """A project.

        Raises:
            NotFound: there is none of that name.
            CorruptRecord: its file is no text.
            InvalidInput: the name is none, or the file is too long.
        """
        raw = self._raw(_checked(slug))
        return Found(slug, read_project(text := _text(slug, raw)), text, _digest(raw))

    def change(self, slug: str, change: Callable[[str], str], at: str, digest: str = "") -> Found:
        """Change a project's file.

        Args:
            slug: which one.
            change: makes the new text of the old one; may be called several times.
            at: when it is, for ``last_activity_at``.
            digest: of what the change was thought up for; empty if it fits any text.

        Returns:
            What it is now.

        Raises:
            Conflict: the file is not the one of that digest any more, or others write it all the time.
            NotFound, CorruptRecord, InvalidInput: as `read`, or what `change` raises.
        """
        for _ in range(_TRIES):
            before = self.read(slug)
            if digest and before.digest != digest:
                raise Conflict(
                    f"{slug}/{FILE} was changed since it was read: read it again, and change what it says now"
                )
            after = change(before.text)
            if after == before.text:
                return before
            after = set_field(after, "last_activity_at", at)
            read_project(after)  # not too long
            if self._replace(slug, before.digest, after.encode()):
                return self.read(slug)
        raise Conflict(f"{slug}/{FILE} is being written by somebody else all the time: try again later")

    def create(self, slug: str, text: str) -> Found:
        """Make a project.

        Raises:
            Conflict: there is one.
            InvalidInput: the name is none, or the text too long.
        """
        read_project(text)
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locate(self._root, f"{_checked(slug)}/{FILE}", make_folders=True) as spot:
            if spot.kind():
                raise Conflict(f"there is a project {slug!r} already")
            _put(spot.folder_fd, spot.name, text.encode())
        return self.read(slug)

    # -------------------------------------------------------------------------------------------------------- private

    def _names(self) -> list[str]:
        if not self._root.is_dir():
            return []
        with open_folder(self._root, ".") as folder_fd:
            return os.listdir(folder_fd)  # noqa: PTH208 # of an open folder

    def _listed(self, slug: str) -> Listed | None:
        try:
            return Listed(slug, self.read(slug).project)
        except NotFound:
            return None  # a folder that is no project
        except (CorruptRecord, InvalidInput) as error:
            return Listed(slug, None, error.message)

    def _raw(self, slug: str) -> bytes:
        try:
            with open_file(self._root, f"{slug}/{FILE}") as file:
                return file.read(4 * MOST_CHARS + 1)
        except NotFound:
            raise NotFound(f"no project {slug!r}: list them first") from None

    def _replace(self, slug: str, digest: str, raw: bytes) -> bool:
        """Put `raw` in the place of the file of that digest; False if it is not that one any more."""
        path = f"{slug}/{FILE}"
        with locate(self._root, path) as spot, open_file(self._root, path) as old:
            if _digest(old.read(4 * MOST_CHARS + 1)) != digest:
                return False
            mode = stat.S_IMODE(os.fstat(old.fileno()).st_mode)
            _put(spot.folder_fd, spot.name, raw, mode)
            # An editor that has the old file open may have written to it between the two looks: that one is kept.
            old.seek(0)
            if _digest(meanwhile := old.read(4 * MOST_CHARS + 1)) != digest:
                _put(spot.folder_fd, spot.name, meanwhile, mode)
                return False
        return True


def _put(folder_fd: int, name: str, raw: bytes, mode: int = 0o600) -> None:
    temporary = f".{name}.sulla"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder_fd)
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder_fd)
    with os.fdopen(fd, "wb") as file:
        file.write(raw)
        file.flush()
        os.fchmod(fd, mode)
        os.fsync(fd)
    os.rename(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    os.fsync(folder_fd)


def _checked(slug: str) -> str:
    if not _SLUG.fullmatch(slug):
        raise InvalidInput(f"{slug[:80]!r}: expected a project's name of 1 to 64 of a-z, 0-9, '_' and '-'")
    return slug


def _text(slug: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise CorruptRecord(f"{slug}/{FILE}: byte {error.start} is not UTF-8") from None


def _digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()[:16]
