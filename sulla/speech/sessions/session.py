"""A thread that is spoken in, in this daemon."""

from __future__ import annotations

import asyncio
from typing import Final

from sulla.core.errors import Busy, SullaError
from sulla.core.ids import RunId
from sulla.speech.log.log import SpeechLog
from sulla.speech.log.thread_speech import ThreadSpeech

MOST_OWED: Final = 64
MOST_OWED_CHARS: Final = 100_000
"""Turns that wait to be delivered, and their letters together: the queue of their thread has been full for long."""


class SpeechSession:
    """What is known of the speech in a thread, the log that it is kept in, and who waits for it.

    Args:
        speech: what is known.
        log: where it is kept.
        now_s: the time in seconds, by the clock's `elapsed`.
    """

    __slots__ = ("_waiting", "armed_ms", "claimed_s", "delivering", "log", "over", "speech", "spoke_s", "turns")

    def __init__(self, speech: ThreadSpeech, log: SpeechLog, now_s: float) -> None:
        self.speech = speech
        self.log = log
        self.spoke_s = now_s
        """When a chunk last came."""
        self.claimed_s = now_s
        """When it was last said that it is here."""
        self.armed_ms: int | None = None
        """When it is looked at next."""
        self.delivering = False
        """Whether somebody takes care of what is owed."""
        self.over = False
        """It is not here any more."""
        self.turns = 0
        """That began here."""
        self._waiting: list[tuple[str, asyncio.Future[RunId]]] = []

    def check(self) -> None:
        """Do nothing if more may be said here just now.

        Raises:
            Busy: too many turns wait to be delivered.
        """
        owed = self.speech.owed
        if owed and (len(owed) >= MOST_OWED or sum(len(turn.text) for turn in owed) >= MOST_OWED_CHARS):
            raise Busy(
                f"{len(owed)} spoken turns wait until thread {self.speech.thread_id!r} takes messages again; send it "
                "again then",
                retry_after_s=5.0,
            )

    def settled(self, turn_id: str) -> asyncio.Future[RunId]:
        """The run of a turn, once that is delivered."""
        waiter: asyncio.Future[RunId] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn_id, waiter))
        return waiter

    def tell(self, turn_id: str, run_id: RunId) -> None:
        """A turn is delivered, or need not be."""
        waiting, self._waiting = self._waiting, []
        for name, waiter in waiting:
            if name != turn_id:
                self._waiting.append((name, waiter))
            elif not waiter.done():
                waiter.set_result(run_id)

    def leave(self, error: SullaError) -> None:
        """Whoever waits for a turn is told that nothing comes of it here."""
        self.over = True
        waiting, self._waiting = self._waiting, []
        for _, waiter in waiting:
            if not waiter.done():
                waiter.set_exception(type(error)(error.message, retry_after_s=error.retry_after_s))
