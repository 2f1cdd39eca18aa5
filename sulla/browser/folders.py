"""The folder of one Chromium among the temporary files: whose it is while it is used, and what a killed daemon left."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Final

log = logging.getLogger(__name__)

PREFIX: Final = "sulla-browser-"
"""How the names of such folders begin."""
OWNER: Final = "owner"
"""The file that the daemon holds locked as long as it lives, with its process id for people."""
MOST_REMOVED: Final = 200
"""Folders that are removed at one start; the next one removes the others."""


class BrowserFolder:
    """A new folder of one's own. It blocks.

    Raises:
        OSError: there is no room for it.
    """

    def __init__(self) -> None:
        made = Path(mkdtemp(prefix=f".{PREFIX}"))  # under a name that nobody sweeps, until it is locked
        self._lock = os.open(made / OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(self._lock, f"{os.getpid()}\n".encode())
            self.path: Path = made.rename(made.with_name(made.name.removeprefix(".")))
            """Where it is."""
        except BaseException:
            os.close(self._lock)
            shutil.rmtree(made, ignore_errors=True)
            raise

    def remove(self) -> None:
        """Remove it, with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def sweep(root: Path | None = None) -> int:
    """Remove the folders whose daemon is gone; those of others, and what only looks like one, stay. It blocks.

    Args:
        root: where they are; None for where temporary files are.

    Returns:
        How many were removed.
    """
    removed = 0
    with suppress(OSError):
        for folder in sorted((root or Path(gettempdir())).glob(f"{PREFIX}*")):
            if removed < MOST_REMOVED and _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed += not folder.exists()
    if removed:
        log.info("removed %d folders of Chromium that a daemon which was killed had left", removed)
    return removed


def _is_left(folder: Path) -> bool:
    """Whether it is a folder of ours, and nobody holds it any more."""
    try:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return False
        lock = os.open(folder / OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False  # somebody else's, or none of these
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False  # its daemon lives
    finally:
        os.close(lock)
    return True
