"""The audit log's file: one line of JSON for each entry, only ever added to."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.core.redact import Redactor, hide_tokens

log = logging.getLogger(__name__)

FILE: Final = "audit.jsonl"
FILE_BYTES: Final = 16 * 1024 * 1024
"""Where a file is put aside as ``audit.jsonl.1``, that one as ``.2``, and so on."""
FILES: Final = 10
"""Files that are kept, the newest included."""
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class AuditLog:
    """Writes entries down at once, each in one write. If that fails, it says so once, counts, and tries the next one.

    Args:
        folder: where the file lies; for its owner alone (0600).
        redactor: takes secrets out.
        file_bytes: the most bytes of one file.
    """

    def __init__(self, folder: Path, redactor: Redactor, file_bytes: int = FILE_BYTES) -> None:
        self._path = folder / FILE
        self._redactor = redactor
        self._file_bytes = file_bytes
        self._handle: int | None = None
        self._size = 0
        self._failing = False
        self.failed = 0
        """Entries that could not be written."""

    @property
    def failing(self) -> bool:
        """Whether the last entry could not be written."""
        return self._failing

    def write(self, entry: JsonObject) -> None:
        """Add one entry."""
        text = json.dumps(self._redactor.json(entry), ensure_ascii=True, separators=(",", ":"))
        line = (hide_tokens(text) + "\n").encode("ascii")
        try:
            self._write(line)
        except OSError as error:
            self.failed += 1
            if not self._failing:
                log.error("the audit log %s cannot be written, so what is done is not in it: %s", self._path, error)
            self._failing = True
            self.close()
            return
        if self._failing:
            log.warning("the audit log is written again; %d entries are missing", self.failed)
        self._failing = False

    def close(self) -> None:
        """Let go of the file; the next entry opens it again."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _write(self, line: bytes) -> None:
        if self._handle is not None and self._size + len(line) > self._file_bytes:
            self.close()
            self._put_aside()
        if self._handle is None:
            self._handle = os.open(self._path, _FLAGS, 0o600)
            os.fchmod(self._handle, 0o600)
            self._size = os.fstat(self._handle).st_size
        written = os.write(self._handle, line)
        self._size += written
        if written < len(line):  # the disk is full: what comes next must not be glued to a piece of a line
            os.write(self._handle, b"\n")
            raise OSError(f"only {written} of {len(line)} bytes were written")

    def _put_aside(self) -> None:
        for number in range(FILES - 2, -1, -1):
            older = self._path if number == 0 else self._numbered(number)
            if older.exists():
                older.replace(self._numbered(number + 1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{FILE}.{number}")
