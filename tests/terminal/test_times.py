"""Times by the clocks of the machine that the terminal is on."""

from __future__ import annotations

import time

import pytest

from sulla.terminal.times import ago, minute, moment, zone_word


@pytest.mark.parametrize(
    ("zone", "shown", "word"),
    [
        ("UTC", "2027-01-15 08:00:05 UTC", "UTC"),
        ("Europe/Berlin", "2027-01-15 09:00:05 CET", "CET"),
        ("America/New_York", "2027-01-15 03:00:05 EST", "EST"),
    ],
)
def test_a_time_is_shown_by_the_clocks_of_here(
    monkeypatch: pytest.MonkeyPatch, zone: str, shown: str, word: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        at = "2027-01-15T08:00:05.250Z"
        assert (moment(at), minute(at), zone_word()) == (shown, shown[:16], word)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("past_s", "said"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (7_199, "1 h ago"),
        (7_200, "2 h ago"),
        (200_000, "2 d ago"),
    ],
)
def test_how_long_something_is_past(past_s: float, said: str) -> None:
    assert ago("2027-01-15T08:00:00.000Z", 1_800_000_000 + past_s) == said
