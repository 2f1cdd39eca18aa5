"""How fast people may send messages (seed 004, design §6). Pure.

Looked at before a message is acknowledged: one that is refused was never taken, so nothing acknowledged gets lost. What
the daemon itself offers (a playbook's question, a child's result, a beat) does not come by here.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import field
from typing import Literal

from sulla.core.dataclass import dataclass

RateReason = Literal["min_interval", "burst", "token_burst"]


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How many messages are taken, and how much is remembered."""

    min_interval_ms: int = 400
    """Between two messages of one thread (seed 004)."""
    burst: int = 12
    """Messages of one thread within its window (seed 004)."""
    window_ms: int = 10_000
    """The window of `burst` and `token_burst` (seed 004)."""
    token_burst: int = 60
    """Messages of one token within the window, over all its threads: five threads' worth."""
    max_threads: int = 10_000
    """Threads remembered; the one that was longest without a message is forgotten first."""
    max_tokens: int = 1_000
    """Tokens remembered, likewise."""


@dataclass(frozen=True, slots=True)
class RateAllowed:
    """The message is taken."""

    counted: bool = True
    """Whether it was new; a message that is sent again does not count."""


@dataclass(frozen=True, slots=True)
class TooFast:
    """The message is not taken; nothing has changed."""

    reason: RateReason
    """What has to be waited for longest."""
    retry_after_s: float
    """Seconds after which the same message would be taken if no other came."""

    def words(self, limits: RateLimits) -> str:
        """What was wrong and what to do, for people.

        Args:
            limits: the figures that it was judged by.
        """
        window = f"within {limits.window_ms / 1000:g} s"
        what: dict[RateReason, str] = {
            "min_interval": f"messages of one thread have to be {limits.min_interval_ms} ms apart",
            "burst": f"a thread takes at most {limits.burst} messages {window}",
            "token_burst": f"at most {limits.token_burst} messages of one token are taken {window}, over all threads",
        }
        return f"too fast: {what[self.reason]}; send this one again in {self.retry_after_s:g} s, under the same id"


class _Thread:
    """When a thread took its last messages, and which they were."""

    __slots__ = ("ids", "times_ms")

    def __init__(self, burst: int) -> None:
        self.times_ms: deque[int] = deque(maxlen=burst)
        self.ids: deque[str] = deque(maxlen=burst)


@dataclass(slots=True)
class Rates:
    """What was taken lately. It lives in memory only: a restart forgets a window of ten seconds.

    Args:
        limits: the figures.
    """

    limits: RateLimits = field(default_factory=RateLimits)
    _threads: OrderedDict[str, _Thread] = field(default_factory=OrderedDict, init=False)
    _tokens: OrderedDict[str, deque[int]] = field(default_factory=OrderedDict, init=False)
    _now_ms: int = field(default=0, init=False)

    def take(self, thread_id: str, token: str, message_id: str, now_s: float) -> RateAllowed | TooFast:
        """See whether a person's message may be taken, and count it if so.

        Args:
            thread_id: where it is to go.
            token: a name of the token that it came with, never the token itself.
            message_id: the client's own; one of the last messages that the thread took does not count again.
            now_s: seconds on a clock that only goes forward.
        """
        # Whole milliseconds: then who waits as long as told is never early by a rounding error.
        now_ms = self._now_ms = max(self._now_ms, round(now_s * 1000))
        thread, used_ms = self._threads.get(thread_id), self._tokens.get(token)
        if thread is not None and message_id in thread.ids:
            return RateAllowed(counted=False)
        wait_ms, reason = max(self._waits(thread, used_ms, now_ms))
        if wait_ms > 0:
            return TooFast(reason, wait_ms / 1000)
        if thread is None:
            thread = self._threads[thread_id] = _Thread(self.limits.burst)
        if used_ms is None:
            used_ms = self._tokens[token] = deque(maxlen=self.limits.token_burst)
        thread.times_ms.append(now_ms)
        thread.ids.append(message_id)
        used_ms.append(now_ms)
        self._tidy(thread_id, token)
        return RateAllowed()

    def uncount(self, thread_id: str, token: str, message_id: str) -> None:
        """A message that was just counted turned out to be in its thread already: as if it had not come."""
        thread, used_ms = self._threads.get(thread_id), self._tokens.get(token)
        if thread is None or message_id not in thread.ids:
            return
        place = thread.ids.index(message_id)
        taken_ms = thread.times_ms[place]
        del thread.ids[place], thread.times_ms[place]
        if used_ms is not None and taken_ms in used_ms:
            used_ms.remove(taken_ms)

    def _waits(
        self, thread: _Thread | None, used_ms: deque[int] | None, now_ms: int
    ) -> tuple[tuple[int, RateReason], ...]:
        """How long each limit would have a message wait, in milliseconds; not over zero: it need not."""
        limits = self.limits
        times_ms = thread.times_ms if thread is not None else deque[int]()
        return (
            (_wait(times_ms, 1, limits.min_interval_ms, now_ms), "min_interval"),
            (_wait(times_ms, limits.burst, limits.window_ms, now_ms), "burst"),
            (_wait(used_ms or deque(), limits.token_burst, limits.window_ms, now_ms), "token_burst"),
        )

    def _tidy(self, thread_id: str, token: str) -> None:
        self._threads.move_to_end(thread_id)
        self._tokens.move_to_end(token)
        if len(self._threads) > self.limits.max_threads:
            self._threads.popitem(last=False)
        if len(self._tokens) > self.limits.max_tokens:
            self._tokens.popitem(last=False)


def _wait(times_ms: deque[int], count: int, window_ms: int, now_ms: int) -> int:
    """How long until fewer than `count` of the times lie within the window."""
    return times_ms[-count] + window_ms - now_ms if len(times_ms) >= count else 0
