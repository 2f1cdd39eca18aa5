"""How a channel does is told with its beginning, and what went wrong last stays told."""

from __future__ import annotations

from sulla.channels.base import Refusal
from sulla.channels.machine.standing import SELDOM_S, Refusals, Standing


def test_the_time_is_of_the_state_and_not_of_the_last_look() -> None:
    one = Standing(1).at(2, "well").at(3, "well").at(4, "failing", "gone").at(5, "failing", "late")
    assert one == Standing(4, "failing", "late", 5, "late")


def test_what_went_wrong_is_told_on_when_it_works_again() -> None:
    one = Standing(1).at(2, "failing", "gone").at(3, "well")
    assert one == Standing(3, "well", "", 2, "gone")
    assert one.at(4, "held by another daemon").failed_why == "gone"


def test_a_refusal_to_hand_on_is_soon_asked_again_while_it_may_be_the_daemons_own_doing() -> None:
    last, ours = Refusal("another program reads", own_s=60.0), "or this daemon's own look"
    refusals, pauses = Refusals(since_s=100.0), list[float]()
    for _ in range(4):
        pauses.append(refusals.pause_s(last, 101.0))
        refusals = refusals.again()
    assert pauses == [1.0, 2.0, 5.0, 5.0]
    assert refusals.why(last, 159.0).startswith(f"receiving waits: another program reads, {ours}")
    assert refusals.why(last, 160.0) == "receiving waits: another program reads"
    assert refusals.pause_s(last, 160.0) == SELDOM_S


def test_what_cannot_be_its_own_doing_is_not_said_to_be() -> None:
    last = Refusal("a webhook is set")
    assert Refusals(0.0).why(last, 0.0) == "receiving waits: a webhook is set"
    assert Refusals(0.0).pause_s(last, 0.0) == SELDOM_S
