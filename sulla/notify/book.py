"""The outbox's file: a line for each fact, on the disk before anything is done about it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from sulla.core.errors import CorruptRecord, Unavailable
from sulla.notify.facts import Fact, decode, encode

log = logging.getLogger(__name__)

FILE: Final = "notify.jsonl"
MAX_LINES: Final = 20_000
"""After so many lines the file is written anew with what still counts."""


class OutboxBook:
    """Keeps the facts of an outbox. It lives as long as what drives it, and blocks.

    Args:
        path: the file; it is made if there is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = 0

    def read(self) -> Sequence[Fact]:
        """All that was written down. Half a line at the end is what a kill left of a write that nobody relied on, and
        is cut off; a line that cannot be read is told and passed over.

        Raises:
            Unavailable: the file cannot be read or written.
        """
        try:
            raw = self._path.read_bytes() if self._path.exists() else b""
            whole = raw[: raw.rfind(b"\n") + 1]
            with self._open() as file:
                os.ftruncate(file.fileno(), len(whole))
        except OSError as error:
            raise Unavailable(f"the outbox {self._path.name} cannot be read: {error.strerror}") from None
        found: list[Fact] = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                found.append(decode(line))
            except CorruptRecord as error:
                log.warning("%s, line %d: %s", self._path.name, number, error.message)
        self._lines = whole.count(b"\n")
        return found

    def write(self, facts: Iterable[Fact]) -> None:
        """Write facts down; when this returns they are on the disk.

        Raises:
            Unavailable: the disk does not take them.
        """
        lines = [encode(fact) for fact in facts]
        if not lines:
            return
        try:
            with self._open() as file:
                file.write(b"".join(lines))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise Unavailable(f"the outbox {self._path.name} cannot be written: {error.strerror}") from None
        self._lines += len(lines)

    @property
    def long(self) -> bool:
        """Whether it is time to write the file anew."""
        return self._lines > MAX_LINES

    def rewrite(self, facts: Iterable[Fact]) -> None:
        """Put another file in the place of this one, in one step.

        Raises:
            Unavailable: the disk does not take it.
        """
        lines = [encode(fact) for fact in facts]
        beside = self._path.with_suffix(".new")
        try:
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(b"".join(lines))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._path)
        except OSError as error:
            raise Unavailable(f"the outbox {self._path.name} cannot be written anew: {error.strerror}") from None
        self._lines = len(lines)

    def _open(self) -> BinaryIO:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")
