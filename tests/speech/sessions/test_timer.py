from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import pytest

from sulla.core.ids import ThreadId
from sulla.speech.log.log import SpeechLog
from sulla.speech.log.thread_speech import ThreadSpeech
from sulla.speech.sessions.buffer_clock import BufferClock
from sulla.speech.sessions.session import SpeechSession
from sulla.speech.sessions.timer import GATHER_S, SessionTimer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.testing.clock import ManualClock

PAUSE_S = 1.5
"""Of the profile `classic`: after so much silence a text is looked at."""


class Watch:
    """An timer, the sessions that it looks after, and when it rang for which."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.buffer_clock = BufferClock(clock)
        self.timer = SessionTimer(clock, self.buffer_clock, self._ring)
        self.rang: list[str] = []

    def session(self, name: str) -> SpeechSession:
        return SpeechSession(ThreadSpeech(ThreadId(name)), cast(SpeechLog, None), 0.0)  # nothing is written down here

    def say(self, session: SpeechSession, text: str) -> None:
        seq = len(text)
        session.speech.buffer.feed(Chunk("u", seq, "cumulative", text), self.buffer_clock.now_ms())
        self.timer.arm(session)

    def _ring(self, session: SpeechSession) -> None:
        session.speech.tick(self.buffer_clock.now_ms())
        self.rang.append(session.speech.thread_id)


@pytest.fixture
async def watch() -> AsyncIterator[Watch]:
    found = Watch(ManualClock())
    task = asyncio.ensure_future(found.timer.run())
    await found.clock.settle()
    yield found
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_it_rings_when_a_line_is_due_and_not_before(watch: Watch) -> None:
    watch.say(watch.session("one"), "the lie")
    await watch.clock.advance(PAUSE_S - 0.01)
    assert watch.rang == []
    await watch.clock.advance(0.01)
    assert watch.rang == ["one"]


async def test_who_speaks_on_is_not_rung_for(watch: Watch) -> None:
    session = watch.session("one")
    watch.say(session, "the")
    await watch.clock.advance(1.0)
    watch.say(session, "the lie")
    await watch.clock.advance(PAUSE_S - 0.01)
    assert watch.rang == []
    await watch.clock.advance(0.02)
    assert watch.rang == ["one"]


async def test_those_that_are_due_soon_after_each_other_are_looked_at_together(watch: Watch) -> None:
    for name in ("one", "two", "three"):
        watch.say(watch.session(name), "the lie")
        await watch.clock.advance(0.002)
    await watch.clock.advance(PAUSE_S - 0.005)
    assert watch.rang == ["one"]
    await watch.clock.advance(GATHER_S - 0.003)
    assert watch.rang == ["one"]
    await watch.clock.advance(0.004)
    assert watch.rang == ["one", "two", "three"]


async def test_a_line_that_is_over_is_let_go_of(watch: Watch) -> None:
    session = watch.session("one")
    watch.say(session, "the lie")
    session.over = True
    await watch.clock.advance(10.0)
    assert watch.rang == []
