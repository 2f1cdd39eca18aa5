"""One held lease on one thread: the only way to change it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import chain, repeat
from typing import Any, Final, TypeVar

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, StaleLease, StoreUnavailable
from sulla.core.event import Fact, Moment
from sulla.core.ids import RunId
from sulla.store.base import Store
from sulla.store.values import MAX_PUBLISH_BYTES, Draft, Head, Lease
from sulla.threads.bus import LogAdvanced, channel, live, live_channel, pack
from sulla.threads.head import to_head
from sulla.threads.held_lease import BACKOFF_S, HeldLease
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry, Origin, encode
from sulla.threads.log.state import ThreadState
from sulla.threads.recent import RecentEntries
from sulla.threads.retention import Retention, due_ms, expires_ms
from sulla.threads.watching import CommittedFact, Watcher

T = TypeVar("T")


UNREAD: Final = "it cannot be read: send it again in another thread"
"""Why an input is put away that is damaged."""


@dataclass(frozen=True, slots=True)
class LoadedThread:
    """What is known of a thread when its lease is taken."""

    state: ThreadState
    seen_seq: int
    """Up to which record the state is true, inputs included."""
    recent: RecentEntries
    """Opens records, by the schema of the home's threads."""
    fruitless: int = 0
    """How many leases before this one ended without a single write."""
    damage: CorruptRecord | None = None
    """Why its messages and its summary could not be read and are missing; what it has to do is known all the same."""
    unread: tuple[int, ...] = ()
    """What waits to be dealt with and cannot be read, by its number in the log."""


@dataclass(slots=True)
class _Unwritten:
    """What was decided since the last write began."""

    drafts: list[Draft] = field(default_factory=list)
    noted: list[CommittedFact] = field(default_factory=list)
    """The same for the watcher; nothing if there is none."""
    write_no: int = 0
    """Of the last write that began under this lease."""

    def take(self) -> tuple[list[Draft], list[CommittedFact]]:
        """All of it, for the write that begins now."""
        taken = self.drafts, self.noted
        self.drafts, self.noted = [], []
        self.write_no += 1
        return taken


class ThreadSession:
    """Holds the lease, folds facts in, writes them down, renews itself.

    It keeps `core.run.RunLog`. Every store call of one session happens one after the other, and a write that has
    begun is always waited for, also when the task that asked for it is cancelled: otherwise nobody would know what was
    kept.

    Args:
        store: where the log is.
        clock: for the lease's deadline and the records' times.
        lease: the lease, fresh.
        known: the thread as it is.
        asked_s: when the lease was asked for, by `clock.elapsed`: the store's clock on it started no earlier.
        retention: how long threads are kept.
        watcher: is told what is kept and shown; None if nobody wants to know.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        lease: Lease,
        known: LoadedThread,
        asked_s: float,
        retention: Retention,
        watcher: Watcher | None = None,
    ) -> None:
        self.state = known.state
        self.known = known
        self._store = store
        self._clock = clock
        self._held = HeldLease(lease, asked_s + lease.ttl_s)
        self._unwritten = _Unwritten()
        self._seen = known.seen_seq
        self._lock = asyncio.Lock()
        self._retention = retention
        self._watcher = watcher
        self._unfinished: set[asyncio.Task[Any]] = set()

    @property
    def seen_seq(self) -> int:
        """Up to which record the state is known."""
        return self._seen

    @property
    def lost(self) -> bool:
        """Whether the lease is somebody else's now: start and emit nothing more."""
        return self._held.lost

    @property
    def epoch(self) -> int:
        """The lease's number."""
        return self._held.lease.epoch

    @property
    def released(self) -> bool:
        """Whether the lease was given back, with everything kept."""
        return self._held.released and not self._unwritten.drafts and not self._held.failed

    @property
    def live(self) -> bool:
        """Whether the lease is ours and its time is not over: only then may anything start or be shown."""
        return self._held.live(self._clock.elapsed())

    def check(self) -> None:
        """Raise if nothing may be started any more.

        Raises:
            StaleLease: the lease is not ours, or its time is over: somebody else may have taken the thread up.
        """
        if not self.live:
            raise StaleLease(f"{self.state.thread_id}: the lease of epoch {self.epoch} is over: start nothing more")

    # ------------------------------------------------------------------------------------------------ RunLog

    def note(self, *facts: Fact) -> None:
        """Fold facts in; the next commit keeps them."""
        now_ms = round(self._clock.now() * 1000)
        for fact in facts:
            run = self.state.run
            run_id, agent = (run.id, run.agent) if run is not None else (None, "")
            if isinstance(fact, f.RunStarted):
                run_id, agent = self.state.inbox.waiting[fact.input_seq].run_id, fact.agent
            elif isinstance(fact, f.RunFinished | f.RunError):
                run_id = fact.run_id
            birth = self.state.identity.birth
            parent = birth.run_id if birth is not None else None
            origin = Origin(now_ms, run_id, agent or self.state.identity.agent, parent, self.state.depth)
            draft = encode(fact, origin)  # first: what cannot be kept is not folded in
            if self.known.recent.schema.is_decision(fact):
                self.known.recent.schema.decide(self.state, fact, origin)
            self._unwritten.drafts.append(draft)
            if self._watcher is not None:
                self._unwritten.noted.append(CommittedFact(fact, origin))

    async def commit(self, *facts: Fact) -> None:
        """Fold facts in and keep them and all noted ones, in one step.

        Raises:
            StaleLease: somebody else holds the thread.
            StoreUnavailable: the store did not answer for as long as the lease lasts.
        """
        self.note(*facts)
        if self._unwritten.drafts:
            await self._finish(self._write(release=False))

    async def release(self) -> None:
        """Keep what was noted and give the lease back, in one step."""
        if not self._held.released and not self.lost:
            await self._finish(self._write(release=True))

    @property
    def expired(self) -> bool:
        """Whether the thread was kept for as long as it is to be."""
        due_ms = expires_ms(self.state, self._retention)
        return due_ms is not None and due_ms <= self._clock.now() * 1000 and not self._unwritten.drafts

    async def remove(self) -> bool:
        """Remove the thread with all it holds, if nothing was offered since the last look.

        Returns:
            Whether it is gone; if not, what was offered is folded in now.

        Raises:
            StaleLease: somebody else holds the thread.
        """
        return await self._finish(self._remove())

    async def abandon(self) -> None:
        """Give the lease back without a word, after a write that failed: nobody has to wait until it runs out."""
        self._held.released = self._held.failed = True
        with suppress(StoreUnavailable):
            await self._store.release(self._held.lease)

    async def park(self) -> None:
        """Release at a step border: whoever takes the run up again goes on, and it counts as no crash."""
        if self.state.run is not None:
            self.state.run.course.parked = True
        await self.release()

    # --------------------------------------------------------------------------------------------------- inputs

    async def pull(self) -> bool:
        """Fold in what was offered since the last look.

        Returns:
            Whether there was anything.
        """
        return await self._finish(self._pull())

    async def keep_alive(self) -> None:
        """Renew the lease at a third of its time until it is released or lost; run this beside the work.

        Raises:
            StaleLease: somebody else holds the thread.
        """
        wait_s = self._held.first_renewal_s(self._clock.elapsed())
        while True:
            await self._clock.sleep(wait_s)
            wait_s = self._held.renewal_s
            async with self._lock:
                if self._held.released:
                    return
                asked = self._clock.elapsed()
                try:
                    await self._store.renew(self._held.lease)
                except StaleLease:
                    self._held.lost = True
                    raise
                except StoreUnavailable:
                    continue  # the deadline stands; until then the store may come back
                # Counted from before the question, as at the beginning.
                self._held.renewed(asked)

    def emit(self, run_id: RunId, agent: str, moment: Moment) -> None:
        """Show a moment to whoever listens; nothing once the lease's time is over."""
        if not self.live:
            return
        if self._watcher is not None:
            self._watcher.shown(run_id, moment)
        where = live_channel(self.state.thread_id)
        for signal in live(round(self._clock.now() * 1000), run_id, agent, self.state.depth, moment):
            payload = pack(signal)
            if len(payload) <= MAX_PUBLISH_BYTES:  # only a tool's progress note can be longer, and it is for show
                self._store.publish(where, payload)

    # -------------------------------------------------------------------------------------------------- private

    async def _finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for `work`; if the waiting task is cancelled, `work` goes on to its end and is still looked after."""
        task = asyncio.ensure_future(work)
        self._unfinished.add(task)
        task.add_done_callback(self._unfinished.discard)
        task.add_done_callback(_look_at)
        return await asyncio.shield(task)

    async def _write(self, *, release: bool) -> None:
        async with self._lock:
            if self._held.released or self.lost:
                raise StaleLease(f"{self.state.thread_id}: written after the lease was given back or lost")
            if self._held.failed:  # what follows a write that may be missing would leave a hole
                raise StoreUnavailable(f"{self.state.thread_id}: an earlier write of this lease was not kept")
            # Drafts and head belong together: both are taken before anything can happen in between.
            drafts, noted = self._unwritten.take()
            due = due_ms(self.state, self._retention)
            head = to_head(self.known.recent.schema, self.state, self._seen, self.epoch, due)
            last = await self._append(drafts, head, release=release)
            self._held.released = release
            undisturbed = last == self._seen + len(drafts)
            if undisturbed:
                self._seen = last
        if self._watcher is not None and noted:
            self._watcher.kept(self.state.thread_id, noted)
        if drafts:
            written = self.known.recent.written(self.state.thread_id, drafts, last, offered=False)
            self._store.publish(channel(self.state.thread_id), pack(LogAdvanced(last, written)))
        if not undisturbed and not release:
            with suppress(StoreUnavailable):  # all is kept, and the inputs in between are found by the next look
                await self._pull(upto=last)

    async def _remove(self) -> bool:
        async with self._lock:
            gone = await self._store.delete(self._held.lease, last_seq=self._seen)
            self._held.released = self._held.failed = gone  # failed: there is nothing to remember for the next turn
        if gone:
            self._store.publish(channel(self.state.thread_id), pack(LogAdvanced(self._seen)))
        else:
            await self._pull()
        return gone

    async def _append(self, drafts: Sequence[Draft], head: Head, *, release: bool) -> int:
        for wait_s in chain(BACKOFF_S, repeat(BACKOFF_S[-1])):
            try:
                return await self._store.append(
                    self._held.lease, self._unwritten.write_no, drafts, head, self._seen, release=release
                )
            except StaleLease:
                self._held.lost = True
                raise
            except StoreUnavailable:
                # The same write number again: if the first try did get through, the store answers as it did then.
                if not self._held.may_try_again(self._clock.elapsed(), wait_s):
                    self._held.failed = True
                    raise
                await self._clock.sleep(wait_s)
        raise AssertionError("unreachable: the back-off has no end")

    async def _pull(self, upto: int | None = None) -> bool:
        async with self._lock:
            found = False
            # A look that a write left behind may come after the end: the state is then the next session's.
            while not self._held.released and (upto is None or self._seen < upto):
                records = await self._store.read(self.state.thread_id, after=self._seen)
                if not records:
                    break
                for record in records:
                    found = self._take(self.known.recent.decode(record, self.state.thread_id)) or found
                    self._seen = record.seq
            return found

    def _take(self, entry: Entry) -> bool:
        fact = entry.fact
        if not entry.offered or not self.known.recent.schema.is_offer(fact):
            return False  # our own decisions are folded in already
        self.known.recent.schema.offer(self.state, fact, entry.seq, entry.origin)
        return True


def _look_at(task: asyncio.Task[T]) -> None:
    """Whoever waited has the exception, or was cancelled; the session's flags tell what matters either way."""
    if not task.cancelled():
        task.exception()
