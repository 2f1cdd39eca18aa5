"""Where clients come with what people say."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.ids import ThreadId
from sulla.speech import Chunk, Flushed, Playing, SpeechOffice, Status, Taken


class SpeechDesk:
    """Keeps `SpeechOffice` for clients, as long as clients are served.

    Args:
        office: does what is asked.
        check_open: raises if nothing new is taken at the moment.
        check: raises if nothing can be told at the moment.
    """

    def __init__(self, office: SpeechOffice, check_open: Callable[[], None], check: Callable[[], None]) -> None:
        self._office = office
        self._check_open = check_open
        self._check = check

    async def add_speech_chunk(
        self,
        thread_id: ThreadId,
        chunk: Chunk,
        playing: Playing | None = None,
        caller: str = "",
        taken: Callable[[], None] | None = None,
    ) -> Taken:
        """Take a piece of speech."""
        self._check_open()
        return await self._office.add_speech_chunk(thread_id, chunk, playing, caller, taken)

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        """End the open turn now."""
        self._check_open()
        return await self._office.force_flush_buffer(thread_id)

    async def drop_speech(self, thread_id: ThreadId) -> str:
        """Forget the open turn."""
        self._check_open()
        return await self._office.drop_speech(thread_id)

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        """How things stand."""
        self._check()
        return await self._office.get_buffer_status(thread_id)
