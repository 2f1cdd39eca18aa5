"""What a daemon writes down of the speech that is open in it, as bytes and back. Pure.

Read again in their order, the records of a log make the same turns as when they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.core.ids import MessageId, ThreadId
from sulla.speech.service import Playing
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import EndReason
from sulla.speech.turn_taking.kept import StoredBuffer, StoredTurn, StoredUtterance
from sulla.store import Draft, Record, seal, unseal
from sulla.threads import Heard

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
    kept: StoredBuffer
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
        return [_entry(line) for line in orjson.loads(unseal(SPEECH, record.body, where))]
    except (ValueError, TypeError, IndexError, KeyError, InvalidInput) as error:
        raise CorruptRecord(f"{where}: not speech as this version writes it ({error})") from None


def pack(entry: SpeechEntry) -> bytes:
    """An entry as JSON: a list that begins with a letter, because most of what is written are chunks."""
    match entry:
        case ChunkTaken(thread_id, at_ms, chunk, playing):
            heard = _playing(playing)
            said = (chunk.utterance_id, chunk.seq, chunk.kind, chunk.text, chunk.stable_chars)
            return orjson.dumps(("c", thread_id, at_ms, *said, heard))
        case QuestionKnown(thread_id, at_ms, question):
            return orjson.dumps(("q", thread_id, at_ms, question))
        case TurnForced(thread_id, at_ms):
            return orjson.dumps(("f", thread_id, at_ms))
        case TurnDropped(thread_id, at_ms):
            return orjson.dumps(("d", thread_id, at_ms))
        case TurnJudged(thread_id, at_ms, turn_id, deliver, heard, said_turn):
            whole = _turn(said_turn) if said_turn is not None else None
            return orjson.dumps(("j", thread_id, at_ms, turn_id, deliver, _heard(heard), whole))
        case TurnSettled(thread_id, at_ms, turn_id):
            return orjson.dumps(("s", thread_id, at_ms, turn_id))
        case ThreadLeft(thread_id, at_ms):
            return orjson.dumps(("l", thread_id, at_ms))
        case ThreadBrought(thread_id, at_ms, kept, playing, owed, version):
            turns = [_turn(turn) for turn in owed]
            return orjson.dumps(("b", thread_id, at_ms, _kept(kept), _playing(playing), turns, version))


def unpack(packed: bytes, where: str) -> SpeechEntry:
    """The entry that `pack` made this from.

    Raises:
        CorruptRecord: it made nothing like it.
    """
    try:
        return _entry(orjson.loads(packed))
    except (ValueError, TypeError, IndexError, KeyError, InvalidInput) as error:
        raise CorruptRecord(f"{where}: not speech as this version writes it ({error})") from None


def _entry(line: Any) -> SpeechEntry:  # noqa: ANN401 - JSON
    letter, thread_id, at_ms, *rest = line
    return _READERS[letter](ThreadId(thread_id), int(at_ms), rest)


def _fed(thread_id: ThreadId, at_ms: int, rest: list[Any]) -> ChunkTaken:
    utterance_id, seq, kind, text, stable_chars, heard = rest
    return ChunkTaken(thread_id, at_ms, Chunk(utterance_id, seq, kind, text, stable_chars), _to_playing(heard))


def _judged(thread_id: ThreadId, at_ms: int, rest: list[Any]) -> TurnJudged:
    turn_id, deliver, heard, said = rest
    return TurnJudged(thread_id, at_ms, turn_id, bool(deliver), _to_heard(heard), _to_turn(said) if said else None)


def _brought(thread_id: ThreadId, at_ms: int, rest: list[Any]) -> ThreadBrought:
    kept, playing, owed, version = rest
    turns = tuple(map(_to_turn, owed))
    return ThreadBrought(thread_id, at_ms, _to_kept(kept), _to_playing(playing), turns, int(version))


_READERS: Final[dict[str, Callable[[ThreadId, int, list[Any]], SpeechEntry]]] = {
    "c": _fed,
    "q": lambda thread_id, at_ms, rest: QuestionKnown(thread_id, at_ms, rest[0]),
    "f": lambda thread_id, at_ms, rest: TurnForced(thread_id, at_ms),
    "d": lambda thread_id, at_ms, rest: TurnDropped(thread_id, at_ms),
    "j": _judged,
    "s": lambda thread_id, at_ms, rest: TurnSettled(thread_id, at_ms, rest[0]),
    "l": lambda thread_id, at_ms, rest: ThreadLeft(thread_id, at_ms),
    "b": _brought,
}


def _playing(playing: Playing | None) -> tuple[str, int] | None:
    return None if playing is None else (playing.message_id, playing.played_chars)


def _to_playing(value: Any) -> Playing | None:  # noqa: ANN401 - JSON
    return None if value is None else Playing(MessageId(value[0]), int(value[1]))


def _heard(heard: Heard | None) -> tuple[str, int] | None:
    return None if heard is None else (heard.message_id, heard.chars)


def _to_heard(value: Any) -> Heard | None:  # noqa: ANN401 - JSON
    return None if value is None else Heard(MessageId(value[0]), int(value[1]))


def _turn(turn: EndedTurn) -> tuple[object, ...]:
    verdict = (turn.judged, turn.deliver, _heard(turn.heard))
    said = (turn.id, turn.text, turn.reason, turn.score, turn.detail, turn.waited_ms, turn.began_ms)
    return (*said, _playing(turn.playing), *verdict, turn.ended_ms)


def _to_turn(value: list[Any]) -> EndedTurn:
    name, text, reason, score, detail, waited_ms, began_ms, playing, judged, deliver, heard, ended_ms = value
    said = (str(name), str(text), reason, float(score), str(detail), int(waited_ms), int(began_ms))
    return EndedTurn(*said, _to_playing(playing), bool(judged), bool(deliver), _to_heard(heard), int(ended_ms))


def _kept(kept: StoredBuffer) -> tuple[object, ...]:
    turn = kept.turn
    open_turn = None if turn is None else (turn.id, turn.first_ms, turn.last_ms, turn.text, turn.looked, turn.eager)
    utterances = [_utterance(one) for one in kept.utterances]
    pace = (kept.pause_mean_ms, kept.spoke_ms)
    return (utterances, kept.closed, open_turn, kept.question, *pace, kept.now_ms)


def _to_kept(value: list[Any]) -> StoredBuffer:
    utterances, closed, turn, question, mean_ms, spoke_ms, now_ms = value
    open_turn = None if turn is None else StoredTurn(*turn)
    opened = tuple(map(_to_utterance, utterances))
    return StoredBuffer(opened, _words(closed), open_turn, question, float(mean_ms), spoke_ms, int(now_ms))


def _utterance(one: StoredUtterance) -> tuple[object, ...]:
    words = (one.base, one.base_seq, one.line, one.deltas, one.used, one.taken)
    return (one.id, *words, one.forgotten, one.closed, one.parts, one.stable_chars)


def _to_utterance(value: list[Any]) -> StoredUtterance:
    name, base, base_seq, line, deltas, used, taken, forgotten, closed, parts, stable_chars = value
    pieces = tuple((int(seq), str(text)) for seq, text in deltas)
    numbers = tuple(int(seq) for seq in used)
    rest = (int(forgotten), bool(closed), int(parts), int(stable_chars))
    return StoredUtterance(name, _words(base), int(base_seq), _words(line), pieces, numbers, _words(taken), *rest)


def _words(words: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(str, words))
