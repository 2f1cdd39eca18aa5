"""The time of speech buffers: the wall clock's when it was set, and from then on elapsed time. Pure."""

from __future__ import annotations

from sulla.core.clock import Clock


class BufferClock:
    """Milliseconds since 1970 that never run backwards and never jump, whoever sets the machine's clock.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.set()

    def set(self) -> None:
        """Go by the wall clock again. Only while no buffer is alive."""
        self._from_s = self._clock.elapsed()
        self._from_ms = round(self._clock.now() * 1000)

    def now_ms(self) -> int:
        """The time."""
        return self._from_ms + round((self._clock.elapsed() - self._from_s) * 1000)

    def seconds_until(self, at_ms: int) -> float:
        """How long it is until then; 0 or less if it is over."""
        return (at_ms - self._from_ms) / 1000 + self._from_s - self._clock.elapsed()
