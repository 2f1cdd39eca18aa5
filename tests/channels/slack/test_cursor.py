"""How far Slack was read is said in one line, which forgets nothing and does not grow."""

from __future__ import annotations

import pytest

from sulla.channels.base import Arrived, Place, Sender
from sulla.channels.slack.cursor import MOST_THREADS, Cursor, cursor_of, just_behind, order


def _said(channel: str, topic: str = "", *, addressed: bool = True) -> Arrived:
    return Arrived(Place(channel, topic, "group"), Sender("U1"), "1.000001", addressed=addressed)


def test_it_is_read_as_it_was_written() -> None:
    cursor = Cursor("1700000000.000100", ("C1:1.000001", "D2:2.000002"))
    assert cursor_of(str(cursor)) == cursor
    assert cursor_of("") == Cursor("0")


def test_it_never_goes_back_and_keeps_the_threads_in_which_it_was_meant() -> None:
    cursor = Cursor("5.000000").behind(
        [_said("C1", "3.1"), _said("C1"), _said("C2", "4.1", addressed=False)], ["4.9", ""]
    )
    assert cursor == Cursor("5.000000", ("C1:3.1",))
    assert cursor.behind([], ["10.000001"]).moment == "10.000001"


def test_the_newest_threads_stay() -> None:
    cursor = Cursor("1.0")
    for number in range(2 * MOST_THREADS):
        cursor = cursor.behind([_said("C1", f"{number}.0"), _said("C1", "first")], [])
    assert len(cursor.threads) == MOST_THREADS
    assert cursor.threads[-1] == "C1:first"
    assert "C1:0.0" not in cursor.threads


@pytest.mark.parametrize(
    ("earlier", "later"), [("9.5", "10.1"), ("1.000001", "1.000002"), ("hostile", "0.000001"), ("1.9x", "1.0")]
)
def test_moments_are_numbers(earlier: str, later: str) -> None:
    assert order(earlier) < order(later)


def test_just_behind_is_the_next_there_can_be() -> None:
    assert just_behind("1.000001") == "1.000002"
    assert just_behind("1.999999") == "2.000000"
