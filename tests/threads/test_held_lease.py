"""A lease's holder knows until when it is surely its own, and asks for more in good time."""

from __future__ import annotations

from sulla.store.values import Lease
from sulla.threads.held_lease import HeldLease


def _held() -> HeldLease:
    return HeldLease(Lease("t", "home:1", 1, ttl_s=30.0), deadline_s=130.0)


def test_it_is_live_until_its_deadline_and_not_after_it() -> None:
    held = _held()
    assert held.live(129.9)
    assert not held.live(130.0)
    held.renewed(110.0)
    assert held.live(139.9)
    assert not held.live(140.0)


def test_one_that_was_lost_or_given_back_is_not_live() -> None:
    lost, released = _held(), _held()
    lost.lost = released.released = True
    assert not lost.live(101.0)
    assert not released.live(101.0)


def test_it_is_renewed_at_a_third_of_its_time_counted_from_the_grant() -> None:
    held = _held()
    assert held.first_renewal_s(100.0) == 10.0
    assert held.first_renewal_s(104.0) == 6.0
    assert held.first_renewal_s(125.0) == 0.0
    assert held.renewal_s == 10.0


def test_a_write_is_tried_again_only_within_its_time() -> None:
    held = _held()
    assert held.may_try_again(128.9, 1.0)
    assert not held.may_try_again(129.0, 1.0)
