from __future__ import annotations

from copy import copy

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sulla.agent.model.breaker import Admitted, Blocked, Breaker, BreakerLimits

LIMITS = BreakerLimits(failures=3, open_s=10.0, max_open_s=35.0, trial_s=60.0, first_byte_s=7.0)


def _ticket(breaker: Breaker, now_s: float) -> int:
    answer = breaker.admit(now_s)
    assert isinstance(answer, Admitted)
    return answer.ticket


def _state(breaker: Breaker) -> str:
    return breaker.state


def _opened(now_s: float = 0.0) -> Breaker:
    breaker = Breaker(LIMITS)
    for _ in range(3):
        breaker.failed(_ticket(breaker, now_s), now_s)
    assert _state(breaker) == "open"
    return breaker


def test_it_opens_at_exactly_its_figure() -> None:
    breaker = Breaker(LIMITS)
    breaker.failed(_ticket(breaker, 0.0), 0.0)
    breaker.failed(_ticket(breaker, 0.0), 0.0)
    assert _state(breaker) == "closed"
    breaker.failed(_ticket(breaker, 0.0), 0.0)
    assert _state(breaker) == "open"


def test_a_success_in_between_starts_the_count_anew() -> None:
    breaker = Breaker(LIMITS)
    for outcome in "ffsffsff":
        ticket = _ticket(breaker, 0.0)
        if outcome == "f":
            breaker.failed(ticket, 0.0)
        else:
            breaker.succeeded(ticket)
    assert _state(breaker) == "closed"


def test_while_open_it_says_how_long_and_lets_nobody_through() -> None:
    breaker = _opened(100.0)
    assert breaker.admit(100.0) == Blocked(10.0)
    assert breaker.admit(109.0) == Blocked(1.0)


def test_when_its_time_is_over_one_call_tries_and_the_others_wait() -> None:
    breaker = _opened()
    trial = _ticket(breaker, 10.0)
    assert _state(breaker) == "half_open"
    assert breaker.admit(10.0) == Blocked(None)
    breaker.succeeded(trial)
    assert _state(breaker) == "closed"
    assert isinstance(breaker.admit(10.0), Admitted)


@pytest.mark.parametrize(("failed_trials", "open_s"), [(0, 10.0), (1, 20.0), (2, 35.0), (3, 35.0)])
def test_each_failed_trial_doubles_the_time_up_to_a_ceiling(failed_trials: int, open_s: float) -> None:
    breaker, now_s = _opened(), 0.0
    for _ in range(failed_trials):
        now_s += 100.0
        breaker.failed(_ticket(breaker, now_s), now_s)
    assert breaker.admit(now_s) == Blocked(open_s)


def test_after_it_closed_it_opens_for_the_first_time_again() -> None:
    breaker = _opened()
    breaker.failed(_ticket(breaker, 100.0), 100.0)
    breaker.succeeded(_ticket(breaker, 200.0))
    for _ in range(3):
        breaker.failed(_ticket(breaker, 200.0), 200.0)
    assert breaker.admit(200.0) == Blocked(10.0)


@pytest.mark.parametrize(("asked_s", "open_s"), [(5.0, 10.0), (25.0, 25.0), (9999.0, 35.0)])
def test_it_stays_open_as_long_as_the_service_asks_but_not_for_ever(asked_s: float, open_s: float) -> None:
    breaker = Breaker(LIMITS)
    for _ in range(3):
        breaker.failed(_ticket(breaker, 0.0), 0.0, asked_s)
    assert breaker.admit(0.0) == Blocked(open_s)


def test_what_an_older_call_tells_changes_nothing() -> None:
    breaker = Breaker(LIMITS)
    old = _ticket(breaker, 0.0)
    for _ in range(3):
        breaker.failed(_ticket(breaker, 0.0), 0.0)
    breaker.succeeded(old)
    assert _state(breaker) == "open"
    trial = _ticket(breaker, 10.0)
    breaker.failed(old, 10.0)
    breaker.succeeded(old)
    breaker.unknown(old)
    assert _state(breaker) == "half_open"
    breaker.succeeded(trial)
    assert _state(breaker) == "closed"


def test_a_trial_that_was_cut_off_leaves_its_place_to_the_next_call() -> None:
    breaker = _opened()
    cut = _ticket(breaker, 10.0)
    breaker.unknown(cut)
    assert _ticket(breaker, 10.0) != cut


def test_a_trial_that_hears_nothing_leaves_its_place_to_the_next_call() -> None:
    breaker = _opened()
    hangs = _ticket(breaker, 10.0)
    assert breaker.trial_began_s == 10.0
    assert breaker.admit(16.9) == Blocked(None)
    trial = _ticket(breaker, 17.0)
    assert breaker.trial_began_s == 17.0
    assert breaker.admit(23.9) == Blocked(None)
    breaker.failed(hangs, 18.0)
    breaker.unknown(hangs)
    assert breaker.admit(18.0) == Blocked(None), "it is no trial any more"
    breaker.succeeded(trial)
    assert _state(breaker) == "closed"
    assert breaker.trial_began_s is None


def test_one_that_comes_late_shows_as_well_that_the_service_is_back() -> None:
    breaker = _opened()
    slow = _ticket(breaker, 10.0)
    _ticket(breaker, 17.0)
    breaker.succeeded(slow)
    assert _state(breaker) == "closed"


def test_one_that_comes_late_behind_a_trial_that_failed_shows_nothing() -> None:
    breaker = _opened()
    slow = _ticket(breaker, 10.0)
    breaker.failed(_ticket(breaker, 17.0), 17.0)
    breaker.succeeded(slow)
    assert _state(breaker) == "open"
    _ticket(breaker, 37.0)
    breaker.succeeded(slow)
    assert _state(breaker) == "half_open"


def test_a_trial_that_hears_something_has_its_whole_time_and_no_more() -> None:
    breaker = _opened()
    lost = _ticket(breaker, 10.0)
    breaker.heard(lost)
    assert breaker.admit(69.9) == Blocked(None)
    assert _ticket(breaker, 70.0) != lost
    breaker.heard(lost)
    assert isinstance(breaker.admit(77.0), Admitted), "what an older call hears keeps nobody out"


class AnyCalls(RuleBasedStateMachine):
    """Calls that come, end and get lost in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.breaker = Breaker(LIMITS)
        self.now_s = 0.0
        self.tickets: list[int] = []

    @rule(seconds=st.sampled_from([0.0, 1.0, 10.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.now_s += seconds

    @rule()
    def call(self) -> None:
        was = self.breaker.state
        answer = self.breaker.admit(self.now_s)
        if isinstance(answer, Admitted):
            if was != "closed":
                assert isinstance(self.breaker.admit(self.now_s), Blocked), "one trial at a time"
            self.tickets.append(answer.ticket)
        else:
            assert was != "closed"
            assert answer.retry_after_s is None or 0 < answer.retry_after_s <= LIMITS.max_open_s

    @precondition(lambda self: self.tickets)
    @rule(newest=st.booleans())
    def hear(self, newest: bool) -> None:
        self.breaker.heard(self.tickets[-1 if newest else 0])

    @precondition(lambda self: self.tickets)
    @rule(outcome=st.sampled_from(["succeeded", "failed", "unknown"]), newest=st.booleans())
    def end(self, outcome: str, newest: bool) -> None:
        ticket = self.tickets.pop(-1 if newest else 0)
        if outcome == "failed":
            self.breaker.failed(ticket, self.now_s)
        elif outcome == "succeeded":
            self.breaker.succeeded(ticket)
        else:
            self.breaker.unknown(ticket)

    @invariant()
    def somebody_gets_through_in_the_end(self) -> None:
        assert isinstance(copy(self.breaker).admit(self.now_s + LIMITS.trial_s), Admitted)


AnyCalls.TestCase.settings = settings(max_examples=10, stateful_step_count=25, deadline=None)
test_any_order_of_calls_keeps_to_one_trial_at_a_time = AnyCalls.TestCase


def test_what_the_service_said_last_is_known() -> None:
    breaker = Breaker()
    breaker.failed(0, 0.0, None, "overloaded")
    assert breaker.said == "overloaded"
