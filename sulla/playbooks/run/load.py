"""Reading a playbook's run back from its thread's log."""

from __future__ import annotations

from typing import Final

from sulla.core.ids import ThreadId
from sulla.playbooks.run.log import RunRecord
from sulla.threads.store import ThreadStore

_PAGE: Final = 512


async def load_run(threads: ThreadStore, thread_id: ThreadId, upto: int = 0) -> RunRecord:
    """Read a run's log.

    Args:
        threads: where it is.
        thread_id: the run's.
        upto: the last record that counts; 0 for all.

    Raises:
        NotFound: there is no such thread.
        CorruptRecord: it cannot be read.
    """
    record, after = RunRecord(thread_id), 0
    while page := await threads.entries(thread_id, after=after, limit=_PAGE):
        for entry in page:
            if upto and entry.seq > upto:
                return record
            record.take(entry)
        after = page[-1].seq
        if len(page) < _PAGE:
            break
    return record
