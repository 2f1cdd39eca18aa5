"""What a daemon writes down of the speech that is open in it, as bytes and back. Pure.

Read again in their order, the records of a log make the same turns as when they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.core.ids import ThreadId
from sulla.speech.service import Playing
from sulla.speech.turn_taking.chunk import Chunk, Segment
from sulla.speech.turn_taking.events import EndReason
from sulla.speech.turn_taking.stored import StoredBuffer
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Record
from sulla.threads.log.spoken import Heard

SPEECH: Final = "SPEECH"
"""A record of the store: any number of those below."""


@dataclass(frozen=True, slots=True)
class ChunkTaken:
    """A chunk came."""

    thread_id: ThreadId
    at_ms: int
    chunk: Chunk
    playing: Playing | None = None


@dataclass(frozen=True, slots=True)
class QuestionKnown:
    """What the assistant has said before ends in this question, or in none."""

    thread_id: ThreadId
    at_ms: int
    question: str | None


@dataclass(frozen=True, slots=True)
class TurnForced:
    """Somebody had the turn end."""

    thread_id: ThreadId
    at_ms: int


@dataclass(frozen=True, slots=True)
class TurnDropped:
    """Somebody had the turn forgotten."""

    thread_id: ThreadId
    at_ms: int


@dataclass(frozen=True, slots=True)
class TurnJudged:
    """The oldest turn that is owed is a message, or none. From here on it is offered in the same words only."""

    thread_id: ThreadId
    at_ms: int
    turn_id: str
    deliver: bool
    heard: Heard | None = None
    said: EndedTurn | None = None
    """All of the turn: another version of the rules may make another one of the same chunks."""


@dataclass(frozen=True, slots=True)
class TurnSettled:
    """The oldest turn that is owed is delivered, or need not be."""

    thread_id: ThreadId
    at_ms: int
    turn_id: str


@dataclass(frozen=True, slots=True)
class ThreadLeft:
    """Nobody speaks in the thread any more: what is known of it is kept elsewhere, or the thread is gone."""

    thread_id: ThreadId
    at_ms: int


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """A turn that has ended and is owed to its thread."""

    id: str
    text: str
    reason: EndReason
    score: float
    detail: str
    waited_ms: int
    began_ms: int
    playing: Playing | None = None
    judged: bool = False
    deliver: bool = True
    heard: Heard | None = None
    ended_ms: int = 0


@dataclass(frozen=True, slots=True)
class ThreadBrought:
    """All that is known of a thread: what a log, or a new part of one, begins with."""

    thread_id: ThreadId
    at_ms: int
    stored: StoredBuffer
    playing: Playing | None = None
    owed: tuple[EndedTurn, ...] = ()
    version: int = 0
    """How often the thread was taken up until then: tells what is out of date."""


SpeechEntry = (
    ChunkTaken | QuestionKnown | TurnForced | TurnDropped | TurnJudged | TurnSettled | ThreadLeft | ThreadBrought
)


def to_draft(packed: Sequence[bytes]) -> Draft:
    """Entries as one record.

    Args:
        packed: each as `pack` makes it, in order.
    """
    return Draft(SPEECH, seal(SPEECH, b"[" + b",".join(packed) + b"]"))


def entries_of(record: Record, key: str) -> list[SpeechEntry]:
    """The entries of a record.

    Raises:
        CorruptRecord: it holds nothing that this version writes.
    """
    where = f"{key} record {record.seq}"
    try:
        return [_entry(values) for values in orjson.loads(unseal(SPEECH, record.body, where))]
    except _DAMAGE as error:
        raise CorruptRecord(f"{where}: not speech as this version writes it ({error})") from None


def pack(entry: SpeechEntry) -> bytes:
    """An entry as JSON: a list that begins with a letter, because most of what is written are chunks.

    What else an entry holds follows in the order of its fields, a value of several fields as a list of them.
    """
    if isinstance(entry, ChunkTaken):
        chunk = entry.chunk
        said = (chunk.utterance_id, chunk.seq, chunk.kind, chunk.text, chunk.stable_chars)
        silence = (chunk.silent_ms, chunk.held)
        more = (*silence, chunk.segment) if chunk.segment else silence if silence != (None, False) else ()
        return _dumps(("c", entry.thread_id, entry.at_ms, *said, entry.playing, *more))
    return _dumps((_LETTERS[type(entry)], *_fields(entry)))


def unpack(packed: bytes, where: str) -> SpeechEntry:
    """The entry that `pack` made this from.

    Raises:
        CorruptRecord: it made nothing like it.
    """
    try:
        return _entry(orjson.loads(packed))
    except _DAMAGE as error:
        raise CorruptRecord(f"{where}: not speech as this version writes it ({error})") from None


_DAMAGE: Final = (ValueError, TypeError, IndexError, KeyError, InvalidInput)


def _dumps(value: tuple[object, ...]) -> bytes:
    return orjson.dumps(value, _fields, orjson.OPT_PASSTHROUGH_DATACLASS)


def _fields(value: Any) -> tuple[object, ...]:  # noqa: ANN401 - any dataclass
    return tuple(getattr(value, name) for name in value.__slots__)


def _entry(values: Any) -> SpeechEntry:  # noqa: ANN401 - JSON
    letter, *rest = values
    if letter == "c":  # read without a detour: a log has thousands of them
        thread_id, at_ms, utterance_id, seq, kind, text, stable_chars, playing, *more = rest
        if len(more) > _BEFORE_SEGMENT:
            more[_BEFORE_SEGMENT] = _SEGMENT(more[_BEFORE_SEGMENT])
        chunk = Chunk(utterance_id, seq, kind, text, stable_chars, *more)
        return ChunkTaken(ThreadId(thread_id), int(at_ms), chunk, _PLAYING(playing))
    entry: SpeechEntry = _READERS[letter](rest)
    return entry


Reader = Callable[[Any], Any]


def _reader(kind: Any) -> Reader:  # noqa: ANN401 - a type, or what stands for one
    """What makes a value of a type from what JSON says of it."""
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return partial(_row, kind, [_reader(hints[field.name]) for field in fields(kind)])
    if isinstance(kind, UnionType):
        (inner,) = (_reader(one) for one in get_args(kind) if one is not NoneType)
        return lambda value: None if value is None else inner(value)
    if get_origin(kind) is tuple:
        first, second = get_args(kind)
        if second is ...:
            each = _reader(first)
            return lambda values: tuple(map(each, values))
        readers = (_reader(first), _reader(second))
        return lambda values: tuple(read(value) for read, value in zip(readers, values, strict=True))
    return kind if isinstance(kind, type) else str  # ids and the names of reasons are strings


def _row(kind: Reader, readers: Sequence[Reader], values: Sequence[Any]) -> object:
    if len(values) > len(readers):
        raise ValueError(f"{len(values)} values for {len(readers)} fields")
    return kind(*(read(value) for read, value in zip(readers, values, strict=False)))  # later fields have defaults


_LETTERS: Final[dict[type, str]] = {
    QuestionKnown: "q",
    TurnForced: "f",
    TurnDropped: "d",
    TurnJudged: "j",
    TurnSettled: "s",
    ThreadLeft: "l",
    ThreadBrought: "b",
}
_READERS: Final = {letter: _reader(kind) for kind, letter in _LETTERS.items()}
_PLAYING: Final = _reader(Playing | None)
_SEGMENT: Final = _reader(Segment | None)
_BEFORE_SEGMENT: Final = 2
"""How much else may follow in a chunk's entry."""
