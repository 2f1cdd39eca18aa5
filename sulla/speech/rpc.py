"""How clients bring what people say aloud."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId, ThreadId
from sulla.rpc.caller import Context
from sulla.rpc.form import MOST_SEQ, UTTERANCE_PATTERN, Id, Params
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.speech.service import Playing, SpeechService
from sulla.speech.turn_taking.chunk import MAX_CHUNK_CHARS, MAX_NAME_CHARS, Chunk, ChunkKind, Segment

"""What travels over ``sulla.v1`` about speech, as strict models. Pure."""


UtteranceId = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=UTTERANCE_PATTERN)]


Count = Annotated[int, Field(ge=0, le=MOST_SEQ)]


class SpeechPlaying(Params):
    """What of the assistant's reply the client has played to the person."""

    message_id: Id
    played_chars: Count
    """Of its visible text, in code points."""


Name = Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS)]


class SpeechSegment(Params):
    """Which stretch of speech the last words of a chunk are."""

    speaker: Name
    """Whose voice, as the recognizer tells voices apart."""
    stream: Name = ""
    """Which of the recognizer's connections counts `at`; empty if it does not say: then words are compared."""
    at: Count = 0
    """Where the stretch begins: milliseconds of audio, or the number of the turn. Later ones are greater."""
    from_char: Count = 0
    """Where its words begin in the text of the chunk."""


class SpeechChunk(Params):
    """`speech.chunk`: a piece of what a recognizer hears (docs/inside/speech.md)."""

    thread_id: Id
    utterance_id: UtteranceId
    seq: Count
    kind: ChunkKind
    text: Annotated[str, StringConstraints(max_length=MAX_CHUNK_CHARS)]
    stable_chars: Count = 0
    silent_ms: Count | None = None
    """For how long the speaker has been silent, as the recognizer hears it; 0 if they are not known to have paused."""
    held: bool = False
    """Whether the recognizer says when the turn is over, with a chunk of the kind `final`: no silence ends it."""
    segment: SpeechSegment | None = None
    """Which stretch of speech its last words are, so that they are known again over another connection."""
    playing: SpeechPlaying | None = None
    """What was being played when this was said; null for nothing."""


class SpeechFlush(Params):
    """`speech.flush`: end the turn now."""

    thread_id: Id


class SpeechCancel(Params):
    """`speech.cancel`: drop the turn."""

    thread_id: Id


class SpeechStatus(Params):
    """`speech.status`."""

    thread_id: Id


SpeechState = Literal["idle", "speaking", "ending"]


@dataclass(frozen=True, slots=True)
class SpeechTaken:
    """The answer to `speech.chunk`: the chunk is kept."""

    turn_id: str
    """The turn that is open now; empty for none."""
    state: SpeechState
    late: bool
    """Its utterance was closed before: nothing of it is taken."""


@dataclass(frozen=True, slots=True)
class SpeechFlushed:
    """The answer to `speech.flush`: the turn's message is kept."""

    turn_id: str
    """Empty if nobody was speaking."""
    text: str
    run_id: str | None
    """Null if no run comes of it."""


@dataclass(frozen=True, slots=True)
class SpeechCancelled:
    """The answer to `speech.cancel`."""

    turn_id: str
    """Empty if nobody was speaking."""


@dataclass(frozen=True, slots=True)
class SpeechStanding:
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


async def _chunk(service: SpeechService, params: SpeechChunk, context: Context) -> SpeechTaken:
    utterance_id, seq, stable_chars = params.utterance_id, params.seq, params.stable_chars
    place = params.segment
    segment = None if place is None else Segment(place.speaker, place.stream, place.at, place.from_char)
    silence = (params.silent_ms, params.held)
    chunk = Chunk(utterance_id, seq, params.kind, params.text, stable_chars, *silence, segment)
    said = params.playing
    playing = None if said is None else Playing(MessageId(said.message_id), said.played_chars)
    thread_id = ThreadId(params.thread_id)
    now = await service.add_speech_chunk(thread_id, chunk, playing, context.caller.name, context.taken)
    return SpeechTaken(now.turn_id, now.state, now.late)


async def _flush(service: SpeechService, params: SpeechFlush, context: Context) -> SpeechFlushed:
    done = await service.force_flush_buffer(ThreadId(params.thread_id))
    return SpeechFlushed(done.turn_id, done.text, done.run_id or None)


async def _cancel(service: SpeechService, params: SpeechCancel, context: Context) -> SpeechCancelled:
    return SpeechCancelled(await service.drop_speech(ThreadId(params.thread_id)))


async def _status(service: SpeechService, params: SpeechStatus, context: Context) -> SpeechStanding:
    now = await service.get_buffer_status(ThreadId(params.thread_id))
    return SpeechStanding(now.exists, now.text, now.age_ms, now.state, now.turn_id, now.silent_ms)


def _spoken(params: SpeechChunk) -> float:
    """It is said just now."""
    return 0.0


METHODS: Final[Methods[SpeechService]] = Methods(
    "speech",
    (
        Method(
            "speech.chunk",
            SpeechChunk,
            SpeechTaken,
            "write",
            _chunk,
            Rest("POST", "/threads/{thread_id}/speech", "Take in a piece of what a recognizer hears."),
            Example(
                {"turn_id": "u-1", "state": "speaking", "late": False},
                {"utterance_id": "u-1", "seq": 3, "kind": "cumulative", "text": "what is the weather"},
            ),
            overlaps=True,
            idle_s=_spoken,
            needs="open",
        ),
        Method(
            "speech.flush",
            SpeechFlush,
            SpeechFlushed,
            "write",
            _flush,
            Rest("POST", "/threads/{thread_id}/speech/flush", "End the spoken turn now.", 202),
            Example({"turn_id": "u-1", "text": "what is the weather", "run_id": "run_77aa"}),
            needs="open",
        ),
        Method(
            "speech.cancel",
            SpeechCancel,
            SpeechCancelled,
            "write",
            _cancel,
            Rest("POST", "/threads/{thread_id}/speech/cancel", "Drop the spoken turn."),
            Example({"turn_id": "u-1"}),
            needs="open",
        ),
        Method(
            "speech.status",
            SpeechStatus,
            SpeechStanding,
            "read",
            _status,
            Rest("GET", "/threads/{thread_id}/speech", "What is being said, and how it stands."),
            Example(
                {
                    "exists": True,
                    "content": "what is the weather",
                    "age_ms": 1240,
                    "state": "speaking",
                    "turn_id": "u-1",
                    "silent_ms": 180,
                }
            ),
            needs="store",
        ),
    ),
)
