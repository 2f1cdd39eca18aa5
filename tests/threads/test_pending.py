"""Nothing that was woken is forgotten: it is looked at, or everything is; and rests are as long as they are to be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.threads import pending as module
from sulla.threads.pending import Intervals, Pending, RoundDelay

INTERVALS = Intervals(sweep_s=100.0, idle_s=7.0, retry_s=(1.0, 5.0, 30.0), linger_s=0.5)


def _swept(intervals: Intervals = INTERVALS) -> Pending:
    """One that has looked through everything, as it is after the first round."""
    pending = Pending(intervals)
    assert pending.begin_sweep()
    pending.succeed()
    return pending


def _all(pending: Pending) -> list[str]:
    found = []
    while (key := pending.next()) is not None:
        found.append(key)
    return found


def test_at_first_everything_is_looked_through() -> None:
    pending = Pending(INTERVALS)
    assert (pending.state, pending.next()) == ("behind", None)
    assert [pending.begin_sweep(), pending.begin_sweep()] == [True, False]
    assert pending.state == "up to date"


def test_who_was_woken_first_comes_first_and_once() -> None:
    pending = _swept()
    for key in "bacab":
        pending.wake(key)
    assert (pending.state, _all(pending)) == ("behind", ["b", "a", "c"])
    assert pending.state == "up to date"


def test_news_of_what_is_being_looked_at_is_another_look() -> None:
    pending = _swept()
    pending.wake("a")
    assert pending.next() == "a"
    pending.wake("a")
    assert pending.next() == "a"


def test_what_has_no_room_has_everything_looked_through() -> None:
    pending = _swept()
    for number in range(module.MAX_WOKEN):
        pending.wake(str(number))
    assert not pending.begin_sweep()
    pending.wake("one more")
    assert pending.begin_sweep()
    pending.wake("another, while everything is looked through")
    assert pending.begin_sweep()
    assert len(_all(pending)) == module.MAX_WOKEN


def test_each_failure_in_a_row_is_rested_longer_after_whatever_comes() -> None:
    pending = _swept()
    pauses = []
    for _ in range(5):
        pending.fail("away")
        pauses.append(pending.pause())
        assert pending.paused(news=False) == 0.0
    assert pauses == [RoundDelay(wait_s, until_news=False) for wait_s in (1.0, 5.0, 30.0, 30.0, 30.0)]
    assert pending.succeed()
    assert pending.pause() == RoundDelay(100.0, until_news=True)
    pending.fail("away")
    assert pending.pause().wait_s == 1.0


def test_a_failure_is_news_once_and_again_if_it_is_another_one() -> None:
    pending = _swept()
    assert [pending.fail("away"), pending.fail("away"), pending.fail("full")] == [True, False, True]
    assert (pending.state, pending.error) == ("failing", "full")
    assert [pending.succeed(), pending.succeed()] == [True, False]
    assert pending.fail("full")


def test_after_a_failure_everything_is_looked_through() -> None:
    pending = _swept()
    pending.fail("away")
    assert pending.begin_sweep()


def test_what_was_put_back_is_looked_at_soon_and_nothing_else_for_that() -> None:
    pending = _swept()
    for key in "ab":
        pending.wake(key)
    for key in _all(pending):
        pending.put_back(key)
    assert (pending.next(), pending.state) == (None, "behind")
    assert pending.pause() == RoundDelay(1.0, until_news=True)
    pending.wake("c")
    pending.paused(news=False)
    pending.begin()
    assert _all(pending) == ["c", "a", "b"]
    assert not pending.begin_sweep()
    assert pending.pause() == RoundDelay(100.0, until_news=True)


def test_more_than_can_be_put_back_has_everything_looked_through() -> None:
    pending = _swept()
    for number in range(module.MAX_WOKEN + 1):
        pending.put_back(str(number))
    assert pending.begin_sweep()


def test_without_news_everything_is_looked_through_after_a_while_and_with_news_not() -> None:
    pending = _swept()
    assert pending.pause() == RoundDelay(100.0, until_news=True)
    pending.paused(news=True)
    assert not pending.begin_sweep()
    pending.paused(news=False)
    assert pending.begin_sweep()


def test_after_news_it_lingers_and_otherwise_not() -> None:
    pending = _swept()
    assert [pending.paused(news=True), pending.paused(news=False)] == [0.5, 0.0]
    assert _swept(Intervals()).paused(news=True) == 0.0


def test_while_nobody_wants_anything_it_asks_now_and_then_and_looks_through_everything_once_somebody_does() -> None:
    pending = _swept()
    pending.wake("a")
    pending.forget()
    assert (pending.next(), pending.state) == (None, "up to date")
    assert pending.pause() == RoundDelay(7.0, until_news=True)
    pending.paused(news=True)
    pending.begin()
    assert pending.begin_sweep()
    assert pending.pause() == RoundDelay(100.0, until_news=True)


class Follower:
    """Does what a follower may do with one, and knows what it has not seen yet."""

    def __init__(self) -> None:
        self.pending = Pending(INTERVALS)
        self.unseen: set[str] = set()

    def wake(self, number: int) -> None:
        self.pending.wake(str(number))
        self.unseen.add(str(number))

    def work(self, _: int = 0) -> None:
        self.pending.begin()
        if self.pending.begin_sweep():
            self.unseen.clear()
        self.unseen.difference_update(_all(self.pending))
        self.pending.succeed()

    def fail(self, _: int) -> None:
        self.pending.next()
        self.pending.fail("away")

    def put_back(self, _: int) -> None:
        if (key := self.pending.next()) is not None:
            self.pending.put_back(key)

    def forget(self, _: int) -> None:
        self.pending.forget()

    def rest(self, _: int) -> None:
        self.pending.paused(news=True)


STEPS = [
    Follower.wake,
    Follower.work,
    Follower.fail,
    Follower.put_back,
    Follower.forget,
    Follower.rest,
]


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9))), st.integers(0, 4))
def test_whatever_happens_what_was_woken_is_looked_at_or_everything_is(
    steps: list[tuple[Callable[[Follower, int], None], int]], room: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_WOKEN", room)
        follower = Follower()
        for step, number in steps:
            step(follower, number)
        follower.work()
        assert follower.unseen == set()
