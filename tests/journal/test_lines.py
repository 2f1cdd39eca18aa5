"""A line is the event as clients get it, and says how far its thread is written."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.redact import MARK, Redactor
from sulla.gateway.commands import Event
from sulla.gateway.event_json import event_json
from sulla.journal.lines import START, JournalPosition, mark_of, read_example, read_line, to_line, unwritten
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.records import Input

THREAD = ThreadId("thr_1")
KEY = "sk-ant-0123456789"


def entry(seq: int, text: str = "hello", at_ms: int = 1_800_000_000_123) -> Entry:
    """A message."""
    data = Input(MessageId(f"msg_{seq}"), text).data()
    return Entry(seq, "INPUT", offered=True, origin=Origin(at_ms + seq, RunId("run_1"), "sulla"), data=data)


def test_a_line_is_the_event_that_clients_get() -> None:
    one = entry(7)
    source = one.origin
    event = Event(THREAD, 7, "run_1", None, "sulla", 0, "INPUT", source.at_ms, one.data)
    body = to_line(THREAD, one, Redactor()).body
    assert body.endswith(b"\n")
    assert body.count(b"\n") == 1
    assert orjson.loads(body) == event_json(event)
    assert list(orjson.loads(body)) == list(event_json(event))


def test_a_secret_is_taken_out_of_the_data_and_the_line_still_says_whose_it_is() -> None:
    line = to_line(THREAD, entry(7, f'say "{KEY}" and {{"key": "{KEY}"}}'), Redactor([KEY, "2027-01-15T08:00:00"]))
    assert KEY.encode() not in line.body
    assert orjson.loads(line.body)["data"]["text"] == f'say "{MARK}" and {{"key": "{MARK}"}}'
    assert read_line(line.body) == (THREAD, line.mark)


def test_a_line_says_how_far_its_thread_is_written() -> None:
    assert read_line(to_line(THREAD, entry(7), Redactor()).body) == (
        THREAD,
        JournalPosition(7, "2027-01-15T08:00:00.130Z"),
    )


def test_every_beginning_of_a_line_is_no_line() -> None:
    body = to_line(THREAD, entry(7), Redactor()).body
    assert [length for length in range(len(body)) if read_line(body[:length]) is not None] == []


@pytest.mark.parametrize(
    "raw", [b"\n", b"[]\n", b"{}\n", b'{"thread_id":"t","seq":"1","at":"x","data":{}}\n', b"\x00\x00\n", b"\xff\n"]
)
def test_what_is_no_event_is_no_line(raw: bytes) -> None:
    assert read_line(raw) is None
    assert read_example(raw) is None


def test_an_example_says_which_event_it_ends_with() -> None:
    raw = b'{"messages":[],"metadata":{"thread_id":"thr_1","seq":9,"at":"x"}}\n'
    assert read_example(raw) == (THREAD, JournalPosition(9, "x"))


def test_only_what_lies_behind_the_last_line_is_unwritten() -> None:
    page = [entry(3), entry(4), entry(5)]
    assert unwritten(page, mark_of(page[0])) == page[1:]
    assert unwritten([entry(3)], mark_of(entry(3))) == []
    assert unwritten(page, START) == page


@pytest.mark.parametrize("page", [[], [entry(4)], [entry(3, at_ms=1_800_000_001_000)]], ids=["short", "later", "other"])
def test_a_thread_that_was_deleted_and_made_anew_is_told_from_the_one_before(page: list[Entry]) -> None:
    assert unwritten(page, mark_of(entry(3))) is None
