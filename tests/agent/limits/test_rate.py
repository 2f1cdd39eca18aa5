from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.agent.limits.rate import RateAllowed, RateLimits, Rates, TooFast

TAKEN = RateAllowed()
SENT_AGAIN = RateAllowed(counted=False)


def _too_fast(answer: RateAllowed | TooFast) -> TooFast:
    assert isinstance(answer, TooFast)
    return answer


def test_two_messages_of_a_thread_are_400_ms_apart() -> None:
    rates = Rates()
    assert rates.take("t", "k", "1", 100.0) == TAKEN
    assert rates.take("t", "k", "2", 100.399) == TooFast("min_interval", 0.001)
    assert rates.take("t", "k", "2", 100.4) == TAKEN


def test_twelve_messages_in_ten_seconds_are_taken_and_the_thirteenth_is_not() -> None:
    rates = Rates()
    for number in range(12):
        assert rates.take("t", "k", str(number), 0.5 * number) == TAKEN
    assert rates.take("t", "k", "12", 6.0) == TooFast("burst", 4.0)
    assert rates.take("t", "k", "12", 9.999) == TooFast("burst", 0.001)
    assert rates.take("t", "k", "12", 10.0) == TAKEN
    assert rates.take("t", "k", "13", 10.4) == TooFast("burst", 0.1)


def test_threads_do_not_slow_each_other_down_until_their_token_does() -> None:
    rates = Rates()
    for number in range(60):
        assert rates.take(f"t{number}", "k", str(number), 0.0) == TAKEN
    assert rates.take("t60", "k", "60", 1.0) == TooFast("token_burst", 9.0)
    assert rates.take("t60", "other", "60", 1.0) == TAKEN


def test_a_message_that_is_sent_again_does_not_count() -> None:
    rates = Rates()
    assert rates.take("t", "k", "1", 0.0) == TAKEN
    for _ in range(100):
        assert rates.take("t", "k", "1", 0.0) == SENT_AGAIN
    assert rates.take("t", "k", "2", 0.4) == TAKEN
    assert rates.take("t", "k", "1", 30.0) == SENT_AGAIN, "also after its window"


def test_the_same_id_in_another_thread_is_another_message() -> None:
    rates = Rates()
    assert rates.take("t", "k", "1", 0.0) == TAKEN
    assert rates.take("u", "k", "1", 0.0) == TAKEN


def test_a_refused_message_changes_nothing() -> None:
    rates = Rates()
    rates.take("t", "k", "1", 0.0)
    for milliseconds in range(1, 400):
        assert isinstance(rates.take("t", "k", "2", milliseconds / 1000), TooFast)
    assert rates.take("t", "k", "2", 0.4) == TAKEN


def test_the_longest_wait_is_named() -> None:
    rates = Rates(RateLimits(burst=2, token_burst=2))
    rates.take("t", "k", "1", 0.0)
    rates.take("t", "k", "2", 0.5)
    assert rates.take("t", "k", "3", 0.6).__class__ is TooFast
    assert _too_fast(rates.take("u", "k", "3", 0.6)) == TooFast("token_burst", 9.4)


def test_a_clock_that_goes_back_lets_nobody_through_early() -> None:
    rates = Rates()
    rates.take("t", "k", "1", 100.0)
    assert rates.take("t", "k", "2", 50.0) == TooFast("min_interval", 0.4)


def test_memory_is_bounded_and_what_is_used_is_remembered() -> None:
    rates = Rates(RateLimits(max_threads=3, max_tokens=2))
    for number in range(50):
        rates.take(f"t{number}", f"k{number}", "1", number * 1.0)
        rates.take("kept", "kept", str(number), number * 1.0)
    assert len(rates._threads) == 3
    assert len(rates._tokens) == 2
    assert rates.take("kept", "kept", "49", 49.0) == SENT_AGAIN


def test_a_message_that_was_known_after_all_is_as_if_it_had_not_come() -> None:
    rates = Rates(RateLimits(burst=2, token_burst=3))
    for number in range(50):
        assert rates.take("t", "k", str(number), 0.0) == TAKEN
        rates.uncount("t", "k", str(number))
    assert rates.take("t", "k", "new", 0.0) == TAKEN
    rates.uncount("t", "k", "never taken")
    rates.uncount("u", "l", "new")
    assert rates.take("t", "k", "newer", 0.0) == TooFast("min_interval", 0.4)


def test_a_refusal_says_what_was_wrong_in_the_figures_that_hold_and_what_to_do() -> None:
    limits = RateLimits(min_interval_ms=250, burst=3, window_ms=2500, token_burst=7)
    assert TooFast("min_interval", 0.25).words(limits) == (
        "too fast: messages of one thread have to be 250 ms apart; send this one again in 0.25 s, under the same id"
    )
    assert "a thread takes at most 3 messages within 2.5 s" in TooFast("burst", 2).words(limits)
    assert "at most 7 messages of one token" in TooFast("token_burst", 2).words(limits)


STEPS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("kl"), st.integers(0, 12), st.integers(0, 1500)), max_size=60
)


@settings(max_examples=40)
@given(STEPS)
def test_it_decides_like_a_plain_list_of_what_was_taken(steps: list[tuple[str, str, int, int]]) -> None:
    limits = RateLimits(burst=3, window_ms=2000, token_burst=5)
    rates, now_ms = Rates(limits), 0
    taken: list[tuple[str, str, str, int]] = []
    for thread, token, number, pause_ms in steps:
        now_ms += pause_ms
        answer = rates.take(thread, token, str(number), now_ms / 1000)
        mine = [row for row in taken if row[0] == thread]
        if str(number) in [row[2] for row in mine[-limits.burst :]]:
            assert answer == SENT_AGAIN
            continue
        waits = [row[3] + limits.min_interval_ms - now_ms for row in mine[-1:]]
        waits += [row[3] + limits.window_ms - now_ms for row in mine[-limits.burst :][: len(mine) >= limits.burst]]
        same = [row for row in taken if row[1] == token]
        waits += [row[3] + limits.window_ms - now_ms for row in same[-5:][: len(same) >= limits.token_burst]]
        if max(waits, default=0) > 0:
            assert _too_fast(answer).retry_after_s == max(waits) / 1000
        else:
            assert answer == TAKEN
            taken.append((thread, token, str(number), now_ms))


@given(STEPS, st.floats(0, 1e6))
def test_who_waits_as_long_as_told_is_taken(steps: list[tuple[str, str, int, int]], start_s: float) -> None:
    rates, now_s = Rates(), start_s
    for number, (thread, token, _, pause_ms) in enumerate(steps):
        now_s += pause_ms / 5000
        answer = rates.take(thread, token, str(number), now_s)
        if isinstance(answer, TooFast):
            now_s += answer.retry_after_s
            assert rates.take(thread, token, str(number), now_s) == TAKEN


def test_no_window_ever_holds_more_than_the_burst() -> None:
    rates, taken = Rates(), list[float]()
    for step in range(2500):
        if rates.take("t", "k", str(step), step / 100) == TAKEN:
            taken.append(step / 100)
    assert max(sum(start <= moment < start + 10 for moment in taken) for start in taken) == 12
