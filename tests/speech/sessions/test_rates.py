"""Spoken turns begin no faster than messages are taken that are typed."""

from __future__ import annotations

from sulla.core.ids import ThreadId
from sulla.speech.limits import SpeechLimits
from sulla.speech.sessions.rates import MOST_NAMES, TurnRates

ONE, TWO = ThreadId("one"), ThreadId("two")


def test_a_thread_has_a_bound_whoever_speaks_in_it() -> None:
    rates = TurnRates(SpeechLimits(turn_burst=2, turn_window_s=10.0))
    rates.began(ONE, "a", 0.0)
    rates.began(ONE, "b", 4.0)
    refused = rates.refusal(ONE, "c", 5.0)
    assert refused is not None
    assert "2 spoken turns of one thread begin within 10 s" in refused.message
    assert refused.retry_after_s == 5.0
    assert rates.refusal(TWO, "a", 5.0) is None
    assert rates.refusal(ONE, "c", 10.0) is None


def test_a_token_has_a_bound_over_all_threads() -> None:
    rates = TurnRates(SpeechLimits(token_burst=3, turn_window_s=10.0))
    for number in range(3):
        rates.began(ThreadId(f"t{number}"), "a", 0.0)
    refused = rates.refusal(ONE, "a", 9.9)
    assert refused is not None
    assert "3 spoken turns of one token" in refused.message
    assert rates.refusal(ONE, "b", 9.9) is None
    assert rates.refusal(ONE, "", 9.9) is None


def test_what_is_remembered_has_a_bound() -> None:
    rates = TurnRates(SpeechLimits(turn_burst=1))
    for number in range(MOST_NAMES + 1):
        rates.began(ThreadId(f"t{number}"), "", 0.0)
    assert rates.refusal(ThreadId("t0"), "", 0.0) is None
    assert rates.refusal(ThreadId("t1"), "", 0.0) is not None
