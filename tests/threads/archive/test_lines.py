"""The form of a thread's file: what goes in comes out, and whatever is not whole is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import Conflict, InvalidInput
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.threads.archive.lines import MAX_LINE_BYTES, Sealer, Unsealer, entry_of, event_of
from sulla.threads.log import records as f
from sulla.threads.log.codec import Entry, Origin

THREAD = ThreadId("thr_9b2d")
KINDS = ("THREAD_CREATED", "INPUT", "RUN_STARTED", "TEXT_MESSAGE_END", "RUN_FINISHED")
OFFERED = {"THREAD_CREATED", "INPUT"}

texts = st.text(st.characters(codec="utf-8"), max_size=20)
runs = st.none() | st.builds(RunId, texts)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
origins = st.builds(Origin, st.integers(0, 2**42), runs, texts, runs, st.integers(0, 3))


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))
    data = st.dictionaries(texts, values, max_size=3)
    return [Entry(seq, kind, kind in OFFERED, draw(origins), draw(data)) for seq, kind in enumerate(kinds, 1)]


def sealed(*entries: Entry) -> list[bytes]:
    sealer = Sealer(THREAD)
    return [sealer.first(), *(sealer.event(event_of(THREAD, entry)) for entry in entries), sealer.last()]


def unsealed(*lines: bytes) -> list[Entry]:
    file = Unsealer(THREAD_SCHEMA)
    entries = [entry for line in lines if (entry := file.take(line)) is not None]
    file.done()
    return entries


def small() -> list[bytes]:
    said = f.Input(MessageId("m-1"), "Grüße\u2028\x1b[2J")
    return sealed(
        Entry(1, "THREAD_CREATED", True, Origin(1_800_000_000_000), f.ThreadCreated("sulla", "Rome").data()),
        Entry(2, "INPUT", True, Origin(1_800_000_000_250, RunId("run_1")), said.data()),
    )


# ------------------------------------------------------------------------------------------------------ round trip


@given(logs())
def test_what_goes_in_comes_out(entries: list[Entry]) -> None:
    assert unsealed(*sealed(*entries)) == entries


@given(logs())
def test_a_file_is_ascii_and_has_one_object_per_line(entries: list[Entry]) -> None:
    lines = sealed(*entries)
    assert len(lines) == len(entries) + 2
    for line in lines:
        assert line.isascii()
        assert line.endswith(b"\n")
        assert b"\n" not in line[:-1]
        assert isinstance(json.loads(line), dict)


def test_the_first_and_the_last_line_are_what_the_page_says() -> None:
    first, *_, last = (json.loads(line) for line in small())
    assert first == {"format": "sulla-thread", "version": 1, "thread_id": "thr_9b2d"}
    assert last["count"] == 2
    assert last["digest"].startswith("sha256:")
    assert set(last) == {"count", "digest"}


def test_the_same_thread_gives_the_same_file() -> None:
    assert small() == small()


def test_a_thread_that_changes_while_it_is_read_is_not_sealed() -> None:
    sealer = Sealer(THREAD)
    sealer.first()
    with pytest.raises(Conflict, match=r"found record 2, expected 1; export the thread again"):
        sealer.event(event_of(THREAD, Entry(2, "STOP", True, Origin(0), {})))


# ---------------------------------------------------------------------------------------------------------- damage


def split(raw: bytes) -> list[bytes]:
    return raw.splitlines(keepends=True)


def test_a_file_that_was_cut_anywhere_is_refused() -> None:
    whole = b"".join(small())
    for end in range(len(whole)):
        with pytest.raises(InvalidInput):
            unsealed(*split(whole[:end]))
    assert len(unsealed(*split(whole))) == 2


def test_a_file_with_any_byte_changed_is_refused() -> None:
    whole = b"".join(small())
    for place in range(len(whole)):
        with pytest.raises(InvalidInput):
            unsealed(*split(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]))


def test_a_missing_line_is_told_from_a_changed_one() -> None:
    first, created, said, last = small()
    with pytest.raises(InvalidInput, match=r"line 2: found record 2, expected 1: the file was cut or changed"):
        unsealed(first, said, last)
    with pytest.raises(InvalidInput, match=r"line 3: it counts 2 records, but there are 1"):
        unsealed(first, created, last)
    with pytest.raises(InvalidInput, match=r"line 4: the digest does not match"):
        unsealed(first, created, said.replace(b"m-1", b"m-2"), last)
    with pytest.raises(InvalidInput, match=r"the file is cut: it ends after 3 lines"):
        unsealed(first, created, said)
    with pytest.raises(InvalidInput, match=r"line 5: something follows the line with count and digest"):
        unsealed(first, created, said, last, b"\n")


def test_a_line_that_no_record_could_fill_is_refused_unread() -> None:
    with pytest.raises(InvalidInput, match=rf"line 2: it has more than {MAX_LINE_BYTES} bytes"):
        unsealed(small()[0], b" " * (MAX_LINE_BYTES + 1))


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b"", "not JSON"),
        (b"\x7fELF", "this is no file of `sulla thread export`"),
        (b"[1]", "this is no file of `sulla thread export`"),
        (b"{}", "this is no file of `sulla thread export`"),
        (b'{"format":"sulla-thread","version":2,"thread_id":"thr_1"}', "reads version 1; a later Sulla"),
        (b'{"format":"sulla-thread","version":1}', "names no thread"),
        (b'{"format":"sulla-thread","version":1,"thread_id":"../up"}', "names no thread"),
        (b'{"format":"sulla-thread","version":1,"thread_id":""}', "names no thread"),
    ],
)
def test_a_file_of_something_else_is_refused_at_its_first_line(first: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=r"^line 1: ") as refused:
        unsealed(first + b"\n")
    assert said in refused.value.message


EVENT: JsonObject = event_of(THREAD, Entry(3, "STOP", True, Origin(0), {}))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seq": "3"}, 'seq: found "3", expected a whole number'),
        ({"seq": True}, "seq: found true, expected a whole number"),
        ({"depth": 0.5}, "depth: found 0.5, expected a whole number"),
        ({"agent": None}, "agent: found null, expected a text"),
        ({"run_id": 7}, "run_id: found 7, expected a text"),
        ({"at": "today"}, "at: "),
        ({"at": 0}, "at: found 0, expected a text"),
        ({"data": []}, "data: found [], expected an object"),
        ({"thread_id": "thr_other"}, "but the file is of 'thr_9b2d'"),
        ({"new": 1}, "'new' is no field of an event; a later Sulla may have made it"),
    ],
)
def test_what_is_no_event_is_explained(changed: JsonObject, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        entry_of(THREAD_SCHEMA, EVENT | changed, THREAD)
    assert said in refused.value.message


@pytest.mark.parametrize("name", EVENT)
def test_every_field_has_to_be_there(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"the field '{name}' is missing"):
        entry_of(THREAD_SCHEMA, {key: value for key, value in EVENT.items() if key != name}, THREAD)


def test_a_line_that_is_no_object_is_no_event() -> None:
    with pytest.raises(InvalidInput, match=r"expected an event, found \[\]"):
        entry_of(THREAD_SCHEMA, [], THREAD)
