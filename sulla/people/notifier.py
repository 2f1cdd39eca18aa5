"""Where notes for people go: into the thread that they are about, and to wherever people are."""

from __future__ import annotations

from sulla.agent.model.pictures import shown_text
from sulla.core.clock import Clock
from sulla.core.ids import RunId, ThreadId
from sulla.core.words import Words
from sulla.people.inbox import NoticeInbox
from sulla.people.notices import NoticeKept, notice_id
from sulla.people.slice import Notice
from sulla.threads.store import ThreadStore
from sulla.tools.builtin.notify import PersonNote


class Notifier:
    """Tells people something, once under a key; keeps the promise of `tools.Notify`. It lives as long as the daemon.

    Args:
        threads: where the note stands beside what it is about.
        inbox: where people find it, wherever they are.
        clock: all time.
    """

    def __init__(self, threads: ThreadStore, inbox: NoticeInbox, clock: Clock) -> None:
        self._threads = threads
        self._inbox = inbox
        self._clock = clock

    async def __call__(self, note: PersonNote) -> int | None:
        """See `tools.Notify`.

        Raises:
            NotFound: the thread was deleted meanwhile.
            Refused: people were told as much as they may be on one day.
        """
        id_ = notice_id(note.thread_id, note.key)
        if note.unattended and (before := await self._inbox.said_before(note.agent, note.words.text, id_)) is not None:
            return before.at_ms
        at_ms = round(self._clock.now() * 1000)
        text, tainted = shown_text(note.words), note.words.tainted
        notice = Notice(text, note.urgency, note.agent, tainted)
        await self._threads.tell(note.thread_id, notice, note.key, note.run_id)
        # After a crash in between the call is made again, and this with it.
        await self._inbox.keep(
            NoticeKept(id_, note.thread_id, note.run_id, note.agent, text, note.urgency, tainted, at_ms)
        )
        return None

    async def warn(self, thread_id: ThreadId, run_id: RunId, key: str, words: Words) -> None:
        """Tell people something urgent that the daemon itself has to say."""
        await self(PersonNote(thread_id, run_id, "", words, "high", key))
