"""A copy of the last file of routes that could be read, beside it: for a daemon that starts while the file is broken.

A file that is broken by a slip of the pen would else take away every gate with the next restart.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from sulla.routes.schema import MOST_BYTES

LAST_FILE: Final = ".routes.last.yaml"
"""In the folder of a home."""
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


class LastGood:
    """Keeps the copy. It lives as long as the shelf that has it; all of it blocks.

    Args:
        home: the home's folder.
    """

    def __init__(self, home: Path) -> None:
        self.file = home / LAST_FILE
        self._kept: str | None = None
        """What the copy says; empty where there is none, None where that is not known."""

    def read(self) -> str:
        """What the copy says; empty where there is none.

        Raises:
            OSError, UnicodeDecodeError: it cannot be read.
        """
        try:
            with self.file.open("rb") as opened:
                return opened.read(MOST_BYTES + 1).decode("utf-8")
        except FileNotFoundError:
            return ""

    def keep(self, text: str) -> None:
        """Write a text down, for its owner alone, whole or not at all; nothing where the copy has it already.

        Args:
            text: of a file that could be read.

        Raises:
            OSError: it cannot be written.
        """
        if text == self._kept:
            return
        if self._kept is None and self._says(text):
            self._kept = text
            return
        draft = self.file.with_name(f"{self.file.name}.draft")
        with os.fdopen(os.open(draft, _FLAGS, 0o600), "wb") as opened:
            os.fchmod(opened.fileno(), 0o600)
            opened.write(text.encode("utf-8"))
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(self.file)
        self._kept = text

    def forget(self) -> None:
        """Take the copy away: the owner took the file away.

        Raises:
            OSError: it cannot be removed.
        """
        if self._kept != "":
            self.file.unlink(missing_ok=True)
            self._kept = ""

    def _says(self, text: str) -> bool:
        """Whether the copy says this already, for its owner alone."""
        try:
            return self.file.stat().st_mode & 0o077 == 0 and self.read() == text
        except (OSError, UnicodeDecodeError):
            return False
