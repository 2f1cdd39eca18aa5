"""How fast spoken turns may begin: no faster than messages are taken that are typed (docs/inside/input.md). Pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final

from sulla.core.errors import RateLimited
from sulla.core.ids import ThreadId
from sulla.speech.limits import SpeechLimits

MOST_NAMES: Final = 10_000
"""Threads and tokens that are remembered; the one that was longest without a turn is forgotten first."""


class TurnRates:
    """When turns began of late, by thread and by token. A turn that is open goes on whatever this says.

    Args:
        limits: the figures.
    """

    def __init__(self, limits: SpeechLimits) -> None:
        self._limits = limits
        self._began_s: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()

    def refusal(self, thread_id: ThreadId, caller: str, now_s: float) -> RateLimited | None:
        """What to refuse a turn with that is about to begin; None if it may.

        Args:
            thread_id: where.
            caller: the name of the token that it comes with; empty for none.
            now_s: seconds on a clock that only goes forward.
        """
        window_s = self._limits.turn_window_s
        for key, most in self._bounds(thread_id, caller):
            times_s = self._began_s.get(key)
            if times_s is not None and len(times_s) >= most and (wait_s := times_s[-most] + window_s - now_s) > 0:
                words = (
                    f"too fast: at most {most} spoken turns of one {key[0]} begin within {window_s:g} s; send it again"
                )
                return RateLimited(words, retry_after_s=wait_s)
        return None

    def began(self, thread_id: ThreadId, caller: str, now_s: float) -> None:
        """A turn has begun.

        Args:
            thread_id: where.
            caller: see `refusal`.
            now_s: see `refusal`.
        """
        for key, most in self._bounds(thread_id, caller):
            self._began_s.setdefault(key, deque(maxlen=most)).append(now_s)
            self._began_s.move_to_end(key)
            if len(self._began_s) > MOST_NAMES:
                self._began_s.popitem(last=False)

    def _bounds(self, thread_id: ThreadId, caller: str) -> tuple[tuple[tuple[str, str], int], ...]:
        thread = (("thread", thread_id), self._limits.turn_burst)
        return (thread, (("token", caller), self._limits.token_burst)) if caller else (thread,)
