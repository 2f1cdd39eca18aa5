from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.errors import CorruptRecord
from sulla.store.values import Draft, Record
from sulla.threads.log.codec import Origin, encode
from sulla.threads.log.records import StopAsked
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.recent import LARGEST_BYTES, RecentEntries


def record(seq: int, at_ms: int = 0, agent: str = "") -> Record:
    draft = encode(StopAsked(), Origin(at_ms, agent=agent))
    return Record(seq, draft.kind, True, draft.body)


def recent(kept_bytes: int = 10_000) -> RecentEntries:
    return RecentEntries(ThreadSchema(lambda message: 0), kept_bytes)


def test_the_same_record_is_opened_once() -> None:
    shared, one = recent(), record(1)
    assert shared.decode(one, "thr_1") is shared.decode(replace(one), "thr_1")


def test_threads_do_not_share() -> None:
    shared = recent()
    assert shared.decode(record(1, agent="a"), "thr_1").origin.agent == "a"
    assert shared.decode(record(1, agent="b"), "thr_2").origin.agent == "b"


def test_a_thread_that_is_made_again_under_its_name_has_its_own_records() -> None:
    shared = recent()
    assert shared.decode(record(1, at_ms=1), "thr_1").origin.at_ms == 1
    assert shared.decode(record(1, at_ms=2), "thr_1").origin.at_ms == 2


def test_what_is_kept_is_bounded_and_the_oldest_goes_first() -> None:
    one, size = record(1), len(record(1).body)
    shared = recent(3 * size)
    first, second = shared.decode(one, "thr_1"), shared.decode(record(2), "thr_1")
    shared.decode(record(3), "thr_1")
    assert shared.decode(one, "thr_1") is first  # and now it is the newest
    shared.decode(record(4), "thr_1")
    assert shared.decode(one, "thr_1") is first
    assert shared.decode(record(2), "thr_1") is not second


def test_what_was_written_is_what_the_store_would_give() -> None:
    shared, records = recent(), [record(seq, at_ms=seq) for seq in (7, 8)]
    drafts = [Draft(one.kind, one.body) for one in records]
    written = shared.written("thr_1", drafts, 8, offered=True)
    assert written is not None
    assert written.records == records
    assert written.entries() == [shared.decode(one, "thr_1") for one in records]


def test_what_is_large_is_not_passed_on() -> None:
    large = Draft("INPUT", b"x" * (LARGEST_BYTES + 1))
    assert recent().written("thr_1", [large], 1, offered=True) is None


def test_a_large_record_pushes_nothing_out() -> None:
    shared, one, large = recent(), record(1), record(2, agent="x" * LARGEST_BYTES)
    first = shared.decode(one, "thr_1")
    assert shared.decode(large, "thr_1") is not shared.decode(large, "thr_1")
    assert shared.decode(one, "thr_1") is first


def test_what_cannot_be_read_is_refused_each_time() -> None:
    shared, broken = recent(), replace(record(1), body=b"no record")
    for _ in range(2):
        with pytest.raises(CorruptRecord):
            shared.decode(broken, "thr_1")
    assert shared.decode(record(1), "thr_1").seq == 1
