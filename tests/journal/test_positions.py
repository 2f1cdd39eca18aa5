"""The table of how far each thread was written: found by halving, merged in one pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.journal.lines import JournalPosition
from sulla.journal.positions import encode, look_up, merged, rows_behind

names = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), min_size=1, max_size=6)
tables = st.dictionaries(
    names.map(ThreadId), st.builds(JournalPosition, st.integers(1, 99), st.sampled_from(["a", "b"]))
)


def table(rows: dict[ThreadId, JournalPosition]) -> bytes:
    """Rows as a table."""
    return b"".join(encode(row) for row in sorted(rows.items()))


@given(rows=tables, other=names.map(ThreadId))
def test_every_thread_is_found_and_no_other(rows: dict[ThreadId, JournalPosition], other: ThreadId) -> None:
    made = table(rows)
    assert {thread_id: look_up(made, thread_id) for thread_id in rows} == rows
    assert look_up(made, other) == rows.get(other)


@given(rows=tables, low=names, high=st.none() | names)
def test_a_range_has_the_rows_between_its_ends(
    rows: dict[ThreadId, JournalPosition], low: str, high: str | None
) -> None:
    found = list(rows_behind(table(rows), low, high))
    assert found == [row for row in sorted(rows.items()) if low < row[0] and (high is None or row[0] <= high)]


@given(old=tables, newer=tables, gone=st.sets(names.map(ThreadId)))
def test_the_next_table_has_the_newer_row_of_each_thread_that_is_still_there(
    old: dict[ThreadId, JournalPosition], newer: dict[ThreadId, JournalPosition], gone: set[ThreadId]
) -> None:
    kept = {thread_id: mark for thread_id, mark in (old | newer).items() if thread_id not in gone}
    assert list(merged(table(old), newer, gone)) == sorted(kept.items())


def test_few_rows_are_looked_at_however_many_there_are() -> None:
    made = table({ThreadId(f"thr_{number:06}"): JournalPosition(number, "x") for number in range(20_000)})
    looked_at = 0

    class Counted(bytes):
        def __getitem__(self, index: object) -> bytes:  # type: ignore[override]  # only slices are asked for
            nonlocal looked_at
            looked_at += 1
            return super().__getitem__(index)  # type: ignore[call-overload,no-any-return]  # as it came

    assert look_up(Counted(made), ThreadId("thr_012345")) == JournalPosition(12345, "x")
    assert looked_at < 25


@pytest.mark.parametrize("made", [b"x\n", b'["a",1]\n', b'["a","1","x"]\n', b'["a",1,"x"]', b"\n"])
def test_a_row_that_is_none_is_never_read_as_nothing(made: bytes) -> None:
    with pytest.raises(CorruptRecord, match="byte 0"):
        look_up(made, ThreadId("a"))
