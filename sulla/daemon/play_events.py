"""What happens in threads starts the playbooks that wait for it: read off the logs, each event once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound, Refused, SullaError
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.store import LogInfo, Store
from sulla.threads import THREAD_KIND, Input, InputsJoined, RunStarted, ThreadState, ThreadStore
from sulla.workflow import (
    MOST_CHAINED,
    Begin,
    Happening,
    PlaybookOffice,
    PlaybookShelf,
    Shelved,
    depth_of,
    event_key,
    gives_events,
    happening,
    is_playbooks_turn,
)

log = logging.getLogger(__name__)

MAX_WOKEN: Final = 10_000
"""Threads that may wait to be looked at; if there are more, all threads are looked through instead."""
SWEEP_S: Final = 3600.0
"""How often all threads are looked through, for what another daemon has left behind."""
LOOK_S: Final = 5.0
"""How often it is seen whether a playbook waits for events, while none does."""
RETRY_S: Final = 5.0
"""How long it waits after a failure."""
BREATH_S: Final = 0.01
"""The pause after each page, while much is to be read: turns come first."""
SLACK_MS: Final = 60_000
"""By how much the clocks of several daemons may differ."""
KEPT_S: Final = 30 * 86_400.0
"""How long it is known how far a thread was read. After that the same event begins no other run all the same, because
the run that it began is known by it."""

_PAGE: Final = 512
_TURN: Final = 64
"""Records of a turn that are read at a time, from its end on."""
_THREADS: Final = 200
SINCE: Final = "playbook_events:since"
"""Under which name it is kept from when on events count."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A playbook that waits for events of a type."""

    playbook: str
    inputs: FrozenJson


Listeners = Mapping[str, tuple[Listener, ...]]
"""By the types of the events."""


def listeners(playbooks: Iterable[Shelved]) -> Listeners:
    """The playbooks that wait for events.

    Args:
        playbooks: all that the home has; one with faults waits for nothing.
    """
    found: dict[str, dict[str, Listener]] = {}
    for one in playbooks:
        for trigger in one.definition.on if one.definition is not None else ():
            if trigger.kind == "event":
                found.setdefault(trigger.text, {}).setdefault(one.name, Listener(one.name, trigger.inputs))
    return {type_: tuple(named.values()) for type_, named in found.items()}


@dataclass(frozen=True, slots=True)
class Since:
    """From when on events count, UTC milliseconds."""

    listening_ms: int
    """Since then a playbook waits for events."""
    swept_ms: int
    """All that was written before is dealt with."""


class PlayEvents:
    """Follows the threads. Nothing of it is lost with the process, and nothing is begun twice: how far each thread was
    read is kept behind what it began, which has a key of its own.

    While no playbook waits for events nothing is read and nothing kept.

    Args:
        shelf: the playbooks, as they were at the last look.
        office: begins them.
        threads: whose logs are read.
        store: finds threads, and keeps how far they were read.
        clock: all time.
    """

    def __init__(
        self, shelf: PlaybookShelf, office: PlaybookOffice, threads: ThreadStore, store: Store, clock: Clock
    ) -> None:
        self._shelf = shelf
        self._office = office
        self._threads = threads
        self._store = store
        self._clock = clock
        self._woken: dict[ThreadId, None] = {}
        self._news = asyncio.Event()
        self._since: Since | None = None
        self._forgotten = False
        self._sweep_due = True
        self._trouble = ""

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon; never waits, never fails."""
        if len(self._woken) < MAX_WOKEN:
            self._woken[thread_id] = None
        else:
            self._sweep_due = True
        self._news.set()

    def trouble(self) -> str:
        """Why events have to wait; empty if they don't."""
        return self._trouble

    async def run(self) -> None:
        """Follow until cancelled."""
        await self._shelf.look()  # before that nobody can say that no playbook waits
        while True:
            self._news.clear()
            if await self.catch_up():
                await self._rest()
            else:
                await self._clock.sleep(RETRY_S)

    async def catch_up(self) -> bool:
        """One round: all that is known to be left. A failure is said once, and tried again later.

        Returns:
            Whether nothing is left.
        """
        wanted = listeners(self._shelf.playbooks.values())
        try:
            if not wanted:
                await self._forget()
            elif self._sweep_due:
                await self._sweep(wanted, await self._known_since())
            else:
                await self._look_at_woken(wanted, await self._known_since())
        except SullaError as error:
            if error.message != self._trouble:
                log.warning("events that start playbooks have to wait: %s", error.message)
            self._trouble, self._sweep_due = error.message, True
            return False
        self._trouble = ""
        return True

    async def _rest(self) -> None:
        try:
            async with self._clock.timeout(LOOK_S if self._since is None else SWEEP_S):
                await self._news.wait()
        except TimeoutError:
            self._sweep_due = True

    async def _forget(self) -> None:
        """Nobody waits for events: who does so later hears of those that come then."""
        self._woken.clear()
        unclear = self._shelf.troubles or any(one.definition is None for one in self._shelf.playbooks.values())
        if not unclear and not self._forgotten:
            await self._store.remove(SINCE)
            self._since, self._forgotten = None, True

    async def _known_since(self) -> Since:
        if self._since is None:
            kept = await self._store.get(SINCE)
            now_ms = self._now_ms()
            listening, _, swept = (kept or f"{now_ms}:{now_ms}".encode()).decode().partition(":")
            await self._set_since(Since(int(listening), int(swept)))
        return self._since or Since(0, 0)

    async def _set_since(self, since: Since) -> None:
        await self._store.put(SINCE, f"{since.listening_ms}:{since.swept_ms}".encode())
        self._since, self._forgotten = since, False

    async def _sweep(self, wanted: Listeners, since: Since) -> None:
        """Look through all threads that were written to since the last time."""
        began_ms, after = self._now_ms(), ""
        self._sweep_due = False
        last = False
        while not last:
            page = await self._threads.list(after=after, limit=_THREADS)
            for info, state in page:
                if state is not None and state.updated_ms >= since.swept_ms - SLACK_MS and gives_events(state):
                    await self._read_on(info, state, wanted, since)
            await self._look_at_woken(wanted, since)
            last = len(page) < _THREADS
            if not last:
                after = page[-1][0].key
                await self._clock.sleep(BREATH_S)
        # All that happened before this look began is dealt with, whoever's turn it was.
        await self._set_since(Since(since.listening_ms, max(since.swept_ms, began_ms - SLACK_MS)))

    async def _look_at_woken(self, wanted: Listeners, since: Since) -> None:
        while self._woken:
            thread_id = next(iter(self._woken))
            del self._woken[thread_id]  # first: what happens from here on wakes it again
            info = await self._store.head(thread_id)
            state = self._threads.state_of(info) if info is not None and info.head.kind == THREAD_KIND else None
            if info is not None and state is not None and gives_events(state):
                await self._read_on(info, state, wanted, since)

    async def _read_on(self, info: LogInfo, state: ThreadState, wanted: Listeners, since: Since) -> None:
        """Begin what the events of a thread start that it was not read for yet."""
        thread_id = state.thread_id
        try:
            known = await self._position(info)
            # One that was never read is as far as its records' times say.
            from_ms = since.swept_ms if known is None else since.listening_ms
            after = known if known is not None else await self._first_since(info, from_ms)
            while after < info.last_seq:
                page = await self._threads.entries(thread_id, after=after, limit=_PAGE)
                for entry in page:
                    event = happening(entry, state)
                    if event is not None and event.at_ms >= from_ms:
                        await self._tell(event, entry.origin.run_id, info, state, wanted)
                after = page[-1].seq if page else info.last_seq
                await self._store.put(_key(info), f"{info.created_ms}:{after}".encode(), KEPT_S)
        except NotFound:
            return  # deleted just now
        except CorruptRecord as error:
            log.warning("a thread cannot be read, so its events end here: %s", error.message)

    async def _tell(
        self, event: Happening, run_id: RunId | None, info: LogInfo, state: ThreadState, wanted: Listeners
    ) -> None:
        if event.type not in wanted:
            return
        said = await messages_of(self._threads, state.thread_id, run_id, event.seq)
        if is_playbooks_turn(said):
            return
        depth = depth_of(said)
        if depth >= MOST_CHAINED:
            text = "%s in %s starts no playbook: it is number %d in a chain of events, and a chain ends at %d"
            log.warning(text, event.type, state.thread_id, depth + 1, MOST_CHAINED)
            return
        for one in wanted[event.type]:
            key = event_key(state.thread_id, info.created_ms, event.seq, one.playbook)
            begin = Begin(one.playbook, one.inputs, "event", event.payload, tainted=state.tainted, chain=depth + 1)
            try:
                await self._office.start(begin, key)
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

    async def _first_since(self, info: LogInfo, from_ms: int) -> int:
        """Behind which record those begin that count, in a thread that was never read; early rather than late."""
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
