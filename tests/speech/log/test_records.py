from __future__ import annotations

from random import Random

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.ids import MessageId, ThreadId
from sulla.speech.log.records import (
    SPEECH,
    ChunkTaken,
    EndedTurn,
    QuestionKnown,
    SpeechEntry,
    ThreadBrought,
    ThreadLeft,
    TurnDropped,
    TurnForced,
    TurnJudged,
    TurnSettled,
    entries_of,
    pack,
    to_draft,
    unpack,
)
from sulla.speech.service import Playing
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.store import Record, seal
from sulla.threads import Heard
from tests.speech.streams import ENGLISH, play, profile_of, sentence, utterance

THREAD = ThreadId("t")
PLAYING = Playing(MessageId("m"), 3)
HEARD = Heard(MessageId("m"), 2)
TURN = EndedTurn(
    "u", "hello", "complete", 0.85, "rule", 200, 5, PLAYING, judged=True, deliver=False, heard=HEARD, ended_ms=9
)
ENTRIES: list[SpeechEntry] = [
    ChunkTaken(THREAD, 1, Chunk("u", 7, "cumulative", 'héllo\n"you"', 3), PLAYING),
    ChunkTaken(THREAD, 2, Chunk("u", 8, "final", "")),
    QuestionKnown(THREAD, 3, "which?"),
    QuestionKnown(THREAD, 3, None),
    TurnForced(THREAD, 4),
    TurnDropped(THREAD, 5),
    TurnJudged(THREAD, 6, "u", True, HEARD),
    TurnJudged(THREAD, 6, "u", False),
    TurnJudged(THREAD, 6, "u", False, HEARD, TURN),
    TurnSettled(THREAD, 7, "u"),
    ThreadLeft(THREAD, 8),
    ThreadBrought(THREAD, 9, SpeechBuffer().kept(), PLAYING, (TURN, EndedTurn("v", "x", "final", 0.0, "", 0, 1)), 4),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_is_read_as_it_was_written(entry: SpeechEntry) -> None:
    assert unpack(pack(entry), "here") == entry


def test_many_entries_are_one_record() -> None:
    draft = to_draft([pack(entry) for entry in ENTRIES])
    assert entries_of(Record(2, draft.kind, False, draft.body), "log") == ENTRIES


@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_buffer_knows_is_read_as_it_was_written(seed: int) -> None:
    chance = Random(seed)
    buffer = SpeechBuffer(profile_of(chance), ENGLISH)
    heard = utterance(chance, "u", sentence(chance), 0)
    play(buffer, heard[: chance.randint(0, len(heard))])
    brought = ThreadBrought(THREAD, 1, buffer.kept())
    assert unpack(pack(brought), "here") == brought


DAMAGED = [
    b"[1]",
    b'[["x","t",1]]',
    b'[["c","t",1]]',
    b'[["c","t",1,"u",-1,"delta","",0,null]]',
    b'[["b","t",1,[],null,[],0]]',
    b"[[",
]


@pytest.mark.parametrize("payload", DAMAGED)
def test_what_no_version_writes_is_corrupt(payload: bytes) -> None:
    with pytest.raises(CorruptRecord, match="log record 2"):
        entries_of(Record(2, SPEECH, False, seal(SPEECH, payload)), "log")
    with pytest.raises(CorruptRecord, match="here"):
        unpack(payload, "here")


def test_a_changed_byte_is_found() -> None:
    draft = to_draft([pack(ENTRIES[0])])
    body = draft.body.replace(b"you", b"yoU")
    with pytest.raises(CorruptRecord, match="checksum"):
        entries_of(Record(2, SPEECH, False, body), "log")
