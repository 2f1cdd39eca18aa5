"""The files of the built console: read at first use, packed once, and kept in memory."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import Final

from sulla.console.answers import Kept, answer, is_worth_packing
from sulla.console.place import PAGE
from sulla.core.dataclass import dataclass
from sulla.rpc.pages import ASSETS, BESIDE, PageAnswer, PageRequest

MOST_FILES: Final = 1024
"""Files below the folder; a build has some dozens."""
FILE_BYTES: Final = 8 * 1024 * 1024
"""Of one file."""
KEPT_BYTES: Final = 32 * 1024 * 1024
"""Of all that is kept in memory; what was asked for least recently goes first, and is read again when asked for."""
log = logging.getLogger(__name__)

Stamp = tuple[int, int, int]
"""By which it is seen that a file is another one: its time, its size and its number."""


@dataclass(frozen=True, slots=True)
class _Build:
    """What lies in the folder."""

    stamp: Stamp
    """The page's: each build writes another one."""
    names: frozenset[str]
    """Of all files that are served, below the folder."""


class WebFiles:
    """Keeps `rpc.pages.Pages` for a folder that a build has filled. What is asked for is looked up among the names
    that are there, so that no request names a place outside. A new build is noticed when the page is asked for.

    Args:
        folder: where it is; it need not be there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._build: _Build | None = None
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._reading = asyncio.Lock()

    async def answer(self, request: PageRequest) -> PageAnswer | None:
        """See `Pages`."""
        name = PAGE if request.path == "/" else request.path.removeprefix("/")
        async with self._reading:
            if name == PAGE or self._build is None:
                await asyncio.to_thread(self._look)
            if self._build is None or name not in self._build.names:
                return None
            kept = self._kept.get(name)
            if kept is None:
                kept = await asyncio.to_thread(self._read, name)
            if kept is None:
                return None
            self._keep(name, kept)
        return answer(request, name, kept)

    def _look(self) -> None:
        """See what is there, and forget what was there before another build."""
        stamp = _stamp_of(self._folder / PAGE)
        if stamp is None or self._build is None or stamp != self._build.stamp:
            self._kept.clear()
            self._build = None if stamp is None else _Build(stamp, self._names())

    def _names(self) -> frozenset[str]:
        found = {PAGE, *(name for path in BESIDE if _is_file(self._folder / (name := path.removeprefix("/"))))}
        for path in sorted((self._folder / ASSETS.strip("/")).rglob("*")):
            if not _is_file(path):
                continue
            if len(found) >= MOST_FILES:
                log.warning(
                    "the console in %s has more than %d files: the rest is not served", self._folder, MOST_FILES
                )
                break
            found.add(path.relative_to(self._folder).as_posix())
        return frozenset(found)

    def _read(self, name: str) -> Kept | None:
        path = self._folder / name
        try:
            with path.open("rb") as file:
                body = file.read(FILE_BYTES + 1)
        except OSError as error:
            log.warning("a file of the console cannot be read, build it again: %s", error)
            return None
        if len(body) > FILE_BYTES:
            log.warning(
                "%s has more than %d bytes, the most of a file of the console: it is not served", path, FILE_BYTES
            )
            return None
        import gzip  # for the first page that is asked for

        packed = gzip.compress(body, 9, mtime=0) if is_worth_packing(name) else b""
        return Kept(body, packed if len(packed) < len(body) else b"", sha256(body).hexdigest()[:20])

    def _keep(self, name: str, kept: Kept) -> None:
        self._kept[name] = kept
        self._kept.move_to_end(name)
        while self.kept_bytes > KEPT_BYTES:
            self._kept.popitem(last=False)

    @property
    def kept_bytes(self) -> int:
        """How much is kept in memory."""
        return sum(len(one.body) + len(one.packed) for one in self._kept.values())


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _stamp_of(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
