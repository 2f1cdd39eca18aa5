"""Times by the clocks of the machine that the terminal is on."""

from __future__ import annotations

import time

import pytest

from sulla.terminal.times import minute, moment, zone_word


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
