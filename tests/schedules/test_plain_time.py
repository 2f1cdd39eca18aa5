"""Times in plain English are read as they are meant, or refused with what was understood."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from sulla.core.errors import InvalidInput
from sulla.schedules.hours import utc_ms
from sulla.schedules.plain_time import read_time, shown

BERLIN = "Europe/Berlin"


def berlin(*time: int) -> int:
    return utc_ms(datetime(*time, tzinfo=ZoneInfo(BERLIN)))  # type: ignore[misc,arg-type]  # year, month, day, …


MONDAY = berlin(2026, 11, 23, 14, 30)

READ = (
    ("tomorrow 9:00 UTC", (2026, 11, 24, 10, 0)),
    ("tomorrow 9:00 in Asia/Tokyo", (2026, 11, 24, 1, 0)),
    ("tomorrow 20:00 America/New_York", (2026, 11, 25, 2, 0)),
    ("2026-11-24T09:00 UTC", (2026, 11, 24, 10, 0)),
    ("tomorrow 9:00", (2026, 11, 24, 9, 0)),
    ("Tomorrow at 9", (2026, 11, 24, 9, 0)),
    ("tomorrow at nine", (2026, 11, 24, 9, 0)),
    ("tomorrow at 9 o'clock.", (2026, 11, 24, 9, 0)),
    ("tomorrow 9am", (2026, 11, 24, 9, 0)),
    ("tomorrow at 9pm", (2026, 11, 24, 21, 0)),
    ("tomorrow noon", (2026, 11, 24, 12, 0)),
    ("today 18:15", (2026, 11, 23, 18, 15)),
    ("18:15", (2026, 11, 23, 18, 15)),
    ("9:00", (2026, 11, 24, 9, 0)),
    ("at 9", (2026, 11, 24, 9, 0)),
    ("tonight at 8", (2026, 11, 23, 20, 0)),
    ("tonight at 20:00", (2026, 11, 23, 20, 0)),
    ("friday 14:30", (2026, 11, 27, 14, 30)),
    ("on friday at 9", (2026, 11, 27, 9, 0)),
    ("monday 9:00", (2026, 11, 30, 9, 0)),
    ("day after tomorrow at 9", (2026, 11, 25, 9, 0)),
    ("december 24th at 18:00", (2026, 12, 24, 18, 0)),
    ("2 february 9:00", (2027, 2, 2, 9, 0)),
    ("13/02/2027 9:00", (2027, 2, 13, 9, 0)),
    ("in 20 minutes", (2026, 11, 23, 14, 50)),
    ("in two hours", (2026, 11, 23, 16, 30)),
    ("in 1h30m", (2026, 11, 23, 16, 0)),
    ("in 3 days", (2026, 11, 26, 14, 30)),
    ("in 3 days at 10:00", (2026, 11, 26, 10, 0)),
    ("2027-12-01T09:00", (2027, 12, 1, 9, 0)),
    ("2027-12-01T08:00+00:00", (2027, 12, 1, 9, 0)),
)


@pytest.mark.parametrize(("text", "meant"), READ)
def test_it_is_read_as_it_is_meant(text: str, meant: tuple[int, ...]) -> None:
    assert shown(read_time(text, BERLIN, MONDAY), BERLIN) == shown(berlin(*meant), BERLIN)


REFUSED = (
    ("01/02 9:00", "may mean 01 February 2027 or 02 January 2027"),
    ("next friday 9:00", "'next friday' may mean Friday 27 November or Friday 04 December"),
    ("yesterday 9:00", "understood as Sunday 22 November 2026, 09:00 Europe/Berlin, and that is over"),
    ("1 hour ago", "and that is over|cannot be understood"),
    ("tomorrow", "understood as Tuesday 24 November 2026, without a time of day: say e.g. 'tomorrow 9:00'"),
    ("friday", "understood as Friday 27 November 2026, without a time of day"),
    ("next week", "without a time of day"),
    ("tomorrow morning", "without a time of day"),
    ("tomorrow 25:00", "cannot be understood as a whole"),
    ("tomorrow 9:00 CET", "names no zone that is one: write its name"),
    ("tomorrow 9:00 in Asia/Tokio", "there is no time zone 'Asia/Tokio'. The nearest: Asia/Tokyo"),
    ("2027-02-30T09:00", "there is no 2027-02-30"),
    ("soon", "expected a time such as"),
    ("every day at 9", "expected a time such as"),
    ("", "expected a time such as"),
    ("9", "expected a time such as|may mean"),
    ("x" * 100, "got 100 characters"),
)


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_it_would_have_to_guess_is_refused_with_what_was_understood(text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read_time(text, BERLIN, MONDAY)


def test_hours_pass_as_fast_when_clocks_are_put_back() -> None:
    before = berlin(2026, 10, 25, 1, 30)
    assert read_time("in 3 hours", BERLIN, before) - before == 3 * 3_600_000
    assert read_time("in 2 days", BERLIN, before) - before == 49 * 3_600_000


def test_a_time_that_clocks_never_show_is_refused() -> None:
    with pytest.raises(InvalidInput, match="never show"):
        read_time("28 march 2027 2:30", BERLIN, MONDAY)
