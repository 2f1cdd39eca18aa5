"""Times as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.stamp import stamp, unstamp


def test_a_time_is_written_in_utc_with_milliseconds() -> None:
    assert stamp(1_800_000_000_007) == "2027-01-15T08:00:00.007Z"


@given(st.integers(0, 253_402_300_799_999))
def test_what_was_written_is_read_back(at_ms: int) -> None:
    assert unstamp(stamp(at_ms)) == at_ms


@given(st.integers(0, 10**13), st.integers(0, 10**13))
def test_times_sort_as_texts(one_ms: int, other_ms: int) -> None:
    assert (stamp(one_ms) < stamp(other_ms)) is (one_ms < other_ms)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2027-01-15T08:00:00Z",
        "2027-01-15T08:00:00.000",
        "2027-01-15T08:00:00.000+00:00",
        "2027-01-15 08:00:00.000Z",
        "2027-02-30T08:00:00.000Z",
        "2027-01-15T08:00:00.000000Z",
    ],
)
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - what it says about a date is the library's
        unstamp(text)
