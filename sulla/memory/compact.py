"""The memory without the turns of threads that were deleted, and without their words in the index."""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import blake2b
from typing import Final

from sulla.host.compaction import CompactionContext, Scrub
from sulla.host.store_url import MEMORY, named_store, store_file
from sulla.memory.adapters import MEMORY_SUFFIX, make_memory_index
from sulla.memory.base import MemoryIndex
from sulla.memory.note import KINDS
from sulla.memory.section import row

_PAGE: Final = 500
_SECTION: Final = re.compile(r"<memory>\n(.*?)\n</memory>", re.DOTALL)
"""What `section` makes."""


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
        context.scrubs.append(without_gone(await _rows(index)))
        await index.compact()
    finally:
        await index.close()
    return f"{turns} turns of deleted threads forgotten; the index holds no word of what was forgotten"


def without_gone(rows: Collection[bytes]) -> Scrub:
    """Takes lines out of what agents were told of their memory: those of notes that there are no more.

    Args:
        rows: what `digest_of` gives for the line of each note that there is.
    """

    def lines(found: re.Match[str]) -> str:
        kept = [line for line in found[1].split("\n") if not line.startswith("- ") or digest_of(line) in rows]
        told = any(line.startswith("- ") for line in kept)
        return "\n".join(("<memory>", *kept, "</memory>")) if told else ""

    def scrub(text: str) -> str:
        scrubbed = _SECTION.sub(lines, text) if "<memory>" in text else text
        return text if scrubbed == text else scrubbed

    return scrub


def digest_of(line: str) -> bytes:
    """Tells a line from every other one, in eight bytes: there may be very many notes."""
    return blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).digest()


async def _rows(index: MemoryIndex) -> frozenset[bytes]:
    scopes = [*await index.scopes()]
    found: set[bytes] = set()
    for kind in KINDS:
        for scope in scopes:
            before_ms: int | None = None
            while page := await index.recent([scope], kind, _PAGE, before_ms):
                found.update(digest_of(row(note).text) for note in page)
                # Of one moment there are never as many as a page has.
                before_ms = page[-1].at_ms + 1 if page[-1].at_ms + 1 != before_ms else page[-1].at_ms
                if len(page) < _PAGE:
                    break
    return frozenset(found)
