"""What agents remember, for people."""

from __future__ import annotations

from sulla.core.errors import NotAvailable
from sulla.gateway.methods.notes import NoteKind, NotePage, NoteRow, NotesForgotten, NotesFound
from sulla.memory.memory import Memory
from sulla.memory.note import EVERYONE, KINDS, MemoryNote


class AgentNotes:
    """Does `gateway.methods.notes`. It lives as long as the daemon.

    Args:
        memory: keeps them; None where no memory is kept.
    """

    def __init__(self, memory: Memory | None) -> None:
        self._kept = memory

    async def search(self, agent: str, words: str, limit: int) -> NotesFound:
        """See `NoteService`."""
        return NotesFound(tuple(_row(hit.note) for hit in await self._memory().recall(agent, words, limit)))

    async def newest(self, agent: str, kind: NoteKind | None, before_ms: int | None, limit: int) -> NotePage:
        """See `NoteService`."""
        index, kinds = self._memory().index, KINDS if kind is None else (kind,)
        found = [note for each in kinds for note in await index.recent([agent, EVERYONE], each, limit + 1, before_ms)]
        found.sort(key=lambda note: (-note.at_ms, note.id))
        page = found[:limit]
        if len(found) <= limit:
            return NotePage(tuple(map(_row, page)), None)
        # Notes of one millisecond stand on one page: a page begins before a time, and not behind a note.
        last = page[-1].at_ms
        whole = [note for note in page if note.at_ms > last] if found[limit].at_ms == last else page
        if not whole:  # all of a page are of one moment
            return NotePage(tuple(map(_row, page)), last)
        return NotePage(tuple(map(_row, whole)), whole[-1].at_ms)

    async def forget(self, agent: str, ids: list[str], code: str | None) -> NotesForgotten:
        """See `NoteService`."""
        memory = self._memory()
        if code is not None:
            return NotesForgotten(await memory.forget(agent, ids, code), (), "")
        doomed = await memory.doomed(agent, ids)
        return NotesForgotten(0, tuple(map(_row, doomed.notes)), doomed.code)

    def _memory(self) -> Memory:
        if self._kept is None:
            raise NotAvailable("no memory is kept; `memory.enabled` in the settings turns it on")
        return self._kept


def _row(note: MemoryNote) -> NoteRow:
    return NoteRow(
        note.id, note.kind, note.scope, note.text, note.asked, note.at_ms, note.agent, note.thread_id, note.tainted
    )
