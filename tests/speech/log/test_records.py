from __future__ import annotations

from dataclasses import replace
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
from sulla.speech.turn_taking.chunk import Chunk, Segment
from sulla.speech.turn_taking.detector import Style
from sulla.speech.turn_taking.silence import Silence
from sulla.speech.turn_taking.stored import StoredBuffer, StoredSegment, StoredTurn, StoredUtterance
from sulla.store.sealing import seal
from sulla.store.values import Record
from sulla.threads.log.spoken import Heard
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
    ThreadBrought(THREAD, 9, SpeechBuffer().stored(), PLAYING, (TURN, EndedTurn("v", "x", "final", 0.0, "", 0, 1)), 4),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_is_read_as_it_was_written(entry: SpeechEntry) -> None:
    assert unpack(pack(entry), "here") == entry


STORED = StoredBuffer(
    (StoredUtterance("u", ("a", "b"), 3, ("a",), ((4, "c d"), (5, "e")), (5,), ("z",), 1, False, 2, 7, 6),),
    ("old",),
    StoredTurn("u", 1, 2, "a b c", looked=True, eager=False, silence=Silence(3, 4, sure=True, held=True)),
    "which?",
    512.5,
    None,
    8,
    Style(1, 2),
    (StoredSegment("u", "channel 0", "r", 1200, 4, 1, 3, None, 7, 9, "v"),),
    (("channel 0/r", 3),),
)
TURN_JSON = '["u","hello","complete",0.85,"rule",200,5,["m",3],true,false,["m",2],9]'
WRITTEN = [
    (ENTRIES[0], '["c","t",1,"u",7,"cumulative","héllo\\n\\"you\\"",3,["m",3]]'),
    (ENTRIES[1], '["c","t",2,"u",8,"final","",0,null]'),
    (ENTRIES[2], '["q","t",3,"which?"]'),
    (ENTRIES[4], '["f","t",4]'),
    (ENTRIES[5], '["d","t",5]'),
    (ENTRIES[7], '["j","t",6,"u",false,null,null]'),
    (ENTRIES[8], f'["j","t",6,"u",false,["m",2],{TURN_JSON}]'),
    (ENTRIES[9], '["s","t",7,"u"]'),
    (ENTRIES[10], '["l","t",8]'),
    (
        ThreadBrought(THREAD, 9, STORED, PLAYING, (TURN,), 4),
        (
            '["b","t",9,[[["u",["a","b"],3,["a"],[[4,"c d"],[5,"e"]],[5],["z"],1,false,2,7,6]],["old"],'
            f'["u",1,2,"a b c",true,false,[3,4,true,false,true]],"which?",512.5,null,8,[1,2],'
            f'[["u","channel 0","r",1200,4,1,3,null,7,9,"v"]],[["channel 0/r",3]]],["m",3],[{TURN_JSON}],4]'
        ),
    ),
    (
        ChunkTaken(THREAD, 1, Chunk("u", 7, "cumulative", "no", 2, 300, held=True)),
        '["c","t",1,"u",7,"cumulative","no",2,null,300,true]',
    ),
    (
        ChunkTaken(THREAD, 1, Chunk("u", 7, "cumulative", "no", 2, 300, segment=Segment("vosk", "r", 5, 1))),
        '["c","t",1,"u",7,"cumulative","no",2,null,300,false,["vosk","r",5,1]]',
    ),
]


@pytest.mark.parametrize(("entry", "stored"), WRITTEN)
def test_what_is_stored_stays_as_it_is(entry: SpeechEntry, stored: str) -> None:
    assert pack(entry).decode() == stored
    assert unpack(stored.encode(), "here") == entry


def test_what_was_written_before_there_was_more_to_know_is_read() -> None:
    before = (
        '["b","t",9,[[["u",["a","b"],3,["a"],[[4,"c d"],[5,"e"]],[5],["z"],1,false,2,7]],["old"],'
        f'["u",1,2,"a b c",true,false],"which?",512.5,null,8],["m",3],[{TURN_JSON}],4]'
    )
    assert STORED.turn is not None
    was = replace(
        STORED,
        style=Style(),
        utterances=(replace(STORED.utterances[0], chars=0),),
        turn=replace(STORED.turn, silence=None),
        segments=(),
        streams=(),
    )
    assert unpack(before.encode(), "here") == ThreadBrought(THREAD, 9, was, PLAYING, (TURN,), 4)


def test_many_entries_are_one_record() -> None:
    draft = to_draft([pack(entry) for entry in ENTRIES])
    assert entries_of(Record(2, draft.kind, False, draft.body), "log") == ENTRIES


@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_buffer_knows_is_read_as_it_was_written(seed: int) -> None:
    chance = Random(seed)
    buffer = SpeechBuffer(profile_of(chance), ENGLISH)
    heard = utterance(chance, "u", sentence(chance), 0)
    play(buffer, heard[: chance.randint(0, len(heard))])
    brought = ThreadBrought(THREAD, 1, buffer.stored())
    assert unpack(pack(brought), "here") == brought


DAMAGED = [
    b"[1]",
    b'[["x","t",1]]',
    b'[["c","t",1]]',
    b'[["c","t",1,"u",-1,"delta","",0,null]]',
    b'[["b","t",1,[],null,[],0]]',
    b'["b","t",1,[[],[],null,null,0,null],null,[],0]',
    b'["s","t",1]',
    b'["s","t",1,"u","v"]',
    b'[["s","t",1]]',
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
