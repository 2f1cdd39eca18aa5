"""Where notes for people go: into the thread that they are about, and to wherever people are."""

from __future__ import annotations

from sulla.core.clock import Clock
from sulla.core.errors import NotAvailable
from sulla.people.board import NoticeBoard
from sulla.people.notices import NoticeKept, notice_id
from sulla.people.slice import Notice
from sulla.threads import ThreadStore
from sulla.tools import Note


class NoticeDesk:
    """Keeps the promise of `tools.Notify`; agents are given it before there are threads to keep notes in."""

    def __init__(self) -> None:
        self._open: tuple[ThreadStore, NoticeBoard, Clock] | None = None

    def open(self, threads: ThreadStore, board: NoticeBoard, clock: Clock) -> None:
        """From now on notes are taken."""
        self._open = threads, board, clock

    async def __call__(self, note: Note) -> int | None:
        """See `tools.Notify`.

        Raises:
            NotAvailable: no daemon runs.
            NotFound: the thread was deleted meanwhile.
            Refused: people were told as much as they may be on one day.
        """
        if self._open is None:
            raise NotAvailable("nobody can be told: no daemon runs")
        threads, board, clock = self._open
        id_ = notice_id(note.thread_id, note.key)
        if note.unattended and (before := await board.said_before(note.agent, note.text, id_)) is not None:
            return before.at_ms
        at_ms = round(clock.now() * 1000)
        notice = Notice(note.text, note.urgency, note.agent, note.tainted)
        await threads.tell(note.thread_id, notice, note.key, note.run_id)
        # After a crash in between the call is made again, and this with it.
        await board.keep(
            NoticeKept(id_, note.thread_id, note.run_id, note.agent, note.text, note.urgency, note.tainted, at_ms)
        )
        return None
