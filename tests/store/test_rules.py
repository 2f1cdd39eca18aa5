"""The decisions that every backend shares, at their edges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.errors import MessageIdReused, QueueFull, StaleLease
from sulla.store import rules
from sulla.store.requests import AppendRequest, OfferRequest
from sulla.store.rules import LogState
from sulla.store.values import Draft, Head, Lease, Offered
from sulla.testing.clock import ManualClock

HEAD = Head("thread")
FREE = LogState(life=7, created_ms=0, head=HEAD, last_seq=4)
HELD = replace(FREE, epoch=3, owner="home:1", until_ms=30_000, ttl_ms=30_000)
LEASE = Lease("key", "home:1", 3, 30.0, 7)


def _offer(*, wakes: bool = True, max_waiting: int | None = None) -> OfferRequest:
    return OfferRequest("key", "id", Draft("INPUT", b""), b"digest", None, wakes, max_waiting)


def _write(
    number: int, *, lease: Lease = LEASE, records: int = 1, claimed: int = 0, release: bool = False
) -> AppendRequest:
    return AppendRequest(lease, number, [Draft("A", b"")] * records, Head("thread", "open"), claimed, release)


@pytest.mark.parametrize(("up_ms", "held"), [(-1, False), (0, True), (29_999, True), (30_000, False), (10**12, False)])
def test_a_lease_is_alive_for_its_time_and_no_longer_even_across_a_restart_of_the_machine(
    up_ms: int, held: bool
) -> None:
    # Before 0 it has more than its 30 s left: only a clock that began anew can say that.
    assert rules.is_held(HELD, up_ms) is held


def test_a_log_that_nobody_ever_held_is_free() -> None:
    assert rules.is_held(replace(FREE, until_ms=30_000, ttl_ms=30_000), 0) is False


def test_a_grant_begins_a_new_count_of_writes() -> None:
    log = rules.granted(replace(HELD, write_no=9, answer=99, released=True), "other:1", 1.5, 1000)
    assert log == replace(
        HELD, epoch=4, owner="other:1", released=False, write_no=0, answer=0, until_ms=2500, ttl_ms=1500
    )


@pytest.mark.parametrize(
    ("owner", "granted"), [("home:1", False), ("home:2", True), ("home2:1", False), ("other:1", False)]
)
def test_a_held_log_goes_to_another_boot_of_its_holders_home_only(owner: str, granted: bool) -> None:
    assert (rules.granted(HELD, owner, 30.0, 0) is not None) is granted


@pytest.mark.parametrize(
    "change", [{"life": 8}, {"epoch": 4}, {"epoch": 2}, {"owner": "home:2"}, {"released": True}], ids=str
)
def test_a_fence_is_life_epoch_owner_and_not_being_released(change: dict[str, int]) -> None:
    assert rules.fenced(HELD, LEASE) is HELD
    with pytest.raises(StaleLease, match="key"):
        rules.fenced(replace(HELD, **change), LEASE)  # type: ignore[arg-type]  # one field of whichever type
    with pytest.raises(StaleLease, match="deleted"):
        rules.fenced(None, LEASE)


def test_time_is_no_part_of_the_fence() -> None:
    assert rules.appended(replace(HELD, until_ms=-(10**9)), _write(1)).write_no == 1


def test_a_write_changes_what_it_says() -> None:
    log = rules.appended(HELD, _write(1, records=2, claimed=5, release=True))
    assert log == replace(HELD, head=Head("thread", "open"), last_seq=6, claimed=5, released=True, write_no=1, answer=6)


def test_a_repeated_write_gives_back_the_very_same_log() -> None:
    for log in (replace(HELD, write_no=2, answer=4), replace(HELD, write_no=2, answer=4, released=True)):
        assert rules.appended(log, _write(2)) is log


def test_a_stranger_cannot_repeat_a_write() -> None:
    log = replace(HELD, write_no=2, answer=4)
    with pytest.raises(StaleLease):
        rules.appended(log, _write(2, lease=replace(LEASE, epoch=2)))


@pytest.mark.parametrize("number", [-1, 0, 1, 4])
def test_a_write_out_of_turn_names_both_numbers(number: int) -> None:
    with pytest.raises(ValueError, match=rf"write number {number} after 2; expected 3, or 2 once more"):
        rules.appended(replace(HELD, write_no=2), _write(number))


def test_a_first_write_is_number_one() -> None:
    with pytest.raises(ValueError, match="write number 0 after 0"):
        rules.appended(HELD, _write(0))


def test_giving_back_is_for_the_holder_and_once() -> None:
    assert rules.given_back(HELD, LEASE) == replace(HELD, released=True)
    for log in (None, replace(HELD, released=True), replace(HELD, epoch=4), replace(HELD, life=8)):
        assert rules.given_back(log, LEASE) is None


def test_an_input_counts_as_waiting_if_it_wakes() -> None:
    assert rules.offered(FREE, _offer()) == replace(FREE, last_seq=5, waking=1, woken_seq=5)
    assert rules.offered(FREE, _offer(wakes=False)) == replace(FREE, last_seq=5)


@pytest.mark.parametrize(("waking", "consumed", "full"), [(3, 0, True), (3, 1, False), (2, 0, False), (0, 9, False)])
def test_a_queue_is_full_when_as_many_wait_as_may(waking: int, consumed: int, full: bool) -> None:
    log = replace(FREE, waking=waking, head=Head("thread", consumed=consumed))
    if full:
        with pytest.raises(QueueFull, match="3 inputs wait") as refused:
            rules.offered(log, _offer(max_waiting=3))
        assert refused.value.retry_after_s is not None
    else:
        assert rules.offered(log, _offer(max_waiting=3)).last_seq == 5


def test_the_same_content_is_told_by_its_digest() -> None:
    assert rules.known(_offer(), 3, b"digest") == Offered(3, first=False)
    with pytest.raises(MessageIdReused, match="record 3"):
        rules.known(_offer(), 3, b"digesT")


def test_times_are_whole_milliseconds_and_a_life_lasts_one_at_least() -> None:
    clock = ManualClock(now=12.3456)
    assert (rules.wall_ms(clock), rules.uptime_ms(clock)) == (12345, 1_000_000)
    assert [rules.span_ms(seconds) for seconds in (0.0, 0.0001, 0.0015, 30.0)] == [1, 1, 2, 30_000]
