"""Writing a thread from a file into a store, whole or not at all.

A store adds one input or one lot of decisions at a time, so a thread cannot be written in one step. Until the last one
is done, a note in the store names the thread. Whoever opens the store next, a daemon or another import, removes what
the note names before anything else (`undo_half_import`). And nothing of it runs by itself meanwhile: its inputs wake
nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Busy, Conflict, InvalidInput, StoreUnavailable
from sulla.core.event import Fact
from sulla.core.ids import ThreadId
from sulla.store.base import Store
from sulla.store.values import Draft, Head, Lease
from sulla.threads.archive.lines import Unsealer
from sulla.threads.archive.replay import IMPORTED, Offering, Raw, Renamed, Replay, leftovers
from sulla.threads.head import to_head
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry, Origin, encode
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.state import ThreadState

log = logging.getLogger(__name__)

Lines = Callable[[], Iterable[bytes]]
"""The lines of a file, from its beginning at each call."""

CloseRun = Callable[[ThreadState, OpenRun, int], Sequence[f.Decision]]
"""The facts that end an open run and leave a conversation that can go on; the last argument is now, in UTC ms."""

_LEASE_S = 30.0
_PAGE = 128
_BATCH_BYTES = 4 * 1024 * 1024
"""How much is written at once, at the most and beside one record."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What came of an import."""

    thread_id: ThreadId
    records: int
    """How many the file has."""
    fresh: bool
    """False if the thread was here already, with the same records."""
    ended: int = 0
    """Runs that were under way or waited, and do not go on here."""


class ThreadRestore:
    """Takes threads in. The store has no other writer meanwhile (the lock on the home sees to that).

    Args:
        store: where they go; open.
        clock: for the time of what is added.
        owner: ``<home id>:<boot nonce>``.
        schema: what threads hold.
        ceiling_tokens: how much of a conversation is kept in memory.
        close: ends a run that was open.
        why: why what was under way in a thread does not go on here: a stable word.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        owner: str,
        schema: ThreadSchema,
        ceiling_tokens: int,
        close: CloseRun,
        why: str = IMPORTED,
    ) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._schema = schema
        self._ceiling = ceiling_tokens
        self._close = close
        self._why = why

    async def restore(self, lines: Lines, *, copy_as: ThreadId | None = None) -> Restored:
        """Take one thread in.

        Everything about it is looked at before the first record is written, and a failure later on leaves nothing.

        Args:
            lines: the file.
            copy_as: make a copy under this id instead of the thread itself; one that is there already is left as it is.

        Raises:
            InvalidInput: the file is damaged, or holds no thread.
            Conflict: there is such a thread already, and it is another one.
            StoreUnavailable: the store gave up; nothing is left, or the next opener removes it.
        """
        file = self._examine(lines)
        thread_id = copy_as or file.thread_id
        if await self._store.head(thread_id) is not None:
            if copy_as is None:
                await self._compare(thread_id, lines)
            return Restored(thread_id, file.count, fresh=False)
        note = _note(self._owner)
        await self._store.put(note, thread_id.encode())
        try:
            ended = await self._write(thread_id, file, lines)
        except BaseException:
            with suppress(
                StoreUnavailable
            ):  # what made it fail says more; the note stays, and the next opener tidies up
                await _undo(self._store, self._owner)
            raise
        await self._store.remove(note)
        return Restored(thread_id, file.count, fresh=True, ended=ended)

    def _examine(self, lines: Lines) -> Unsealer:
        file, replay = Unsealer(self._schema), None
        for entry in _entries(file, lines):
            replay = replay or Replay(self._schema, file.thread_id, self._ceiling)
            replay.take(entry)
        if replay is None:
            raise InvalidInput("the file holds no record, and every thread has one")
        return file

    async def _compare(self, thread_id: ThreadId, lines: Lines) -> None:
        """See whether every record of the file is here."""
        page: list[Entry] = []
        for entry in _entries(Unsealer(self._schema), lines):
            if not page:
                records = await self._store.read(thread_id, after=entry.seq - 1, limit=_PAGE)
                page = [self._schema.decode(record, thread_id) for record in reversed(records)]
            if not page or page.pop() != entry:
                raise Conflict(
                    f"the thread {thread_id!r} is here already, and differs from record {entry.seq} on: "
                    "delete it first with `sulla thread delete`, or import a copy with --as-new"
                )

    async def _write(self, thread_id: ThreadId, file: Unsealer, lines: Lines) -> int:
        replay = Replay(self._schema, thread_id, self._ceiling)
        again, renamed = Unsealer(self._schema), Renamed(thread_id) if thread_id != file.thread_id else None
        pen = _Pen(self._store, self._schema, thread_id, self._owner)
        for entry in _entries(again, lines):
            entry = renamed.take(entry) if renamed is not None else entry
            offering = replay.take(entry)
            draft = encode(Raw(entry.kind, entry.data), entry.origin)
            if offering is None:
                await pen.decided(draft)
            elif entry.seq == 1:
                await pen.begin(draft, offering, to_head(self._schema, replay.state, claimed=1, epoch=0))
            else:
                await pen.offered(draft, offering)
        if again.digest != file.digest:
            raise InvalidInput("the file changed while it was read")
        ended = await self._put_away(replay.state, pen)
        # The head counts waking inputs, and none of these woke anybody.
        replay.state.inbox.consumed = 0
        await pen.finish(replay.state)
        return ended

    async def _put_away(self, state: ThreadState, pen: _Pen) -> int:
        """End what was under way: elsewhere it may have gone on, and nothing is done twice. How many runs that were."""
        now_ms = round(self._clock.now() * 1000)
        ended = len(state.inbox.waiting)
        if (run := state.run) is not None:
            ended += 1
            origin = Origin(now_ms, run.id, run.agent or state.identity.agent, depth=state.depth)
            for decided in self._close(state, run, now_ms):
                await self._add(state, pen, decided, origin)
        for fact in leftovers(state, now_ms, self._why):
            run_id = fact.run_id if isinstance(fact, f.RunFinished) else None
            await self._add(state, pen, fact, Origin(now_ms, run_id, state.identity.agent, depth=state.depth))
        return ended

    async def _add(self, state: ThreadState, pen: _Pen, fact: Fact, origin: Origin) -> None:
        self._schema.decide(state, fact, origin)
        await pen.decided(encode(fact, origin))


async def undo_half_import(store: Store, owner: str) -> None:
    """Remove what an import that was cut off has left; to be called before anything else is done with a store.

    Args:
        store: open.
        owner: ``<home id>:<boot nonce>``; imports of other homes are theirs to remove.

    Raises:
        Busy: somebody holds the thread.
        StoreUnavailable: the store gave up; the next opener tries again.
    """
    if (thread_id := await _undo(store, owner)) is not None:
        log.warning("the import of thread %s was cut off; what there was of it is removed: import it again", thread_id)


async def _undo(store: Store, owner: str) -> str | None:
    """The thread that was removed, if there was any."""
    note = _note(owner)
    left = await store.get(note)
    if left is None:
        return None
    thread_id = left.decode()
    # Under a name of its own: whoever wrote may have been this very process, and holds the lease still.
    grant = await store.acquire(thread_id, f"{owner} undo", _LEASE_S)
    if grant is not None:
        await store.delete(grant.lease)
    elif await store.head(thread_id) is not None:
        raise Busy(f"thread {thread_id!r} was imported in part, and is held: stop whoever works on it")
    await store.remove(note)
    return thread_id


class _Pen:
    """Writes records in the order of their numbers: inputs one by one, decisions in lots."""

    def __init__(self, store: Store, schema: ThreadSchema, thread_id: ThreadId, owner: str) -> None:
        self._store = store
        self._schema = schema
        self._thread_id = thread_id
        self._owner = owner
        self._lease: Lease | None = None
        self._head: Head | None = None
        self._drafts: list[Draft] = []
        self._bytes = 0
        self._write_no = 0
        self._last = 0

    async def begin(self, draft: Draft, offering: Offering, head: Head) -> None:
        """Write the first input, which makes the log."""
        self._head = head
        await self.offered(draft, offering, create=head)
        grant = await self._store.acquire(self._thread_id, self._owner, _LEASE_S)
        if grant is None:
            raise _disturbed(self._thread_id)
        self._lease = grant.lease

    async def offered(self, draft: Draft, offering: Offering, create: Head | None = None) -> None:
        """Write an input."""
        await self._flush()
        put = await self._store.offer(
            self._thread_id, offering.dedupe_id, draft, digest=offering.digest, create=create, wakes=False
        )
        self._last += 1
        if not put.first or put.seq != self._last:
            raise _disturbed(self._thread_id)

    async def decided(self, draft: Draft) -> None:
        """Write a decision, now or with the next ones."""
        self._drafts.append(draft)
        self._bytes += len(draft.body)
        if self._bytes >= _BATCH_BYTES:
            await self._flush()

    async def finish(self, state: ThreadState) -> None:
        """Write the rest and the head, and let go: from now on it is a thread like any other."""
        if self._lease is not None:
            self._head = to_head(self._schema, state, self._last + len(self._drafts), self._lease.epoch)
        await self._flush(release=True)

    async def _flush(self, *, release: bool = False) -> None:
        if self._lease is None or self._head is None or not (self._drafts or release):
            return
        self._write_no += 1
        last = self._last + len(self._drafts)
        claimed = last if release else 0
        put = await self._store.append(self._lease, self._write_no, self._drafts, self._head, claimed, release=release)
        if put != last:
            raise _disturbed(self._thread_id)
        self._last, self._drafts, self._bytes = last, [], 0


def _entries(file: Unsealer, lines: Lines) -> Iterator[Entry]:
    for line in lines():
        if (entry := file.take(line)) is not None:
            yield entry
    file.done()


def _note(owner: str) -> str:
    return f"importing:{owner.partition(':')[0]}"


def _disturbed(thread_id: ThreadId) -> Conflict:
    return Conflict(f"somebody else wrote to thread {thread_id!r} while it was imported: import it again")
