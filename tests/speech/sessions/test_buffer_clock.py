from __future__ import annotations

from sulla.speech.sessions.buffer_clock import Moments
from sulla.testing.clock import ManualClock


async def test_time_passes_and_never_jumps() -> None:
    clock = ManualClock(1_000.0)
    moments = Moments(clock)
    assert moments.now_ms() == 1_000_000
    clock.jump(-500.0)
    await clock.advance(1.5)
    assert moments.now_ms() == 1_001_500
    assert moments.seconds_until(1_002_000) == 0.5
    moments.set()
    assert moments.now_ms() == 501_500
