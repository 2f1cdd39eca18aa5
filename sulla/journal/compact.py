"""The journal without the lines of threads that were deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from sulla.core.ids import ThreadId
from sulla.host.compaction import CompactionContext, rewrite_lines
from sulla.journal.build import FOLDER
from sulla.journal.folder import CONVERSATIONS, TRAINING
from sulla.journal.lines import JournalPosition, read_example, read_line

Read = Callable[[bytes], tuple[ThreadId, JournalPosition] | None]


async def compact(context: CompactionContext) -> str:
    """See `host.compaction.Compaction`. Also where the journal is switched off now: its files are there."""
    folder = context.settings.home / FOLDER

    def work() -> tuple[int, int]:
        dropped = files = 0
        for name, read in ((CONVERSATIONS, read_line), (TRAINING, read_example)):
            for path in sorted(folder.glob(f"{name}*")):
                # Only the current file is gone on with: what follows a bad line there is written anew from the store.
                done = rewrite_lines(path, _lives(read, context.live, ends=path.name == name))
                dropped, files = dropped + done.dropped, files + bool(done.dropped)
        return dropped, files

    dropped, files = await asyncio.to_thread(work)
    return f"{dropped} lines of deleted threads removed from {files} files" if dropped else "nothing to remove"


def _lives(read: Read, live: Collection[str], *, ends: bool) -> Callable[[bytes], bool | None]:
    def keep(line: bytes) -> bool | None:
        found = read(line)
        if found is None:
            return None if ends else False
        return found[0] in live

    return keep
