from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from sulla.core.errors import InvalidInput
from sulla.schedules.cron import ALIASES, check_cron, explain_cron, next_cron

GREENWICH = ZoneInfo("UTC")
NEW_YORK = ZoneInfo("America/New_York")


def after(text: str, when: str, zone: ZoneInfo = GREENWICH) -> str:
    """The time behind `when` (of that zone, with its offset if it has one), by the clocks of the zone."""
    start = datetime.fromisoformat(when)
    start = start if start.tzinfo is not None else start.replace(tzinfo=zone)
    found = next_cron(text, round(start.timestamp() * 1000), zone)
    assert found is not None
    return datetime.fromtimestamp(found / 1000, zone).isoformat()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * 0", "2026-11-22T09:00:00+00:00"),  # Sunday, as in cron and unlike in Python
        ("0 9 * * 7", "2026-11-22T09:00:00+00:00"),
        ("0 0 13 * 5", "2026-11-27T00:00:00+00:00"),  # the 13th or a Friday
        ("@daily", "2026-11-22T00:00:00+00:00"),
        ("@WEEKLY", "2026-11-22T00:00:00+00:00"),
        ("*/10 * * * * *", "2026-11-21T12:00:10+00:00"),
        ("0 9 L * *", "2026-11-30T09:00:00+00:00"),
        ("0 9 * * mon#1", "2026-12-07T09:00:00+00:00"),
    ],
)
def test_expressions_mean_what_they_mean_to_cron(text: str, expected: str) -> None:
    assert after(text, "2026-11-21T12:00:00") == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("2027-03-13T12:00:00", "2027-03-14T03:00:00-04:00"),  # 02:30 is left out on that day
        ("2027-03-14T03:00:00", "2027-03-15T02:30:00-04:00"),
    ],
)
def test_a_time_that_is_left_out_comes_behind_the_gap_once(when: str, expected: str) -> None:
    assert after("30 2 * * *", when, NEW_YORK) == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("2027-11-07T00:00:00", "2027-11-07T01:30:00-04:00"),
        ("2027-11-07T01:30:00-04:00", "2027-11-08T01:30:00-05:00"),
        ("2027-11-07T01:10:00-05:00", "2027-11-08T01:30:00-05:00"),  # looked at within the hour that comes again
    ],
)
def test_a_time_that_comes_twice_is_done_once(when: str, expected: str) -> None:
    assert after("30 1 * * *", when, NEW_YORK) == expected


def test_milliseconds_are_not_lost() -> None:
    noon = round(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp() * 1000)
    zone = ZoneInfo("UTC")
    assert next_cron("0 12 * * *", noon - 1, zone) == noon
    assert next_cron("0 12 * * *", noon, zone) == noon + 86_400_000


def test_each_word_is_an_expression() -> None:
    for word in ALIASES:
        check_cron(word)
        assert explain_cron(word)


@pytest.mark.parametrize(
    "text", ["", "* * * *", "60 * * * *", "0 25 * * *", "@reboot", "every day", "0 0 30 2 *", "0" * 300]
)
def test_what_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"cron: (got .* expected minute, hour|no day ever fits)"):
        check_cron(text)


@pytest.mark.parametrize("text", ["0 9 31 2 *", "0 0 30 2 *", "0 9 31 4,6 *", "0 0 9 31 2 *"])
def test_a_date_that_no_month_has_is_told_as_that(text: str) -> None:
    with pytest.raises(InvalidInput, match="cron: no day ever fits"):
        check_cron(text)


@pytest.mark.parametrize("text", ["0 9 32 2 *", "0 9 31 13 *", "60 9 31 2 *"])
def test_a_field_that_is_wrong_by_itself_is_told_with_what_is_expected(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected minute, hour"):
        check_cron(text)


def test_it_is_explained() -> None:
    assert explain_cron("0 9 * * 1-5") == "At 09:00 on Monday through Friday"
