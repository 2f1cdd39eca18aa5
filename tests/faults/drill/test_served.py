from __future__ import annotations

import pytest

from tests.faults.drill.served import Served


class Hands:
    """Hands of a clock."""

    now_s = 0.0


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def served(hands: Hands) -> Served:
    return Served(lambda: hands.now_s)


def test_the_longest_silence_is_that_of_somebody_who_waits(served: Served, hands: Hands) -> None:
    served.asks("a")
    hands.now_s = 2.0
    served.hears("a")
    hands.now_s = 3.0
    served.has("a")
    hands.now_s = 50.0  # nobody waits
    served.asks("a")
    hands.now_s = 53.0
    served.has("a")
    assert (served.silence_s, served.silent) == (3.0, "a, from 50.0 s on")
    assert (served.count, served.median_s) == (2, 3.0)


def test_who_has_had_nothing_that_they_asked_for_since_a_moment_is_hungry(served: Served, hands: Hands) -> None:
    served.asks("a")
    hands.now_s = 10.0
    served.has("a")  # asked for before
    assert served.hungry(["a", "b"], 5.0) == ["a", "b"]
    served.asks("a")
    served.asks("b")
    hands.now_s = 12.0
    served.has("a")
    assert served.hungry(["a", "b"], 5.0) == ["b"]
    assert served.waits() == {"b": 10.0}
    hands.now_s = 14.0
    served.has("b")
    assert served.hungry(["a", "b"], 5.0) == []
    assert served.back_s(["a", "b"], 5.0) == 9.0
