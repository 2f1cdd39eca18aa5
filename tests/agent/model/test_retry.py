from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.agent.model.retry import (
    BACKOFF_S,
    JITTER,
    MAX_ATTEMPTS,
    RETRIES,
    Compress,
    FailureClass,
    GiveUp,
    NextTry,
    RetryWait,
    classify,
    next_try,
)
from sulla.core import errors
from sulla.core.errors import Aborted, LimitReached, SullaError

LONG_S = 10_000.0

CLASSES: list[FailureClass] = list(RETRIES)

TRANSIENT = {"Busy", "QueueFull", "RateLimited", "Unavailable", "ProviderTransient", "ProviderUnreachable"}
LLM_ERROR = {"ProviderError", "ProviderProtocol"}
CONTEXT_LIMIT = {"ContextTooLong"}
NOT_TRIED_AGAIN_HERE = {"StoreUnavailable", "ShuttingDown"}
"""They may succeed later, but not by asking again from here."""


def _error_classes(root: type[SullaError] = SullaError) -> Iterator[type[SullaError]]:
    if root.__module__ == errors.__name__:
        yield root
    for child in root.__subclasses__():
        yield from _error_classes(child)


def _make(kind: type[SullaError]) -> SullaError:
    if kind is LimitReached:
        return LimitReached("tokens", "too many")
    return Aborted("shutdown") if kind is Aborted else kind("it failed")


def test_each_error_has_the_class_that_the_table_says() -> None:
    for kind in _error_classes():
        name = kind.__name__
        expected = "permanent"
        if name in TRANSIENT:
            expected = "transient"
        elif name in LLM_ERROR:
            expected = "llm_error"
        elif name in CONTEXT_LIMIT:
            expected = "context_limit"
        assert classify(_make(kind)) == expected, name


def test_what_is_called_retryable_is_tried_again_and_nothing_else_but_a_providers_unnamed_failure() -> None:
    retried = {kind.__name__ for kind in _error_classes() if classify(_make(kind)) in ("transient", "llm_error")}
    retryable = {kind.__name__ for kind in _error_classes() if kind.retryable}
    assert retryable - retried == NOT_TRIED_AGAIN_HERE
    assert retried - retryable == {"ProviderError"}


@pytest.mark.parametrize("reason", ["stopped", "interrupted"])
def test_what_a_person_ended_is_not_taken_for_a_failure(reason: str) -> None:
    assert classify(Aborted(reason)) == "human_rejected"


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        (["transient"], RetryWait(10.0)),
        (["transient"] * 2, RetryWait(30.0)),
        (["transient"] * 3, RetryWait(90.0)),
        (["transient"] * 4, GiveUp("exhausted")),
        (["tool_error"], RetryWait(10.0)),
        (["tool_error"] * 2, RetryWait(30.0)),
        (["tool_error"] * 3, GiveUp("exhausted")),
        (["llm_error"], RetryWait(10.0)),
        (["llm_error"] * 2, GiveUp("exhausted")),
        (["context_limit"], Compress()),
        (["context_limit"] * 2, GiveUp("exhausted")),
        (["permanent"], GiveUp("permanent")),
        (["human_rejected"], GiveUp("human_rejected")),
        (["transient", "llm_error"], RetryWait(30.0)),
        (["llm_error", "transient"], RetryWait(30.0)),
        (["llm_error", "transient", "llm_error"], GiveUp("exhausted")),
        (["transient", "transient", "context_limit"], Compress()),
        (["context_limit", "transient", "context_limit"], GiveUp("exhausted")),
        (["context_limit", "transient", "transient", "transient"], GiveUp("exhausted")),
        (["transient", "permanent"], GiveUp("permanent")),
    ],
)
def test_a_failure_is_followed_by_what_seed_001_says(failures: list[FailureClass], expected: NextTry) -> None:
    assert next_try(failures, remaining_s=LONG_S, jitter=0.0, safe_to_repeat=True) == expected


def test_a_tool_that_may_have_taken_effect_is_not_run_again() -> None:
    assert next_try(["tool_error"], remaining_s=LONG_S, jitter=0.0) == GiveUp("not_repeatable")


@pytest.mark.parametrize(("asked_s", "waited_s"), [(0.0, 1.0), (3.0, 3.0), (45.0, 45.0), (600.0, 600.0)])
def test_the_time_that_a_service_asks_for_takes_the_place_of_ours(asked_s: float, waited_s: float) -> None:
    assert next_try(["transient"], remaining_s=LONG_S, jitter=0.0, retry_after_s=asked_s) == RetryWait(waited_s)


@pytest.mark.parametrize("retry_after_s", [60.0, 61.0, float("inf"), float("nan")])
def test_a_wait_that_would_not_end_before_the_deadline_is_not_begun(retry_after_s: float) -> None:
    assert next_try(["transient"], remaining_s=60.0, jitter=0.0, retry_after_s=retry_after_s) == GiveUp("deadline")


def test_what_people_were_shown_is_not_said_again() -> None:
    assert next_try(["transient"], remaining_s=LONG_S, jitter=0.0, shown_text=True) == GiveUp("text_shown")


def test_jitter_lengthens_and_never_shortens() -> None:
    assert next_try(["transient"], remaining_s=LONG_S, jitter=1.0) == RetryWait(12.0)
    assert next_try(["transient"], remaining_s=LONG_S, jitter=-5.0) == RetryWait(10.0)


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from(CLASSES), min_size=1, max_size=8),
    st.floats(-10, 500),
    st.floats(0, 1),
    st.none() | st.floats(0, 300),
    st.booleans(),
    st.booleans(),
)
def test_no_way_leads_past_the_bounds(
    failures: list[FailureClass],
    remaining_s: float,
    jitter: float,
    retry_after_s: float | None,
    shown: bool,
    safe: bool,
) -> None:
    answer = next_try(
        failures,
        remaining_s=remaining_s,
        jitter=jitter,
        retry_after_s=retry_after_s,
        shown_text=shown,
        safe_to_repeat=safe,
    )
    if isinstance(answer, GiveUp):
        return
    assert not shown
    assert len(failures) < MAX_ATTEMPTS
    assert failures.count(failures[-1]) <= RETRIES[failures[-1]]
    assert safe or failures[-1] != "tool_error"
    assert remaining_s > 0
    if isinstance(answer, RetryWait):
        floor_s = BACKOFF_S[len(failures) - 1] if retry_after_s is None else retry_after_s
        assert floor_s <= answer.seconds < remaining_s
        assert answer.seconds <= max(floor_s, 1.0) * (1 + JITTER) * 1.0001


@given(st.lists(st.sampled_from(CLASSES), min_size=4, max_size=4))
def test_whatever_fails_there_are_four_attempts_at_the_most(kinds: list[FailureClass]) -> None:
    attempts = 1
    while not isinstance(next_try(kinds[:attempts], remaining_s=LONG_S, jitter=0.5, safe_to_repeat=True), GiveUp):
        attempts += 1
    assert attempts <= MAX_ATTEMPTS
