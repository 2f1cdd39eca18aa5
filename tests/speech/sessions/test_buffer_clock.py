from __future__ import annotations

from sulla.speech.sessions.buffer_clock import BufferClock
from sulla.testing.clock import ManualClock


async def test_time_passes_and_never_jumps() -> None:
    clock = ManualClock(1_000.0)
    buffer_clock = BufferClock(clock)
    assert buffer_clock.now_ms() == 1_000_000
    clock.jump(-500.0)
    await clock.advance(1.5)
    assert buffer_clock.now_ms() == 1_001_500
    assert buffer_clock.seconds_until(1_002_000) == 0.5
    buffer_clock.set()
    assert buffer_clock.now_ms() == 501_500
