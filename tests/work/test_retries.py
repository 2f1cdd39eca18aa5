"""A log whose job fails is tried again later and later, and as at first once a job of it has ended well."""

from __future__ import annotations

from sulla.work.retries import WAITS_S, Retries


def test_each_failure_in_a_row_waits_longer_up_to_a_bound() -> None:
    retries = Retries()
    assert [retries.failed("a", 0.0) for _ in range(len(WAITS_S) + 2)] == [*WAITS_S, WAITS_S[-1], WAITS_S[-1]]
    assert list(WAITS_S) == sorted(set(WAITS_S))


def test_a_log_may_be_tried_when_its_wait_is_over_and_others_at_any_time() -> None:
    retries = Retries()
    wait_s = retries.failed("a", 10.0)
    assert not retries.may_try("a", 10.0 + wait_s - 0.001)
    assert retries.may_try("a", 10.0 + wait_s)
    assert retries.may_try("b", 10.0)
    assert retries.failing == ("a",)


def test_one_that_ended_well_begins_anew() -> None:
    retries = Retries()
    retries.failed("a", 0.0)
    retries.failed("a", 0.0)
    retries.succeeded("a")
    retries.succeeded("b")
    assert retries.failing == ()
    assert retries.may_try("a", 0.0)
    assert retries.failed("a", 0.0) == WAITS_S[0]
