from __future__ import annotations

from random import Random

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.ids import MessageId, ThreadId
from sulla.speech.log.records import (
    SPEECH,
    Asked,
    Brought,
    Dropped,
    Entry,
    Fed,
    Forced,
    Judged,
    Left,
    Settled,
    Turn,
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
TURN = Turn(
    "u", "hello", "complete", 0.85, "rule", 200, 5, PLAYING, judged=True, deliver=False, heard=HEARD, ended_ms=9
)
ENTRIES: list[Entry] = [
    Fed(THREAD, 1, Chunk("u", 7, "cumulative", 'héllo\n"you"', 3), PLAYING),
    Fed(THREAD, 2, Chunk("u", 8, "final", "")),
    Asked(THREAD, 3, "which?"),
    Asked(THREAD, 3, None),
    Forced(THREAD, 4),
    Dropped(THREAD, 5),
    Judged(THREAD, 6, "u", True, HEARD),
    Judged(THREAD, 6, "u", False),
    Judged(THREAD, 6, "u", False, HEARD, TURN),
    Settled(THREAD, 7, "u"),
    Left(THREAD, 8),
    Brought(THREAD, 9, SpeechBuffer().kept(), PLAYING, (TURN, Turn("v", "x", "final", 0.0, "", 0, 1)), 4),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
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
    brought = Brought(THREAD, 1, buffer.kept())
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
