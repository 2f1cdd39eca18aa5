"""Every head and every record of a store, read as the daemon reads them: what cannot be read is counted and named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.store.values import LogInfo, Record
from sulla.threads.head import THREAD_KIND, from_head
from sulla.threads.log.schema import ThreadSchema

_LOGS = 100
_RECORDS = 64
"""Read in one go: a running daemon's loop must not stand still for an audit."""

_UNREADABLE = (CorruptRecord, TypeError)
"""What reading damage raises; a changed byte can turn the bytes of a row into text or a number."""

NAMED = 20
"""So many pieces of damage are named; all are counted."""


class Readable(Protocol):
    """The half of `Store` that changes nothing."""

    async def find(self, *, after_key: str = "", limit: int = 100) -> list[LogInfo]:
        """See `Store.find`."""

    async def head(self, key: str) -> LogInfo | None:
        """See `Store.head`."""

    async def read(self, key: str, *, after: int = 0, limit: int = 512) -> list[Record]:
        """See `Store.read`."""


@dataclass(slots=True)
class Audit:
    """What an audit found."""

    logs: int = 0
    records: int = 0
    damaged: int = 0
    named: list[str] = field(default_factory=list)
    """The first `NAMED` pieces of damage, each with its place."""
    newest_ms: int = 0
    """When the newest record was made, UTC milliseconds; 0 if there is none."""
    finished: bool = True
    """Whether everything was looked at."""
    broke_off: str = ""
    """Why not, if it was not the time."""

    def damage(self, said: str) -> None:
        """One more piece of damage."""
        self.damaged += 1
        if self.damaged <= NAMED:
            self.named.append(said)


async def audit_threads(store: Readable, schema: ThreadSchema, clock: Clock, deadline_s: float) -> Audit:
    """Look at everything that is kept of threads; nothing is changed.

    Args:
        store: what to look at.
        schema: what threads hold.
        clock: for the deadline.
        deadline_s: after so many seconds it is left at what was found.

    Returns:
        What was found, also if the store broke off before the end.
    """
    found, until = Audit(), clock.elapsed() + deadline_s
    try:
        found.finished = await _all_logs(store, schema, found, clock, until)
    except StoreUnavailable as error:
        found.finished, found.broke_off = False, error.message
    return found


async def _all_logs(store: Readable, schema: ThreadSchema, found: Audit, clock: Clock, until: float) -> bool:
    """Look at every log; whether that was possible, and in time."""
    after = ""
    while True:
        try:
            infos = await store.find(after_key=after, limit=_LOGS)
        except CorruptRecord as error:
            found.damage(error.message)
            found.broke_off = f"the list of logs cannot be read on behind {after!r}"
            return False
        if not infos:
            return True
        for info in infos:
            if not await _log(store, schema, info, found, lambda: clock.elapsed() > until):
                return False
        after = infos[-1].key


async def _log(store: Readable, schema: ThreadSchema, info: LogInfo, found: Audit, late: Callable[[], bool]) -> bool:
    """Look at one log; whether all of it was looked at in time."""
    found.logs += 1
    if info.head.kind != THREAD_KIND:
        return True  # another capability's, which knows what it holds
    try:
        from_head(schema, ThreadId(info.key), info.head)
    except _UNREADABLE as error:
        found.damage(f"{info.key} head: {str(error).removeprefix(f'{info.key} head: ')}")
    last = 0
    while records := await store.read(info.key, after=last, limit=_RECORDS):
        for record in records:
            _record(schema, info.key, record, last, found)
            last = record.seq
        if late():
            return False
    # A log that is gone by now was deleted meanwhile.
    if last < info.last_seq and await store.head(info.key) is not None:
        found.damage(f"{info.key}: the log ends with record {last}, expected {info.last_seq}")
    return True


def _record(schema: ThreadSchema, key: str, record: Record, last: int, found: Audit) -> None:
    found.records += 1
    if record.seq != last + 1:
        found.damage(f"{key}: record {record.seq} follows record {last}; what was between them is missing")
    place = f"{key} record {record.seq} ({record.kind}): "
    try:
        entry = schema.decode(record, key)
        _ = entry.fact  # opens it
    except _UNREADABLE as error:
        found.damage(place + str(error).removeprefix(place))
    else:
        found.newest_ms = max(found.newest_ms, entry.origin.at_ms)
