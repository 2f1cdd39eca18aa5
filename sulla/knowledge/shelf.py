"""The knowledge of a home: the files of its folder `knowledge/`, read again when they change, and searched."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.knowledge.folder import KNOWLEDGE, FolderLook, FoundFile, LeftOut, look
from sulla.knowledge.index import KnowledgeIndex, Passage
from sulla.knowledge.reading import KnowledgeFile, read_knowledge
from sulla.knowledge.room import Room
from sulla.knowledge.settings import KnowledgeSettings

LOOK_S: Final = 1.0
"""Between questions a folder with files in it is looked at no more often than this, in seconds."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """What answers come from at one moment."""

    files: tuple[KnowledgeFile, ...] = ()
    """Those that were read, by path."""
    left_out: tuple[LeftOut, ...] = ()
    """What no answer comes from, whatever the reason, by path."""
    index: KnowledgeIndex = field(default_factory=KnowledgeIndex)

    @property
    def sections(self) -> int:
        """How many there are."""
        return sum(len(file.sections) for file in self.files)


class KnowledgeShelf:
    """Knows the folder of a home. It lives as long as the daemon, and keeps the text of what it has read.

    Args:
        home: the home's folder.
        bounds: how much is read.
        clock: all time.
    """

    def __init__(self, home: Path, bounds: KnowledgeSettings, clock: Clock) -> None:
        self.folder = home / KNOWLEDGE
        self._bounds = bounds
        self._clock = clock
        self._lock = asyncio.Lock()
        self._looked_s: float | None = None
        self._there = FolderLook()
        self._read: dict[str, KnowledgeFile] = {}
        """All that was read and is still as it was, by path."""
        self._shelved = Shelved()
        self._shelved_of: FolderLook | None = None
        """How the folder was when `_shelved` was made."""

    @property
    def has_files(self) -> bool:
        """Whether there was anything to read when the folder was looked at last."""
        return bool(self._there.files)

    async def look(self) -> None:
        """See which files there are, beside the event loop; none is read. Once there are any, not more often than every
        `LOOK_S`: so the first one counts at once.
        """
        now_s = self._clock.elapsed()
        if self.has_files and self._looked_s is not None and now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        if self.folder.exists():  # most homes have none: one question to the disk costs less than another thread
            await asyncio.to_thread(self.look_now)
        else:
            self._there = FolderLook()

    def look_now(self) -> None:
        """The same at once. It blocks."""
        self._there = look(self.folder)

    async def read(self) -> Shelved:
        """Read what has changed, beside the event loop. What was read by the time that this is cancelled stays read.

        Returns:
            All that answers can come from, and what they cannot come from.
        """
        async with self._lock:
            await asyncio.to_thread(self.look_now)
            if self._shelved_of != self._there:
                await self._take_up(self._there)
            return self._shelved

    async def search(self, question: str, most: int) -> Sequence[Passage]:
        """The passages that answer a question best, out of the files as they are now.

        Args:
            question: in any words.
            most: how many at the most.
        """
        shelved = await self.read()
        return await asyncio.to_thread(shelved.index.search, question, most)

    async def _take_up(self, there: FolderLook) -> None:
        wanted = {file.path: file.stamp for file in there.files}
        self._read = {path: file for path, file in self._read.items() if wanted.get(path) == file.found.stamp}
        files: list[KnowledgeFile] = []
        left_out = [*there.left_out]
        room = Room(self._bounds)
        for found in there.files:
            file = await self._read_within(found, room)
            if file.fault:
                left_out.append(LeftOut(found.path, file.fault))
            else:
                files.append(file)
                left_out += [LeftOut(found.path, file.remark)] if file.remark else []
        index = await asyncio.to_thread(lambda: KnowledgeIndex([one for file in files for one in file.sections]))
        self._shelved = Shelved(tuple(files), tuple(sorted(left_out, key=lambda one: one.path)), index)
        self._shelved_of = there

    async def _read_within(self, found: FoundFile, room: Room) -> KnowledgeFile:
        """A file as it is, from memory if nobody wrote to it; one that is too much keeps no room in memory."""
        if said := room.refuses(found.size_bytes):
            self._read.pop(found.path, None)
            return KnowledgeFile(found, fault=said)
        file = self._read.get(found.path) or await read_knowledge(self.folder, found, self._clock)
        self._read[found.path] = file
        if not file.fault and (said := room.takes(file.cost_bytes, len(file.sections))):
            del self._read[found.path]
            return KnowledgeFile(found, fault=said)
        return file
