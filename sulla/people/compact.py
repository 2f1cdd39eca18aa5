"""What people were told, without the notices of threads that were deleted."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.host.compaction import CompactionContext
from sulla.people import notices
from sulla.people.notices import Fact, NoticeKept, NoticeRead, NoticesForgotten
from sulla.store.base import Store

_PAGE: Final = 512
_LEASE_S: Final = 30.0
_ANEW: Final = "+"
"""Behind the key of a day's log: that log, written anew. It sorts behind its day and before the next one."""


async def compact(context: CompactionContext) -> str:
    """See `host.compaction.Compaction`. A log cannot lose a record, so a day's is written anew under another key, and
    the old one goes when that is whole. Killed in between, some are listed twice until the next time.
    """
    removed = 0
    for info in await context.store.find(kind=notices.KIND, limit=_PAGE):
        removed += await _rewrite(context, info.key)
    return f"{removed} notices of deleted threads removed" if removed else "nothing to remove"


async def _rewrite(context: CompactionContext, key: str) -> int:
    facts = await _facts(context.store, key)
    gone = {fact.id for fact in facts if isinstance(fact, NoticeKept) and fact.thread_id not in context.live}
    if not gone:
        return 0
    grant = await context.store.acquire(key, context.owner, _LEASE_S)
    if grant is None:
        return 0  # another daemon on the store removes it as too old
    for fact in facts:
        if not _is_about(fact, gone, context.live):
            known_as = _name_of(fact)
            draft, anew = notices.encode(fact), key + _ANEW
            await context.store.offer(anew, known_as, draft, digest=known_as.encode(), create=notices.HEAD, wakes=False)
    await context.store.delete(grant.lease)
    return len(gone)


async def _facts(store: Store, key: str) -> list[Fact]:
    found: list[Fact] = []
    after = 0
    while records := await store.read(key, after=after, limit=_PAGE):
        for record in records:
            try:
                found.append(notices.decode(record, key))
            except CorruptRecord:
                continue  # nobody is shown what stands behind it either; `sulla doctor` says so of the store
        after = records[-1].seq
    return found


def _is_about(fact: Fact, gone: Collection[str], live: Collection[str]) -> bool:
    if isinstance(fact, NoticesForgotten):
        return fact.thread_id not in live
    return fact.id in gone


def _name_of(fact: Fact) -> str:
    """As the inbox names what it offers."""
    match fact:
        case NoticeKept():
            return f"kept:{fact.id}"
        case NoticeRead():
            return f"seen:{fact.id}:{fact.by}"
        case NoticesForgotten():
            return f"forgotten:{fact.thread_id}"
