"""Sets right, after a change of settings, what earlier settings wrote into every thread."""

from __future__ import annotations

import logging
from typing import Final

from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.threads.retention import Retention
from sulla.threads.store import ThreadStore
from sulla.work.base import Job, Work

log = logging.getLogger(__name__)

KEY: Final = "sulla:retention"


async def redate(store: Store, threads: ThreadStore, work: Work, retention: Retention) -> int:
    """Have idle threads dated anew if the retention is not what it was at the last start.

    Args:
        store: remembers what it was.
        threads: the threads.
        work: attends to those that are dated otherwise.
        retention: what it is now.

    Returns:
        How many threads are to be dated anew. If the store is away, the next start does it.
    """
    now, count, after = repr(retention).encode(), 0, ""
    try:
        before = await store.get(KEY)
        # Without a note nothing was ever dated but by today's rule or by none.
        if before == now or (before is None and retention == Retention()):
            return 0
        while True:
            found, after = await threads.misdated(after=after)
            for thread_id in found:
                work.enqueue(Job(thread_id))
            count += len(found)
            if not after:
                break
        await store.put(KEY, now)
    except StoreUnavailable as error:
        log.warning("threads keep their old time to live until the next start: %s", error)
    else:
        log.info("threads are kept by a new rule; %d are dated anew", count)
    return count
