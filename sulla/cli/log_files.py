"""The daemon's log as one line after the other, over all its files and while it grows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self


class LogFiles:
    """Reads the files from the oldest to the newest, and goes on where it stopped, also if they were moved meanwhile.

    Args:
        path: the newest; ``<name>.1`` is older, ``<name>.2`` older still.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._half = b""

    def __enter__(self) -> Self:
        """Nothing is open yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    @property
    def is_there(self) -> bool:
        """Whether anything was ever written."""
        return bool(self._files())

    def lines(self) -> Iterator[bytes]:
        """Every line that is there by now and was not given yet, without its end; half a line waits for its rest."""
        while True:
            if self._file is not None:
                yield from self._rest(self._file)
            following = self._following()
            if following is None:
                return
            if self._file is not None:
                yield from self._rest(self._file)  # what came before it was moved; now it grows no more
                self._file.close()
            self._file, self._half = following, b""

    def _rest(self, file: BinaryIO) -> Iterator[bytes]:
        for piece in file:
            self._half += piece
            if self._half.endswith(b"\n"):
                line, self._half = self._half[:-1], b""
                yield line

    def _following(self) -> BinaryIO | None:
        """The file behind the one that is open, opened; None if there is none."""
        files = self._files()
        if self._file is not None:
            inode = os.fstat(self._file.fileno()).st_ino
            place = next((place for place, (_, found) in enumerate(files) if found == inode), None)
            if place is not None:  # else it was removed, and all of these are newer
                files = files[place + 1 :]
        with suppress(FileNotFoundError):  # moved in this moment: the next look finds it
            return files[0][0].open("rb") if files else None
        return None

    def _files(self) -> list[tuple[Path, int]]:
        """What there is, the oldest first, each with what stays the same when it is renamed."""
        numbers = {0: self._path}
        for path in self._path.parent.glob(f"{self._path.name}.*"):
            number = path.name.removeprefix(f"{self._path.name}.")
            if number.isascii() and number.isdecimal():
                numbers[int(number)] = path
        found = []
        for _, path in sorted(numbers.items(), reverse=True):
            with suppress(FileNotFoundError):
                found.append((path, path.stat().st_ino))
        return found
