"""Turns that have ended become messages of their threads: each once, in order, however often it is tried."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Final, TypeVar

from sulla.core.clock import Clock
from sulla.core.errors import MessageIdReused, NotFound, SullaError
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.speech.interruptions.interruptions import Interruptions, Show, TurnVerdict
from sulla.speech.log.records import EndedTurn, SpeechEntry, TurnJudged, TurnSettled
from sulla.speech.sessions.session import SpeechSession
from sulla.speech.sessions.showing import shown_end
from sulla.speech.turn_taking.events import End
from sulla.threads.log.records import Input
from sulla.threads.log.spoken import Spoken
from sulla.threads.store import Sent, ThreadStore

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_RETRY_S: Final = 0.25
LONGEST_RETRY_S: Final = 5.0
"""Between attempts; a full queue or a store that is away lasts seconds."""


class Delivery:
    """Sends ended turns to their threads. One for all sessions of a daemon.

    Args:
        threads: where conversations are.
        interruptions: says what is a message.
        clock: all time.
        show: tells clients.
        wake: has a thread worked on soon.
        note: writes an entry down and does what it says; gives its place in the log.
        now_ms: the time of the buffers.
    """

    def __init__(
        self,
        threads: ThreadStore,
        interruptions: Interruptions,
        clock: Clock,
        show: Show,
        wake: Callable[[ThreadId], None],
        note: Callable[[SpeechSession, SpeechEntry], int],
        now_ms: Callable[[], int],
    ) -> None:
        self._threads = threads
        self._interruptions = interruptions
        self._clock = clock
        self._show = show
        self._wake = wake
        self._note = note
        self._now_ms = now_ms

    async def deliver(self, session: SpeechSession) -> None:
        """Deliver all that is owed to a thread, oldest first.

        Raises:
            NotFound: the thread is gone.
            StaleLease: somebody else delivers it.
        """
        while session.speech.owed and not session.over:
            await self._settle(session, session.speech.owed[0])

    async def _settle(self, session: SpeechSession, turn: EndedTurn) -> None:
        thread_id = session.speech.thread_id
        if not turn.judged:
            verdict = await self._again(lambda: self._judge(thread_id, turn))
            # Written down first: told twice, it has to be in the same words.
            self._note(session, TurnJudged(thread_id, self._now_ms(), turn.id, verdict.deliver, verdict.heard, turn))
            turn = session.speech.owed[0]
        await session.log.committed_at_last(session.log.place)
        message_id, run_id = MessageId(""), RunId("")
        if turn.deliver:
            message_id, sent = await self._again(lambda: self._send(thread_id, turn))
            run_id = sent.run_id
            self._wake(thread_id)
        self._note(session, TurnSettled(thread_id, self._now_ms(), turn.id))
        self._show(thread_id, *shown_end(turn, message_id))
        session.tell(turn.id, run_id)

    async def _judge(self, thread_id: ThreadId, turn: EndedTurn) -> TurnVerdict:
        end = End(turn.id, turn.text, turn.reason, turn.score, turn.detail, turn.waited_ms)
        return await self._interruptions.judge(thread_id, end, turn.playing)

    async def _send(self, thread_id: ThreadId, turn: EndedTurn) -> tuple[MessageId, Sent]:
        why = (turn.reason, turn.score, turn.detail, turn.waited_ms)
        spoken = Spoken(turn.id, *why, turn.heard, turn.began_ms)
        message_id = MessageId(f"speech:{turn.id}")
        try:
            return message_id, await self._threads.send(thread_id, Input(message_id, turn.text, "steer", spoken=spoken))
        except MessageIdReused:  # a client has named two utterances alike
            said = f"{turn.began_ms} {turn.text}".encode("utf-8", "surrogatepass")
            message_id = MessageId(f"{message_id}:{blake2b(said, digest_size=6).hexdigest()}")
            return message_id, await self._threads.send(thread_id, Input(message_id, turn.text, "steer", spoken=spoken))

    async def _again(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Until it works: what is owed is not let go of."""
        pause_s, told = FIRST_RETRY_S, False
        while True:
            try:
                return await attempt()
            except NotFound:
                raise
            except SullaError as error:
                if not told and not error.retryable:
                    log.error("a spoken turn cannot be delivered; it is tried again: %s", error.message)
                    told = True
            await self._clock.sleep(pause_s)
            pause_s = min(LONGEST_RETRY_S, 2 * pause_s)
