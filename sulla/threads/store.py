"""Threads, kept: offering to them, taking them up, reading them."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import AlreadyAnswered, Busy, CorruptRecord, MessageIdReused, NotFound
from sulla.core.event import Fact
from sulla.core.ids import MakeId, RunId, ThreadId, derived_id
from sulla.store.base import Store
from sulla.store.values import Grant, Head, LogInfo, Offered, Status
from sulla.threads.bounds import ThreadLimits
from sulla.threads.bus import LogAdvanced, channel, pack
from sulla.threads.given_back import GivenBack
from sulla.threads.head import THREAD_KIND, from_head, to_head
from sulla.threads.leaving import last_words
from sulla.threads.loader import StateLoader
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry, Origin, encode
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.state import ThreadState
from sulla.threads.offers import dedupe_id, digest, run_of
from sulla.threads.retention import expires_ms
from sulla.threads.session import LoadedThread, ThreadSession
from sulla.threads.taking import LeaseTaker
from sulla.threads.watching import CommittedFact, Watcher

MOST_DAMAGED = 64  # so many threads that cannot be read are named
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sent:
    """An acknowledged message."""

    run_id: RunId
    seq: int
    first: bool


class ThreadStore:
    """The threads of one store.

    A state that was just worked on stays in memory, so that the next turn costs what it adds: it is used again only if
    the lease's number says that nobody else has written since.

    Args:
        store: where the logs are.
        clock: for records' times and leases.
        make_id: for new threads.
        owner: ``<home id>:<boot nonce>``.
        schema: what threads hold.
        limits: bounds.
        watcher: is told what is kept and shown; None if nobody wants to know.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        make_id: MakeId,
        owner: str,
        schema: ThreadSchema,
        limits: ThreadLimits,
        watcher: Watcher | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._make_id = make_id
        self.schema = schema
        self._loader = StateLoader(store, schema)
        self._limits = limits
        self._watcher = watcher
        self._cache: OrderedDict[ThreadId, tuple[int, int, ThreadState]] = OrderedDict()
        self.given_back = GivenBack()
        """Leases that are no crashes. Only threads in trouble are in here."""
        self._leases = LeaseTaker(store, owner, limits.lease_ttl_s, self.given_back)
        self._damaged: dict[ThreadId, CorruptRecord] = {}

    # --------------------------------------------------------------------------------------------------- offers

    async def create(self, fact: f.ThreadCreated, request_id: str | None = None) -> ThreadId:
        """Make a thread.

        Args:
            fact: how it begins.
            request_id: the same one gives the same thread.

        Raises:
            MessageIdReused: `request_id` made another thread before.
        """
        thread_id = ThreadId(self._make_id("thr") if request_id is None else derived_id("thr", "request", request_id))
        # The first head holds what the thread begins with, so that a list can show it before its first turn.
        state, origin = self.schema.new(thread_id), self._origin()
        self.schema.offer(state, fact, 1, origin)
        head = to_head(self.schema, state, claimed=1, epoch=0, due_ms=expires_ms(state, self._limits.retention))
        await self._offer(thread_id, fact, origin=origin, create=head, wakes=False)
        return thread_id

    async def send(self, thread_id: ThreadId, fact: f.Input, *, max_waiting: int | None = None) -> Sent:
        """Offer a message; when this returns it is kept, and its run will be.

        The run's id follows from the thread's and the message's, so a re-send gets the same answer, also after a
        restart. `max_waiting` is for another bound than the usual one: with 0, nothing but a re-send is answered.

        Raises:
            NotFound: there is no such thread.
            MessageIdReused: the message id came before with other content.
            QueueFull: too many messages wait.
        """
        run_id = run_of(thread_id, fact.message_id)
        room = self._limits.max_waiting if max_waiting is None else max_waiting
        offered = await self._offer(thread_id, fact, origin=self._origin(run_id), max_waiting=room)
        return Sent(run_id, offered.seq, offered.first)

    async def stop(self, thread: ThreadId, request_id: str | None = None, *, drop: bool = False, only: str = "") -> int:
        """Ask for the running turn to end, and with `drop` for what waits to get none; or for the message `only` to be
        taken back, if its turn has not begun. The request's number in the log."""
        return await self._control(thread, f.StopAsked(drop, only), request_id)

    async def resume(self, thread_id: ThreadId, request_id: str | None = None) -> int:
        """Let held messages go on; returns the request's number in the log."""
        return await self._control(thread_id, f.ContinueAsked(), request_id)

    async def answer(self, thread_id: ThreadId, fact: f.Answer, *, max_waiting: int | None = None) -> int:
        """Offer what a suspended run waits for; the first answer under a `wait_id` wins. `max_waiting` is as in `send`.

        Raises:
            AlreadyAnswered: another answer came first.
            QueueFull: too much waits.
        """
        try:
            return (await self._offer(thread_id, fact, max_waiting=max_waiting)).seq
        except MessageIdReused:
            raise AlreadyAnswered(f"{fact.wait_id!r} was answered already, and otherwise") from None

    async def tell(self, thread_id: ThreadId, fact: Fact, key: str, run_id: RunId | None = None) -> bool:
        """Offer what goes on beside the conversation, once under a key, also when it is told again in other words.

        Args:
            thread_id: where it is told.
            fact: what. Only an order wakes anybody.
            key: what it came of, e.g. the call that is made again after a crash.
            run_id: the run that does it; None for none.

        Returns:
            Whether it was not offered before.

        Raises:
            NotFound: there is no such thread.
        """
        origin, wakes = self._origin(run_id), isinstance(fact, RunRequest)
        try:
            return (await self._offer(thread_id, fact, request_id=key, origin=origin, wakes=wakes)).first
        except MessageIdReused:  # what was read meanwhile may have made it `tainted`
            return False

    async def deliver(self, thread_id: ThreadId, fact: Fact, key: str) -> None:
        """Offer a record to a thread on behalf of another one: once, also if it is offered again in other words.

        Args:
            thread_id: to whom.
            fact: the record.
            key: tells it apart where it has no name of its own.

        Raises:
            NotFound: there is no such thread.
            QueueFull: it is a message, and too many wait there.
        """
        with suppress(MessageIdReused, AlreadyAnswered):
            match fact:
                case f.Input():
                    await self.send(thread_id, fact)
                case f.Answer():
                    await self.answer(thread_id, fact)
                case f.StopAsked():
                    await self.stop(thread_id, key)
                case _:
                    await self.tell(thread_id, fact, key)

    # ---------------------------------------------------------------------------------------------------- state

    async def attend(self, thread_id: ThreadId) -> ThreadSession | None:
        """Take the thread's lease and load it.

        Returns:
            The session, or None if somebody else holds the thread or it does not exist.

        Raises:
            CorruptRecord: not even what there is to do can be read; see `LoadedThread.damage` for the rest.
        """
        cached = self._cache.pop(thread_id, None)
        after = cached[1] if cached is not None else None
        asked_s = self._clock.elapsed()
        grant = await self._leases.take(thread_id, after)
        if grant is None:
            return None
        try:
            known = await self._known(thread_id, grant, cached)
        except BaseException:
            # No crash of whoever reads it: see `LoadedThread.fruitless`.
            self.given_back.note(thread_id)
            await self._store.release(grant.lease)
            raise
        return ThreadSession(
            self._store, self._clock, grant.lease, known, asked_s, self._limits.retention, self._watcher
        )

    def damage(self) -> str:
        """Which threads could not be read in full when somebody attended to them last; empty if all could."""
        return "; ".join(f"{thread_id}: {error.message}" for thread_id, error in self._damaged.items())[:1_000]

    def keep(self, session: ThreadSession) -> None:
        """Remember a released session's state for the next turn."""
        self.given_back.forget(session.state.thread_id)
        if session.lost or not session.released or session.known.damage is not None:
            return  # what it folded in may not be what was kept, or not all of it
        self._cache[session.state.thread_id] = (session.epoch, session.seen_seq, session.state)
        while len(self._cache) > self._limits.cached:
            self._cache.popitem(last=False)

    async def load(self, thread_id: ThreadId, *, messages: bool = True) -> ThreadState | None:
        """A copy of the thread's state for reading (the seed's `loadThreadState`), with its newest messages or (nearly)
        without; None if there is none.
        """
        info = await self._store.head(thread_id)
        if info is None:
            return None
        ceiling_tokens = self._limits.load_tokens if messages else 0
        return (await self._loader.load(thread_id, info.head, info.last_seq, ceiling_tokens))[0]

    async def save(self, session: ThreadSession, *facts: Fact) -> None:
        """Keep what was decided (the seed's `saveThreadState`): only under a lease, only what is new."""
        await session.commit(*facts)

    async def delete(self, thread_id: ThreadId) -> None:
        """Remove a thread with all it holds (the seed's `deleteThreadState`), and tell those who wait or work for it.

        Raises:
            NotFound: there is no such thread.
            Busy: a turn is running in it.
        """
        grant = await self._leases.take(thread_id)
        if grant is None:
            if await self._store.head(thread_id) is None:
                raise _no_thread(thread_id)
            raise Busy(f"thread {thread_id!r} has a running turn: stop it first, then delete", retry_after_s=1.0)
        self._cache.pop(thread_id, None)
        self._damaged.pop(thread_id, None)
        with suppress(CorruptRecord):  # what cannot be read has nothing to say
            state, *_ = await self._loader.load(thread_id, grant.head, grant.last_seq, 0)
            for other, fact, known_as in last_words(state):
                with suppress(NotFound, MessageIdReused):
                    await self._offer(other, fact, request_id=known_as)
        await self._store.delete(grant.lease)
        self._store.publish(channel(thread_id), pack(LogAdvanced(grant.last_seq)))

    # -------------------------------------------------------------------------------------------------- reading

    async def entries(
        self, thread_id: ThreadId, *, after: int = 0, before: int | None = None, limit: int = 512
    ) -> list[Entry]:
        """The log's records in order, each an event. Readers share the entries, so nobody may change their data.

        Raises:
            NotFound: there is no such thread.
            CorruptRecord: one of them cannot be read.
        """
        records = await self._store.read(thread_id, after=after, before=before, limit=limit)
        if not records and await self._store.head(thread_id) is None:
            raise _no_thread(thread_id)
        return [self._loader.recent.decode(record, thread_id) for record in records]

    async def list(
        self, *, after: str = "", limit: int = 100, status: Status | None = None
    ) -> list[tuple[LogInfo, ThreadState | None]]:
        """Threads by id (those with a status, if one is given), each with its state but without messages.

        The state is None for a thread whose head cannot be read: the others are listed all the same.
        """
        infos = await self._store.find(kind=THREAD_KIND, status=status, after_key=after, limit=limit)
        return [(info, self.state_of(info)) for info in infos]

    async def get(self, thread_id: ThreadId) -> tuple[LogInfo, ThreadState | None]:
        """One thread, in the form of `list`.

        Raises:
            NotFound: there is no such thread.
        """
        info = await self._store.head(thread_id)
        if info is None or info.head.kind != THREAD_KIND:
            raise _no_thread(thread_id)
        return info, self.state_of(info)

    async def misdated(self, *, after: str = "", limit: int = 100) -> tuple[Sequence[ThreadId], str]:
        """Idle threads whose kept due time is not what the retention says, because it was set otherwise before.

        Args:
            after: only threads whose id sorts behind it.
            limit: how many are looked at.

        Returns:
            Their ids, and the `after` of the next look; empty at the end. To attend to one sets it right.
        """
        infos = await self._store.find(kind=THREAD_KIND, status="idle", after_key=after, limit=limit)
        found = []
        for info in infos:
            state = self.state_of(info)
            if state is not None and info.head.due_ms != expires_ms(state, self._limits.retention):
                found.append(state.thread_id)
        return found, infos[-1].key if len(infos) == limit else ""

    # -------------------------------------------------------------------------------------------------- private

    def state_of(self, info: LogInfo) -> ThreadState | None:
        """What a head says of its thread; None if it cannot be read."""
        try:
            return from_head(self.schema, ThreadId(info.key), info.head)[0]
        except CorruptRecord as error:
            log.warning("%s: `sulla doctor` says more", error.message)
            return None

    async def with_inbox(self, info: LogInfo) -> ThreadState | None:
        """What a head says of its thread, with the messages that wait; None if it cannot be read.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        try:
            return await self._loader.with_inbox(info)
        except CorruptRecord:
            return self.state_of(info)

    async def _offer(
        self,
        thread_id: ThreadId,
        fact: Fact,
        *,
        request_id: str = "",
        origin: Origin | None = None,
        create: Head | None = None,
        wakes: bool = True,
        max_waiting: int | None = None,
    ) -> Offered:
        origin = origin or self._origin()
        draft, known_as, content = encode(fact, origin), dedupe_id(fact, request_id), digest(fact)
        try:
            offered = await self._store.offer(
                thread_id, known_as, draft, digest=content, create=create, wakes=wakes, max_waiting=max_waiting
            )
        except NotFound:  # people know nothing of logs
            raise _no_thread(thread_id) from None
        if offered.first:
            if self._watcher is not None:
                self._watcher.kept(thread_id, (CommittedFact(fact, origin),))
            written = self._loader.recent.written(thread_id, (draft,), offered.seq, offered=True)
            self._store.publish(channel(thread_id), pack(LogAdvanced(offered.seq, written)))
        return offered

    def _origin(self, run_id: RunId | None = None) -> Origin:
        return Origin(round(self._clock.now() * 1000), run_id)

    async def _control(self, thread_id: ThreadId, fact: f.StopAsked | f.ContinueAsked, request_id: str | None) -> int:
        asked = request_id if request_id is not None else self._make_id("req")
        return (await self._offer(thread_id, fact, request_id=asked)).seq

    async def _known(
        self, thread_id: ThreadId, grant: Grant, cached: tuple[int, int, ThreadState] | None
    ) -> LoadedThread:
        if cached is not None:
            epoch, seen, state = cached
            # One grant further and nobody in between: what lies behind `seen` can only be inputs.
            if grant.lease.epoch == epoch + 1 and len(grant.tail) == grant.last_seq - seen:
                self._loader.fold(state, grant.tail)
                return LoadedThread(state, grant.last_seq, self._loader.recent)
        self._damaged.pop(thread_id, None)
        load = partial(self._loader.load, thread_id, grant.head, grant.last_seq)
        damage, unread = None, list[int]()
        try:
            state, seen, written = await load(self._limits.load_tokens)
        except CorruptRecord as error:
            damage = self._damaged[thread_id] = CorruptRecord(
                f"the conversation cannot be read on ({error.message}): `sulla doctor` says more; begin another thread"
            )
            while len(self._damaged) > MOST_DAMAGED:
                self._damaged.pop(next(iter(self._damaged)))
            state, seen, written = await load(None, unread)
        fruitless = 0 if damage else grant.lease.epoch - written - 1 - self.given_back.of(thread_id)
        return LoadedThread(state, seen, self._loader.recent, fruitless, damage, tuple(unread))


def _no_thread(thread_id: ThreadId) -> NotFound:
    return NotFound(f"no thread {thread_id!r}: create one with thread.create, or list them with thread.list")
