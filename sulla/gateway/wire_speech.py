"""What travels over ``sulla.v1`` about speech, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from sulla.gateway.wire_form import MOST_SEQ, UTTERANCE_PATTERN, Id, Method, Wire
from sulla.speech import MAX_CHUNK_CHARS, ChunkKind

UtteranceId = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=UTTERANCE_PATTERN)]
Count = Annotated[int, Field(ge=0, le=MOST_SEQ)]

# ------------------------------------------------------------------------------------------------------ parameters


class SpeechPlaying(Wire):
    """What of the assistant's reply the client has played to the person."""

    message_id: Id
    played_chars: Count
    """Of its visible text, in code points."""


class SpeechChunk(Wire):
    """`speech.chunk`: a piece of what a recognizer hears (docs/speech.md)."""

    thread_id: Id
    utterance_id: UtteranceId
    seq: Count
    kind: ChunkKind
    text: Annotated[str, StringConstraints(max_length=MAX_CHUNK_CHARS)]
    stable_chars: Count = 0
    playing: SpeechPlaying | None = None
    """What was being played when this was said; null for nothing."""


class SpeechFlush(Wire):
    """`speech.flush`: end the turn now."""

    thread_id: Id


class SpeechCancel(Wire):
    """`speech.cancel`: drop the turn."""

    thread_id: Id


class SpeechStatus(Wire):
    """`speech.status`."""

    thread_id: Id


# ---------------------------------------------------------------------------------------------------------- results

SpeechState = Literal["idle", "speaking", "ending"]


class SpeechTaken(Wire):
    """The answer to `speech.chunk`: the chunk is kept."""

    turn_id: str
    """The turn that is open now; empty for none."""
    state: SpeechState
    late: bool
    """Its utterance was closed before: nothing of it is taken."""


class SpeechFlushed(Wire):
    """The answer to `speech.flush`: the turn's message is kept."""

    turn_id: str
    """Empty if nobody was speaking."""
    text: str
    run_id: str | None
    """Null if no run comes of it."""


class SpeechCancelled(Wire):
    """The answer to `speech.cancel`."""

    turn_id: str
    """Empty if nobody was speaking."""


class SpeechStanding(Wire):
    """The answer to `speech.status`."""

    exists: bool
    """Whether a turn is open."""
    content: str
    """Its text so far."""
    age_ms: int
    """Since its first chunk."""
    state: SpeechState
    turn_id: str
    silent_ms: int
    """Since its text changed."""


METHODS: Final[dict[str, Method]] = {
    "speech.chunk": Method(SpeechChunk, SpeechTaken, "write", overlaps=True),
    "speech.flush": Method(SpeechFlush, SpeechFlushed, "write"),
    "speech.cancel": Method(SpeechCancel, SpeechCancelled, "write"),
    "speech.status": Method(SpeechStatus, SpeechStanding, "read"),
}
"""The rows of the protocol that are about speech."""
