"""A thread in which somebody speaks to this daemon."""

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
    """One thread's speech, from its first chunk until nobody has spoken for some seconds; then it is parked.

    Args:
        speech: its buffer and the turns that are not delivered yet.
        log: what is said is written down there, under a lease of this daemon.
        now_s: the time in seconds, by the clock's `elapsed`.
    """

    __slots__ = (
        "_waiting",
        "armed_ms",
        "claimed_s",
        "delivering",
        "log",
        "over",
        "parking",
        "speech",
        "spoke_s",
        "turns",
    )

    def __init__(self, speech: ThreadSpeech, log: SpeechLog, now_s: float) -> None:
        self.speech = speech
        self.log = log
        self.spoke_s = now_s
        """When a chunk last came."""
        self.claimed_s = now_s
        """When the store was last told that the thread is spoken in here."""
        self.armed_ms: int | None = None
        """When the timer looks at it next, in milliseconds of the `BufferClock`; None if it does not."""
        self.delivering = False
        """Whether a task is delivering its turns."""
        self.over = False
        """Whether it has ended here: it is parked, deleted, or another daemon's."""
        self.parking = False
        """Whether it is being parked: nobody may speak in it before that is done, or what is parked is out of date."""
        self.turns = 0
        """How many turns began in it."""
        self._waiting: list[tuple[str, asyncio.Future[RunId]]] = []

    def check(self) -> None:
        """Refuse more speech while too many turns wait to be delivered.

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
        """Answer those who wait for a turn: it is delivered, or is no message."""
        waiting, self._waiting = self._waiting, []
        for name, waiter in waiting:
            if name != turn_id:
                self._waiting.append((name, waiter))
            elif not waiter.done():
                waiter.set_result(run_id)

    def leave(self, error: SullaError) -> None:
        """End it here: whoever waits for one of its turns gets the error."""
        self.over = True
        waiting, self._waiting = self._waiting, []
        for _, waiter in waiting:
            if not waiter.done():
                waiter.set_exception(type(error)(error.message, retry_after_s=error.retry_after_s))
