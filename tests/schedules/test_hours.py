from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.schedules.hours import Hours, parse_hours
from tests.schedules.oracle import MINUTE_MS, ZONES

START = round(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("09:00-18:00", Hours(540, 1080)),
        ("9:00-24:00", Hours(540, 0)),
        ("mon-fri 09:00-18:00", Hours(540, 1080, (0, 1, 2, 3, 4))),
        ("Sat,Sun 10:30-12:00", Hours(630, 720, (5, 6))),
        ("fri-mon 22:00-06:00", Hours(1320, 360, (0, 4, 5, 6))),
        ("tue 00:00-00:00", Hours(0, 0, (1,))),
    ],
)
def test_hours_are_read_as_people_write_them_and_written_so_that_they_read_the_same(text: str, hours: Hours) -> None:
    assert parse_hours(text) == hours
    assert parse_hours(str(hours)) == hours


@pytest.mark.parametrize(
    "text", ["", "9-18", "09:00", "25:00-26:00", "09:60-10:00", "24:30-01:00", "mo 09:00-10:00", "mon- 9:00-10:00"]
)
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"active hours: .*mon-fri 09:00-18:00"):
        parse_hours(text)


@given(
    start=st.integers(0, 1439),
    end=st.integers(0, 1439),
    days=st.sets(st.integers(0, 6), min_size=1),
    zone=st.sampled_from(ZONES),
    at=st.integers(0, 3650 * 1440),
)
def test_they_open_at_the_first_minute_that_is_within(start: int, end: int, days: set[int], zone: str, at: int) -> None:
    hours, there = Hours(start, end, tuple(sorted(days))), ZoneInfo(zone)
    at_ms = START + at * MINUTE_MS
    while hours.contains(at_ms, there):
        at_ms += MINUTE_MS * 61
        if at_ms > START + 3700 * 1440 * MINUTE_MS:
            return  # open around the clock
        if len(days) == 7 and start == end:
            return
    opens_ms = hours.next_open(at_ms, there)
    assert opens_ms > at_ms
    assert hours.contains(opens_ms, there)
    # Not a minute before, as far as one can look back in a moment.
    assert not any(
        hours.contains(before_ms, there)
        for before_ms in range(max(at_ms, opens_ms - 1440 * MINUTE_MS), opens_ms, 7 * MINUTE_MS)
    )
