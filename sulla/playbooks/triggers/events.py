"""What happens in threads starts the playbooks that wait for it: read off the logs, each event once."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, Refused
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.catalog import CatalogEntry, PlaybookCatalog
from sulla.playbooks.events import (
    MOST_CHAINED,
    PLAYBOOK_FAILED,
    Happening,
    depth_of,
    event_key,
    gives_events,
    happening,
    is_playbooks_turn,
    may_hear,
)
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.thread_kind import chain_of
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.follower import LogConsumer, LogCursor, LogFollower
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import Input, InputsJoined, RunStarted
from sulla.threads.log.state import ThreadState
from sulla.threads.pending import Intervals
from sulla.threads.store import ThreadStore
from sulla.threads.wake_loop import Wording

log = logging.getLogger(__name__)

LOOK_S: Final = 5.0
"""How often it is seen whether a playbook waits for events, while none does."""
RETRY_S: Final = 5.0
"""How long it waits after a failure."""
SLACK_MS: Final = 60_000
"""By how much the clocks of several daemons may differ."""
KEPT_S: Final = 30 * 86_400.0
"""How long it is known how far a thread was read. After that the same event begins no other run all the same, because
the run that it began is known by it."""

_PAGE: Final = 512
_TURN: Final = 64
"""Records of a turn that are read at a time, from its end on."""
SINCE: Final = "playbook_events:since"
"""Under which name it is kept from when on events count."""


@dataclass(frozen=True, slots=True)
class EventListener:
    """A playbook that waits for events of a type."""

    playbook: str
    inputs: FrozenJson


Listeners = Mapping[str, tuple[EventListener, ...]]
"""By the types of the events."""


def listeners(playbooks: Iterable[CatalogEntry]) -> Listeners:
    """The playbooks that wait for events.

    Args:
        playbooks: all that the home has; one with faults waits for nothing.
    """
    found: dict[str, dict[str, EventListener]] = {}
    for one in playbooks:
        for trigger in one.definition.on if one.definition is not None else ():
            if trigger.kind == "event":
                found.setdefault(trigger.text, {}).setdefault(one.name, EventListener(one.name, trigger.inputs))
    return {type_: tuple(named.values()) for type_, named in found.items()}


@dataclass(frozen=True, slots=True)
class ListeningSince:
    """From when on events count, UTC milliseconds."""

    listening_ms: int
    """Since then a playbook waits for events."""
    swept_ms: int
    """All that was written before is dealt with."""


def event_follower(
    catalog: PlaybookCatalog, service: PlaybookService, threads: ThreadStore, store: Store, clock: Clock
) -> LogFollower:
    """What starts playbooks at events.

    Args:
        catalog: the playbooks, as they were at the last look.
        service: begins them.
        threads: whose logs are read.
        store: finds threads, and keeps how far they were read.
        clock: all time.
    """
    events = EventStarts(catalog, service, threads, store, clock)
    wording = Wording("events that start playbooks have to wait: %s", "events start playbooks again")
    intervals = Intervals(idle_s=LOOK_S, retry_s=(RETRY_S,))
    return LogFollower("reading for events", events, threads, store, clock, wording, intervals=intervals, page=_PAGE)


class EventStarts(LogConsumer):
    """Starts playbooks at what happens in threads. Nothing is begun twice: how far each thread was read is kept behind
    what it began, which has a key of its own.

    While no playbook waits for events nothing is read and nothing kept.

    Args: see `event_follower`.
    """

    def __init__(
        self, catalog: PlaybookCatalog, service: PlaybookService, threads: ThreadStore, store: Store, clock: Clock
    ) -> None:
        self._catalog = catalog
        self._service = service
        self._threads = threads
        self._store = store
        self._clock = clock
        self._wanted: Listeners = {}
        self._since: ListeningSince | None = None
        self._forgotten = False
        self._opened_ms: int | None = None
        """From when on events count if none was listened to before; None for from now on."""
        self._began_ms = 0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The playbooks, looked at: before that nobody can say that none waits."""
        self._opened_ms = self._now_ms()
        await self._catalog.known_in_time(self._clock)
        yield

    async def begin(self) -> bool:
        """Whether a playbook waits for events."""
        self._began_ms = self._now_ms()
        self._wanted = listeners(self._catalog.playbooks.values())
        if self._wanted:
            await self._known_since()
        else:
            await self._stop_listening()
        self._opened_ms = None
        return bool(self._wanted)

    async def behind(self, page: Sequence[LogInfo], after: str, *, last: bool) -> Sequence[LogInfo]:
        """Those that were written to since the last time."""
        since = await self._known_since()
        found = []
        for info in page:
            state = self._threads.state_of(info)
            if state is not None and state.updated_ms >= since.swept_ms - SLACK_MS and gives_events(state):
                found.append(info)
        return found

    async def swept(self) -> None:
        """All that happened before this round began is dealt with, whoever's turn it was."""
        since = await self._known_since()
        await self._set_since(ListeningSince(since.listening_ms, max(since.swept_ms, self._began_ms - SLACK_MS)))

    async def cursor(self, thread_id: ThreadId, info: LogInfo | None) -> LogCursor | None:
        """Where a thread is read on; one that was never read, as far as its records' times say."""
        info = info if info is not None else (await self._threads.get(thread_id))[0]
        state, since = self._threads.state_of(info), await self._known_since()
        if state is None or not gives_events(state):
            return None
        known = await self._position(info)
        from_ms = since.swept_ms if known is None else since.listening_ms
        after = known if known is not None else await self._start_before(info, from_ms)
        if state.identity.copies:  # what a copy took over has happened where it was said
            after = max(after, state.identity.copies[-1].records)
        if after >= info.last_seq:
            return None

        async def take(page: list[Entry]) -> None:
            # It may have read on since the look above, and what it tells may be what it has read.
            now = state if not page or page[-1].seq <= info.last_seq else await self._state_now(thread_id)
            for entry in page:
                event = happening(entry, now)
                if event is not None and event.at_ms >= from_ms:
                    await self._tell(event, entry.origin.run_id, info, now, self._wanted)
            if page:
                await self._store.put(_key(info), f"{info.created_ms}:{page[-1].seq}".encode(), KEPT_S)

        return LogCursor(after, take)

    async def _state_now(self, thread_id: ThreadId) -> ThreadState:
        _, state = await self._threads.get(thread_id)
        if state is None:
            raise CorruptRecord(f"{thread_id}: its head cannot be read, so nobody knows whether to trust what it tells")
        return state

    async def _stop_listening(self) -> None:
        """Nobody waits for events: who does so later hears of those that come then."""
        unclear = self._catalog.troubles or any(one.definition is None for one in self._catalog.playbooks.values())
        if not unclear and not self._forgotten:
            await self._store.remove(SINCE)
            self._since, self._forgotten = None, True

    async def _known_since(self) -> ListeningSince:
        if self._since is not None:
            return self._since
        kept = await self._store.get(SINCE)
        now_ms = self._opened_ms or self._now_ms()
        listening, _, swept = (kept or f"{now_ms}:{now_ms}".encode()).decode().partition(":")
        return await self._set_since(ListeningSince(int(listening), int(swept)))

    async def _set_since(self, since: ListeningSince) -> ListeningSince:
        await self._store.put(SINCE, f"{since.listening_ms}:{since.swept_ms}".encode())
        self._since, self._forgotten = since, False
        return since

    async def _tell(
        self, event: Happening, run_id: RunId | None, info: LogInfo, state: ThreadState, wanted: Listeners
    ) -> None:
        if event.type not in wanted:
            return
        if event.type == PLAYBOOK_FAILED:
            depth = chain_of(state)
        else:
            said = await messages_of(self._threads, state.thread_id, run_id, event.seq)
            if is_playbooks_turn(said):
                return
            depth = depth_of(said)
        if depth >= MOST_CHAINED:
            text = "%s in %s starts no playbook: it is number %d in a chain of events, and a chain ends at %d"
            log.warning(text, event.type, state.thread_id, depth + 1, MOST_CHAINED)
            return
        for one in (one for one in wanted[event.type] if may_hear(event, one.playbook)):
            key = event_key(state.thread_id, info.created_ms, event.seq, one.playbook)
            begin = Begin(one.playbook, one.inputs, "event", event.payload, by=event.by, chain=depth + 1)
            try:
                await self._service.start(begin, key)
            except Refused as refused:
                if refused.retryable:
                    raise
                log.warning("%s in %s starts no %s: %s", event.type, state.thread_id, one.playbook, refused.message)

    async def _position(self, info: LogInfo) -> int | None:
        """How far a thread was read; None if that is not known."""
        kept = await self._store.get(_key(info))
        created, _, seq = (kept or b"").decode().partition(":")
        # Another thread may have had its id before.
        return int(seq) if created == str(info.created_ms) else None

    async def _start_before(self, info: LogInfo, from_ms: int) -> int:
        """The number of a record behind which a thread whose position is not known is read, so that none since
        `from_ms` is missed. It may be a page early: who reads drops what came before.
        """
        after = max(0, info.last_seq - _PAGE)
        while after:
            page = await self._threads.entries(ThreadId(info.key), after=after, limit=1)
            if not page or page[0].origin.at_ms < from_ms:
                break
            after = max(0, after - _PAGE)
        return after

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)


async def messages_of(threads: ThreadStore, thread_id: ThreadId, run_id: RunId | None, upto: int) -> tuple[Input, ...]:
    """The messages that a turn took up: the one that it began with, and what joined it.

    Args:
        threads: where they are.
        thread_id: the conversation.
        run_id: the turn's run.
        upto: the turn's last record that counts.

    Raises:
        NotFound: the conversation was deleted.
        CorruptRecord: there is no message that the turn could have begun with.
    """
    seqs: list[int] = []
    first = 0
    while not first and upto > 0:
        after = max(0, upto - _TURN)
        for entry in reversed(await threads.entries(thread_id, after=after, limit=upto - after)):
            fact = entry.fact if entry.origin.run_id == run_id else None
            if isinstance(fact, InputsJoined):
                seqs += fact.input_seqs
            elif isinstance(fact, Input):  # it failed before it began
                first = entry.seq
            elif isinstance(fact, RunStarted):
                first = fact.input_seq
            if first:
                break
        upto = after
    found: list[Input] = []
    for seq in (first, *reversed(seqs)):
        page = await threads.entries(thread_id, after=seq - 1, limit=1) if seq else ()
        said = page[0].fact if page else None
        if not isinstance(said, Input):
            raise CorruptRecord(f"{thread_id}: the turn {run_id} has no message that it began with")
        found.append(said)
    return tuple(found)


def _key(info: LogInfo) -> str:
    return f"playbook_events:{info.key}"
