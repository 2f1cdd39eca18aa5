"""Where agents' notes for people go: into the thread that they are about."""

from __future__ import annotations

from sulla.core.errors import NotAvailable
from sulla.threads import Notice, ThreadStore
from sulla.tools import Note


class NoticeDesk:
    """Keeps the promise of `tools.Notify`; agents are given it before there are threads to keep notes in."""

    def __init__(self) -> None:
        self._threads: ThreadStore | None = None

    def open(self, threads: ThreadStore) -> None:
        """From now on notes are taken."""
        self._threads = threads

    async def __call__(self, note: Note) -> None:
        """See `tools.Notify`.

        Raises:
            NotAvailable: no daemon runs.
            NotFound: the thread was deleted meanwhile.
        """
        if self._threads is None:
            raise NotAvailable("nobody can be told: no daemon runs")
        notice = Notice(note.text, note.urgency, note.agent, note.tainted)
        await self._threads.notify(note.thread_id, notice, note.run_id, note.key)
