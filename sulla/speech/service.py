"""What clients may do about speech, and the values that go with it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.status import State, Status


@dataclass(frozen=True, slots=True)
class Playing:
    """What of the assistant's reply a client has played to the person."""

    message_id: MessageId
    played_chars: int
    """Of its visible text, in code points, like `offset` (design §12)."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A chunk is kept: it is in exactly one turn, or says nothing new."""

    turn_id: str
    """The turn that is open now; empty if none is."""
    state: State
    late: bool = False
    """Its utterance was closed before: nothing of it is taken. Expected of a chunk that is sent again; of a new one it
    means that the name of its utterance was used before."""


@dataclass(frozen=True, slots=True)
class Flushed:
    """What `force_flush_buffer` has ended. All of it is empty if nobody was speaking."""

    turn_id: str = ""
    text: str = ""
    run_id: RunId = RunId("")


class SpeechService(Protocol):
    """What clients may do with speech; `StreamBufferManager` implements it."""

    async def add_speech_chunk(
        self,
        thread_id: ThreadId,
        chunk: Chunk,
        playing: Playing | None = None,
        caller: str = "",
        taken: Callable[[], None] | None = None,
    ) -> Taken:
        """Take a piece of speech; when this returns, it is kept.

        Args:
            thread_id: a conversation.
            chunk: late, doubled and re-ordered ones are welcome.
            playing: what the client plays just now, or was playing when this was said.
            caller: the name of the token that it came with, by which turns are counted; empty for none.
            taken: is called when it has its place, before it is kept: what is added, flushed or dropped from then on
                comes behind it.

        Raises:
            NotFound: there is no such thread.
            Busy: too many threads are spoken in, or too much waits to be kept or delivered.
            RateLimited: too many turns began of late; nothing was kept.
            StoreUnavailable: it could not be kept; send it again.
        """

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        """End the open turn now and deliver it; when this returns, its message is kept.

        Raises:
            NotFound: there is no such thread.
            StoreUnavailable: it will be delivered when the store is back.
        """

    async def drop_speech(self, thread_id: ThreadId) -> str:
        """Forget the open turn: what was said in it comes in no later one.

        Returns:
            Its id; empty if nobody was speaking.
        """

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        """How things stand; changes nothing.

        Raises:
            NotFound: there is no such thread.
        """
