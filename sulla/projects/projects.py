"""Projects on disk: a folder each, with a file that people and agents both write (`project_file`)."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, NotFound, SullaError
from sulla.definitions.replace import lease, swap, turn, write_beside
from sulla.projects.file import MOST_CHARS, Project, read_project, set_field
from sulla.tools.nearest import did_you_mean
from sulla.tools.paths import locate, open_file, open_folder

PROJECTS: Final = "projects"
"""The folder of the home with a folder for each."""
FILE: Final = "PROJECT.md"
MOST_PROJECTS: Final = 500
"""Folders that are looked at."""
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MOST_BYTES: Final = 4 * MOST_CHARS
_TRIES: Final = 5
"""How often a change is made anew because the file was written meanwhile."""


@dataclass(frozen=True, slots=True)
class FoundProject:
    """A project's file as it was read, with the digest that a change is checked against."""

    slug: str
    project: Project
    text: str
    digest: str
    """Of the whole file: who changes a part of it says which one he has read."""


@dataclass(frozen=True, slots=True)
class ListedProject:
    """A project of the home, or why its file cannot be read."""

    slug: str
    project: Project | None
    """None if the file cannot be read."""
    trouble: str = ""
    """Why not."""
    digest: str = ""
    """Of the whole file."""


class Projects:
    """The projects of a home.

    A change is made to what the file says at that moment and put in its place in one step (`swap`). If somebody else
    has written it in between, the change is made again to what they wrote, so nothing of a person's edit is lost.

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

    def all(self) -> list[ListedProject]:
        """All projects by slug."""
        try:
            names = sorted(name for name in self._names() if _SLUG.fullmatch(name))
        except NotFound:
            return []
        return [listed for slug in names[:MOST_PROJECTS] if (listed := self._listed(slug)) is not None]

    def read(self, slug: str) -> FoundProject:
        """A project.

        Raises:
            NotFound: there is none of that name.
            CorruptRecord: its file is no text.
            InvalidInput: the name is none, or the file is too long.
        """
        with self._open(slug) as file:
            return _found(slug, _all(file))

    def change(self, slug: str, change: Callable[[str], str], at: str, digest: str = "") -> FoundProject | None:
        """Change a project's file.

        Args:
            slug: which one.
            change: makes the new text of the old one; may be called several times.
            at: when it is, for ``last_activity_at``.
            digest: of what the change was thought up for; empty if it fits any text.

        Returns:
            What it is now; None if somebody else is writing it at this moment. Then nothing has changed.

        Raises:
            Conflict: the file is not the one of that digest any more.
            NotFound, CorruptRecord, InvalidInput: as `read`, or what `change` raises.
        """
        for _ in range(_TRIES):
            with self._open(slug) as old:
                with lease(old) as alone:
                    if not alone():
                        return None  # half of what they write is nothing to go by
                    raw = _all(old)
                before = _found(slug, raw)
                if digest and before.digest != digest:
                    raise Conflict(
                        f"{slug}/{FILE} was changed since it was read: read it again, and change what it says now"
                    )
                text = change(before.text)
                if text == before.text:
                    return before
                after = _bytes(set_field(text, "last_activity_at", at), raw)
                found = _found(slug, after)  # not too long
                if self._replace(slug, raw, after):
                    return found
        return None

    def create(self, slug: str, text: str) -> FoundProject:
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
            with turn(spot.folder_fd):
                beside, _ = write_beside(spot.folder_fd, spot.name, text.encode(), 0o600)
                os.rename(beside, spot.name, src_dir_fd=spot.folder_fd, dst_dir_fd=spot.folder_fd)
                os.fsync(spot.folder_fd)
        return self.read(slug)

    # -------------------------------------------------------------------------------------------------------- private

    def _names(self) -> list[str]:
        if not self._root.is_dir():
            return []
        with open_folder(self._root, ".") as folder_fd:
            return os.listdir(folder_fd)  # noqa: PTH208 # of an open folder

    def _listed(self, slug: str) -> ListedProject | None:
        try:
            found = self.read(slug)
            return ListedProject(slug, found.project, digest=found.digest)
        except NotFound:
            return None  # a folder that is no project
        except SullaError as error:
            return ListedProject(slug, None, error.message)
        except OSError as error:
            return ListedProject(slug, None, f"it cannot be read: {error.strerror}")

    def _open(self, slug: str) -> BinaryIO:
        try:
            return open_file(self._root, f"{_checked(slug)}/{FILE}")
        except NotFound:
            meant = did_you_mean(slug, (name for name in self._names() if _SLUG.fullmatch(name)))
            raise NotFound(f"no project {slug!r}.{meant or ' List them first.'}") from None

    def _replace(self, slug: str, before: bytes, after: bytes) -> bool:
        """Put `after` in the place of the file if it still is `before`; False if it is not."""
        path = f"{slug}/{FILE}"
        with locate(self._root, path) as spot, turn(spot.folder_fd):
            try:
                old = open_file(self._root, path)
            except NotFound:
                return False  # an editor may be about to put it there anew; if not, the next try says so
            with old:
                return swap(spot.folder_fd, spot.name, after, old, lambda file: _all(file) == before)


def _checked(slug: str) -> str:
    if not _SLUG.fullmatch(slug):
        raise InvalidInput(f"{slug[:80]!r}: expected a project's name of 1 to 64 of a-z, 0-9, '_' and '-'")
    return slug


def _all(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(_MOST_BYTES + 1)


def _found(slug: str, raw: bytes) -> FoundProject:
    if len(raw) > _MOST_BYTES:
        raise InvalidInput(f"{slug}/{FILE} has more than {_MOST_BYTES} bytes: expected a file that people read")
    try:
        text = raw.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise CorruptRecord(f"{slug}/{FILE}: byte {error.start} is not UTF-8") from None
    return FoundProject(slug, read_project(text), text, _digest(raw))


def _bytes(text: str, before: bytes) -> bytes:
    """A text as a file; with a byte order mark if there was one."""
    return (BOM_UTF8 if before.startswith(BOM_UTF8) else b"") + text.encode()


def _digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()[:16]
