"""The memory without the turns of threads that were deleted, and without their words in the index."""

from __future__ import annotations

from typing import Final

from sulla.host.compaction import CompactionContext
from sulla.host.store_url import MEMORY, named_store, store_file
from sulla.memory.adapters import MEMORY_SUFFIX, make_memory_index

_PAGE: Final = 500


async def compact(context: CompactionContext) -> str:
    """See `host.compaction.Compaction`. Facts that an agent was asked to remember stay: they belong to no thread."""
    settings = context.settings
    file = store_file(settings)
    if named_store(settings).url == MEMORY or (file is not None and not file.with_suffix(MEMORY_SUFFIX).exists()):
        return "nothing is remembered"
    index = make_memory_index(settings, context.clock)
    await index.open()
    try:
        turns, after = 0, ""
        while page := await index.threads(after, _PAGE):
            for thread_id in page:
                if thread_id not in context.live:
                    turns += await index.drop_thread(thread_id)
            after = page[-1]
        await index.compact()
    finally:
        await index.close()
    return f"{turns} turns of deleted threads forgotten; the index holds no word of what was forgotten"
