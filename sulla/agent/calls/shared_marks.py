"""What homes on one workspace tell each other of marked files.

Each home writes a file of its own into a folder beside the workspace, and reads those of the others. No tool and no
command in the sandbox can write there. A home goes by its own marks first: this is a copy for the others, with paths
as they are below the workspace, since others may have it mounted elsewhere.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import ALL
from sulla.agent.calls.mark_book import CONTENT, Changes, Mark, append, apply, parse, write_anew
from sulla.core.errors import Refused

MOST_HOMES: Final = 64
"""Files that are read; where there are more, nothing of the workspace is trusted."""


_LOG = logging.getLogger(__name__)


def folder_beside(workspace: Path) -> Path:
    """Where homes tell each other of a workspace's files.

    Args:
        workspace: its folder, links resolved.
    """
    return workspace.parent / f".{workspace.name}.sulla-marks"


def why_not_shared(workspace: Path) -> str:
    """Why other homes cannot be told; empty if they can.

    Args:
        workspace: its folder, links resolved.
    """
    folder = folder_beside(workspace)
    if folder.is_relative_to(workspace):
        return f"{workspace} is the whole disk, and nothing lies beside it"
    place = folder if folder.exists() else folder.parent
    return "" if os.access(place, os.W_OK | os.X_OK) else f"this user may not write in {place}"


class SharedMarks:
    """The marks of one workspace that other homes see, and theirs. Not safe for several threads at once.

    Args:
        workspace: its folder; it need not be there yet.
        home: the name of this home, which no other has.
    """

    def __init__(self, workspace: Path, home: str) -> None:
        self._workspace = workspace
        self._name = f"{home}.jsonl"
        self._read: dict[str, _Others] = {}
        self._told = False
        self._silent = False

    def tell(self, changes: Changes, whole: bool) -> None:
        """Tell others of marks. Where that is not permitted a line in the log says so, once.

        Args:
            changes: by whole paths; what lies elsewhere is left out.
            whole: whether these are all marks there are.

        Raises:
            Refused: the disk is full, or what could be written before cannot any more.
        """
        root = self._workspace.resolve()
        folder = folder_beside(root)
        below = {_below(path, root): mark for path, mark in changes.items() if _concerns(path, root)}
        if below or (folder / self._name).exists():
            below |= {path: mark for path, mark in changes.items() if path.startswith(CONTENT)}
        if self._silent or not (below or (whole and (folder / self._name).exists())):
            return
        if not self._told and (why := why_not_shared(root)):
            self._silent = True
            _LOG.warning("other homes on the workspace are not told which of its files are from outside: %s", why)
            return
        mode = self._made(folder, root)
        (write_anew if whole else append)(folder / self._name, below, mode & 0o666)
        self._told = True

    def _made(self, folder: Path, root: Path) -> int:
        """Make the folder; who may do what in it is as in the workspace."""
        seen = root.stat() if root.exists() else root.parent.stat()
        try:
            folder.mkdir(exist_ok=False)
            folder.chmod(seen.st_mode & 0o777)
            with suppress(PermissionError):  # then others of the group say that they cannot write
                os.chown(folder, -1, seen.st_gid)
        except FileExistsError:
            pass
        except OSError as error:
            raise Refused(f"{folder} cannot be made, so no file can be marked: {error.strerror}") from error
        return seen.st_mode

    def others(self) -> Iterator[Mapping[str, Mark]]:
        """The marks of each other home, by whole paths.

        Raises:
            CorruptRecord: a file of one holds something else.
        """
        root = self._workspace.resolve()
        try:
            with os.scandir(folder_beside(root)) as entries:
                names = sorted(one.name for one in entries if one.name.endswith(".jsonl") and one.name != self._name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            names = [""] * (MOST_HOMES + 1)  # nobody can see what they say
        if len(names) > MOST_HOMES:
            yield {str(root): Mark(ALL)}
            return
        for name in names:
            other = self._read.setdefault(name, _Others(folder_beside(root) / name, root))
            yield other.marks()


class _Others:
    """The marks of another home, read anew whenever it has written."""

    def __init__(self, file: Path, root: Path) -> None:
        self._file = file
        self._root = root
        self._seen: tuple[int, ...] = ()
        self._marks: dict[str, Mark] = {}

    def marks(self) -> Mapping[str, Mark]:
        """All of them, as of now."""
        try:
            with os.fdopen(os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
                status = os.fstat(file.fileno())
                seen = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                if seen != self._seen:
                    marks: dict[str, Mark] = {}
                    for line in file:
                        apply(marks, _whole(parse(line, self._file), self._root))
                    self._seen, self._marks = seen, marks
        except FileNotFoundError:
            self._seen, self._marks = (), {}
        except OSError:
            return {str(self._root): Mark(ALL)}  # nobody can see what it says
        return self._marks


def _concerns(path: str, root: Path) -> bool:
    return Path(path).is_relative_to(root) or root.is_relative_to(path)


def _below(path: str, root: Path) -> str:
    return os.path.relpath(path, root) if Path(path).is_relative_to(root) else "."


def _whole(changes: Changes, root: Path) -> Changes:
    return {path if path.startswith(CONTENT) else os.path.normpath(root / path): mark for path, mark in changes.items()}
