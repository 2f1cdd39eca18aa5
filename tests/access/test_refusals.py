from __future__ import annotations

import pytest

from sulla.access.refusals import ADDRESSES, OTHERS, WINDOW_S, RefusalCounter, RefusedAccess


def test_what_comes_within_a_second_is_one_line() -> None:
    refusals = RefusalCounter()
    for number in range(1000):
        assert refusals.add(RefusedAccess("ws", "192.0.2.1", "unauthorized", 1), 5.0 + number / 1001) == []
    assert refusals.due(5.0 + WINDOW_S) == [RefusedAccess("ws", "192.0.2.1", "unauthorized", 1000)]
    assert refusals.due(9.0) == []


def test_the_next_second_is_another_line() -> None:
    refusals = RefusalCounter()
    one = RefusedAccess("ws", "a", "unauthorized", 1)
    refusals.add(one, 5.0)
    assert refusals.add(one, 5.0 + WINDOW_S) == [one]
    assert refusals.all() == [one]


def test_addresses_doors_reasons_tokens_and_methods_are_told_apart() -> None:
    refusals = RefusalCounter()
    told = [
        RefusedAccess("ws", "a", "x", 1),
        RefusedAccess("ws", "b", "x", 1),
        RefusedAccess("rest", "a", "x", 1),
        RefusedAccess("ws", "a", "y", 1),
        RefusedAccess("ws", "a", "x", 1, "bob", "01", "turn.send"),
        RefusedAccess("ws", "a", "x", 1, "bob", "02", "turn.send"),
        RefusedAccess("ws", "a", "x", 1, "bob", "01", "turn.stop"),
    ]
    for one in told:
        refusals.add(one, 5.0)
    assert refusals.all() == told


@pytest.mark.thorough
def test_somebody_with_endless_addresses_does_not_get_endless_lines() -> None:
    refusals = RefusalCounter()
    for number in range(100_000):
        refusals.add(RefusedAccess("ws", f"address {number}", "unauthorized", 1), 5.0)
    lines = refusals.all()
    assert len(lines) == ADDRESSES + 1
    assert lines[-1] == RefusedAccess("ws", OTHERS, "unauthorized", 100_000 - ADDRESSES)
