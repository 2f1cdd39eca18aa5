"""The journal without the lines of threads that were deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import orjson

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
        dropped = changed = 0
        for name, read in ((CONVERSATIONS, read_line), (TRAINING, read_example)):
            for path in sorted(folder.glob(f"{name}*")):
                # Only the current file is gone on with: what follows a bad line there is written anew from the store.
                done = rewrite_lines(path, _lives(read, context, ends=path.name == name))
                dropped, changed = dropped + done.dropped, changed + done.changed
        return dropped, changed

    dropped, changed = await asyncio.to_thread(work)
    also = f", and what they say taken out of {changed} others" if changed else ""
    return f"{dropped} lines of deleted threads removed{also}" if dropped or changed else "nothing to remove"


def _lives(read: Read, context: CompactionContext, *, ends: bool) -> Callable[[bytes], bytes | None]:
    def keep(line: bytes) -> bytes | None:
        found = read(line)
        if found is None:
            return None if ends else b""
        if found[0] not in context.live:
            return b""
        value = orjson.loads(line)
        scrubbed = context.scrub(value)
        return line if scrubbed is value else orjson.dumps(scrubbed) + b"\n"

    return keep
