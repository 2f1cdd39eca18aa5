"""Speech without a driver: the real machine by thread, at a time that the test says. Nothing is kept or delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sulla.core.errors import NotFound
from sulla.core.ids import RunId, ThreadId, derived_id
from sulla.speech.service import Flushed, Playing, Taken
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import Cancelled, End, Event
from sulla.speech.turn_taking.status import Status


class MemorySpeech:
    """Implements `speech.SpeechService`.

    Attributes:
        chunks: every chunk that came, with its thread, in order.
        playing: what was played with each of them.
        dropped: threads whose turn was dropped.
        asked: how often something was asked of it.
        now_ms: the time.
        failure: an error to raise instead, as long as it is there.
        gate: an event to wait for first; None for none.
        tell: is told of what happens to a thread.

    Args:
        known: whether there is such a thread.
    """

    def __init__(self, known: Callable[[str], bool] = lambda thread_id: True) -> None:
        self.chunks: list[tuple[str, Chunk]] = []
        self.playing: list[Playing | None] = []
        self.dropped: list[str] = []
        self.asked = 0
        self.now_ms = 0
        self.failure: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.tell: Callable[[str, Event], None] = lambda thread_id, event: None
        self._known = known
        self._buffers: dict[str, SpeechBuffer] = {}

    def pass_ms(self, by_ms: int) -> None:
        """Some time passes."""
        self.now_ms += by_ms
        for thread_id, buffer in self._buffers.items():
            self._say(thread_id, buffer.tick(self.now_ms))

    async def add_speech_chunk(
        self,
        thread_id: ThreadId,
        chunk: Chunk,
        playing: Playing | None = None,
        caller: str = "",
        taken: Callable[[], None] | None = None,
    ) -> Taken:
        """Feed the machine."""
        buffer = await self._buffer(thread_id)
        self.chunks.append((thread_id, chunk))
        self.playing.append(playing)
        late = buffer.is_late(chunk)
        self._say(thread_id, buffer.feed(chunk, self.now_ms))
        status = buffer.status(self.now_ms)
        if taken is not None:
            taken()
        return Taken(status.turn_id, status.state, late)

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        """End the turn."""
        events = (await self._buffer(thread_id)).flush(self.now_ms)
        self._say(thread_id, events)
        match events:
            case [*_, End(turn_id=turn_id, text=text)]:
                return Flushed(turn_id, text, RunId(derived_id("run", thread_id, f"speech:{turn_id}")))
            case _:
                return Flushed()

    async def drop_speech(self, thread_id: ThreadId) -> str:
        """Drop the turn."""
        events = (await self._buffer(thread_id)).cancel(self.now_ms)
        self.dropped.append(thread_id)
        self._say(thread_id, events)
        match events:
            case [*_, Cancelled(turn_id=turn_id)]:
                return turn_id
            case _:
                return ""

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        """What the machine says."""
        return (await self._buffer(thread_id)).status(self.now_ms)

    async def _buffer(self, thread_id: str) -> SpeechBuffer:
        self.asked += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        if not self._known(thread_id):
            raise NotFound(f"no thread {thread_id!r}: create one with thread.create")
        return self._buffers.setdefault(thread_id, SpeechBuffer())

    def _say(self, thread_id: str, events: list[Event]) -> None:
        for event in events:
            self.tell(thread_id, event)
