"""The records of the kill switch: read as they were written, and nothing else."""

from __future__ import annotations

import pytest

from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.store.sealing import seal
from sulla.store.values import Record
from sulla.work.pauses import MAX_REASON, SwitchTurned, WorkPause, check_reason, decode, encode

PAUSED = SwitchTurned(True, 1_800_000_000_000, "owner", "it orders pizza")


def record(kind: str, payload: bytes) -> Record:
    return Record(1, kind, True, seal(kind, payload))


@pytest.mark.parametrize("turned", [PAUSED, SwitchTurned(False, 5, "ci")])
def test_a_record_is_read_as_it_was_written(turned: SwitchTurned) -> None:
    draft = encode(turned)
    assert decode(Record(1, draft.kind, True, draft.body)) == turned


def test_a_pause_says_who_when_and_why() -> None:
    assert PAUSED.pause == WorkPause(1_800_000_000_000, "owner", "it orders pizza")
    assert PAUSED.pause.text().startswith("paused by owner since 2027-01-15T08:00:00.000Z: it orders pizza")
    assert PAUSED.pause.shown() == {"since": "2027-01-15T08:00:00.000Z", "by": "owner", "reason": "it orders pizza"}
    assert SwitchTurned(False, 5, "ci").pause is None


@pytest.mark.parametrize(
    "damaged",
    [
        record("PAUSED", b"{"),
        record("PAUSED", b"[]"),
        record("PAUSED", b'{"at_ms":"1","by":"owner","reason":""}'),
        record("SLEPT", b'{"at_ms":1,"by":"owner","reason":""}'),
        Record(1, "PAUSED", True, b"not sealed"),
    ],
)
def test_what_was_not_written_so_is_corrupt(damaged: Record) -> None:
    with pytest.raises(CorruptRecord, match="system:switch record 1"):
        decode(damaged)


@pytest.mark.parametrize("reason", ["two\nlines", "\x1b[2J", "x" * (MAX_REASON + 1)])
def test_a_reason_is_one_line(reason: str) -> None:
    with pytest.raises(InvalidInput, match="reason: expected one line"):
        check_reason(reason)
