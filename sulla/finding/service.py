"""Does the methods of `sulla.finding.rpc`."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Final

from sulla.core.errors import CorruptRecord, InvalidInput, NotFound
from sulla.core.ids import MakeId, ThreadId
from sulla.core.prefix import NAMED, chosen
from sulla.core.search.excerpt import excerpt
from sulla.core.search.terms import asked_terms, terms
from sulla.finding.index import Place, ThreadEntry, ThreadIndex
from sulla.finding.rpc import FoundRow, RecentRow, Recents, ThreadFound
from sulla.finding.title import Kind, ThreadNamed
from sulla.host.waker import Waker
from sulla.memory.memory import Memory
from sulla.memory.note import TURNS, MemoryHit, MemoryNote
from sulla.threads.log.records import RunStarted
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

HITS_PER_THREAD: Final = 4
"""Turns that are asked of the word index for each conversation that is wanted: several may be of one."""
EXCERPT_CHARS: Final = 240
NEAR: Final = 256
"""Records before the end of a turn that was found, in which its beginning is looked for."""
_PREFIX: Final = "thr_"


class Finder:
    """Finds conversations again, and names them. It lives as long as the daemon.

    Args:
        threads: the conversations.
        index: when something happened in each.
        memory: has the words of finished turns; None where nothing is remembered.
        waker: has a thread looked at.
        make_id: names a request that the client has not named.
    """

    def __init__(
        self, threads: ThreadStore, index: ThreadIndex, memory: Memory | None, waker: Waker, make_id: MakeId
    ) -> None:
        self._threads = threads
        self._index = index
        self._memory = memory
        self._waker = waker
        self._make_id = make_id

    async def recent(self, kinds: Collection[Kind], after: str | None, limit: int) -> Recents:
        """See `rpc.FindingService`."""
        rows, following = await self._index.newest(kinds, _place_of(after) if after is not None else None, limit)
        return Recents(tuple(map(_row, rows)), _cursor(following) if following is not None else None)

    async def search(self, words: str, kinds: Collection[Kind], limit: int) -> ThreadFound:
        """See `rpc.FindingService`."""
        asked = asked_terms(words)
        if not asked:
            raise InvalidInput(f"words: {words[:80]!r} holds nothing that could be looked for; name what it was about")
        best: dict[ThreadId, MemoryHit | None] = dict.fromkeys(await self._called(asked))
        for hit in await self._said(words, limit):
            thread_id = ThreadId(hit.note.thread_id)
            if best.get(thread_id) is None:
                best[thread_id] = hit
        entries = [one for one in await self._index.get(best) if one.kind in kinds]
        found = tuple([await self._found(one, best[one.thread_id], asked) for one in entries[:limit]])
        return ThreadFound(found, len(entries) > limit, "words" if self._memory is not None else "titles")

    async def rename(self, thread_id: str, title: str, request_id: str | None, by: str) -> RecentRow:
        """See `rpc.FindingService`."""
        wanted = ThreadId(thread_id)
        await self._threads.get(wanted)
        title = " ".join(title.split())
        await self._threads.tell(wanted, ThreadNamed(title, by), f"named:{request_id or self._make_id('req')}")
        # Have the head say it now, and not with the next turn. Whoever holds the thread does so when it writes next.
        session = await self._threads.attend(wanted)
        if session is not None:
            await session.release()
            self._threads.keep(session)
            self._waker(wanted)  # whoever was kept out of it meanwhile
        self._index.wake(wanted)
        rows = await self._index.get([wanted])
        if not rows:
            raise NotFound(f"no thread {thread_id!r}: it was deleted just now")
        return _row(rows[0], title)

    async def resolve(self, begins: str) -> str:
        """See `rpc.FindingService`."""
        ids: Sequence[str] = await self._index.beginning_with(begins, NAMED + 2)
        if not ids and not begins.startswith(_PREFIX):
            begins = _PREFIX + begins
            ids = await self._index.beginning_with(begins, NAMED + 2)
        return chosen(begins, ids, "thread", "`sulla thread list --all` shows them")

    async def _said(self, words: str, limit: int) -> Sequence[MemoryHit]:
        """Turns that fit the words best."""
        if self._memory is None:
            return ()
        index = self._memory.index
        hits = await index.search(await index.scopes(), words, HITS_PER_THREAD * limit)
        return [hit for hit in hits if hit.note.kind in TURNS]

    async def _found(self, one: ThreadEntry, hit: MemoryHit | None, asked: Sequence[str]) -> FoundRow:
        if hit is None:
            return FoundRow(_row(one), one.active_ms, one.words, "", one.tainted)
        note = hit.note
        question, answer = (excerpt(text, asked, EXCERPT_CHARS) for text in (note.asked, note.text))
        return FoundRow(_row(one), note.at_ms, question, answer, note.tainted, *await self._place(one, note))

    async def _place(self, one: ThreadEntry, note: MemoryNote) -> tuple[int, str]:
        """Where the message of a turn stands, found by when it ended: of a long log few records are read."""
        first, last = 1, max(1, one.last_seq)
        try:
            while first < last:
                middle = (first + last) // 2
                (entry,) = await self._threads.entries(one.thread_id, after=middle - 1, before=middle + 1, limit=1)
                first, last = (middle + 1, last) if entry.origin.at_ms < note.at_ms else (first, middle)
            page = await self._threads.entries(one.thread_id, after=max(0, first - NEAR), limit=2 * NEAR)
        except (CorruptRecord, NotFound, ValueError) as error:
            log.info("it is not known where in %s a turn stands that was found: %s", one.thread_id, error)
            return 0, ""
        started = (entry.fact for entry in page if entry.origin.run_id == note.run_id)
        begun = next((fact for fact in started if isinstance(fact, RunStarted)), None)
        return (begun.input_seq, begun.message_id) if begun is not None else (first, "")

    async def _called(self, asked: Sequence[str]) -> list[ThreadId]:
        """Threads whose title or first words have all the words, or begin so, the newest first: they come before all
        others.
        """
        found = [
            one
            for one in await self._index.entries()
            if _have(terms(f"{one.title} {one.words}", 4 * len(asked) + 60), asked)
        ]
        return [one.thread_id for one in sorted(found, key=lambda one: one.place)]


def _have(words: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether each word that is asked for is there, or the beginning of one."""
    return all(any(word.startswith(begins) for word in words) for begins in asked)


def _row(one: ThreadEntry, renamed: str | None = None) -> RecentRow:
    # Somebody else may hold the thread just now, and write the name a moment later.
    return RecentRow(
        one.thread_id,
        renamed or one.title,
        "person" if renamed else one.titled_by,
        one.words,
        one.kind,
        one.agent,
        one.status,
        one.last_seq,
        one.created_ms,
        one.active_ms,
        one.waiting,
        one.tainted,
        one.held,
        one.copy.thread_id if one.copy is not None else "",
        one.copy.made_ms if one.copy is not None else None,
    )


def _cursor(place: Place) -> str:
    return f"{-place[0]}.{place[1]}"


def _place_of(after: str) -> Place:
    number, dot, thread_id = after.partition(".")
    if not dot or not number.isdecimal() or len(number) > len(str(2**53)):
        raise InvalidInput(f"after: got {after[:80]!r}, expected what the page before gave as `next`")
    return -int(number), thread_id
