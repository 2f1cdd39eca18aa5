"""How a channel does is told with its beginning, and what went wrong last stays told."""

from __future__ import annotations

from sulla.channels.machine.standing import Standing


def test_the_time_is_of_the_state_and_not_of_the_last_look() -> None:
    one = Standing(1).at(2, "well").at(3, "well").at(4, "failing", "gone").at(5, "failing", "late")
    assert one == Standing(4, "failing", "late", 5, "late")


def test_what_went_wrong_is_told_on_when_it_works_again() -> None:
    one = Standing(1).at(2, "failing", "gone").at(3, "well")
    assert one == Standing(3, "well", "", 2, "gone")
    assert one.at(4, "held by another daemon").failed_why == "gone"
