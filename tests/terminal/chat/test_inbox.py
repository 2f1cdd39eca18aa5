"""Which notices a talk shows: each once, whichever way it comes, and not a heap of old ones."""

from __future__ import annotations

from typing import Any

from sulla.terminal.chat.inbox import MOST_AT_ONCE, MOST_KNOWN, MOST_MARKED, NewNotices


def row(number: int) -> dict[str, Any]:
    """A notice to the person."""
    return {"id": f"ntc_{number}", "run_id": f"run_{number}", "text": "Tea is ready."}


def test_a_notice_that_comes_both_ways_is_shown_once() -> None:
    known = NewNotices()
    assert known.is_new("run_1", "Tea is ready.")
    assert not known.take(row(1))
    assert known.take(row(2))
    assert not known.is_new("run_2", "Tea is ready.")


def test_few_that_waited_are_shown_and_many_only_counted_once() -> None:
    known = NewNotices()
    few = [f"ntc_{number}" for number in range(MOST_AT_ONCE)]
    assert known.wait(few) == 0
    assert known.take(row(0))
    many = [f"ntc_{number}" for number in range(100, 100 + MOST_AT_ONCE + 1)]
    assert known.wait(many) == len(many)
    assert not known.take(row(100))
    assert known.wait(many) == 0, "they were counted before the connection broke"
    assert known.take(row(7)), "what comes now is shown"


def test_what_was_shown_is_marked_once_and_what_was_only_counted_is_not() -> None:
    known = NewNotices()
    known.wait(f"ntc_{number}" for number in range(500, 510))
    for number in [*range(MOST_MARKED + 1), 500]:
        known.take(row(number))
    assert [len(known.marked()), len(known.marked()), len(known.marked())] == [MOST_MARKED, 1, 0]


def test_what_is_known_is_bounded() -> None:
    known = NewNotices()
    for number in range(MOST_KNOWN + 1):
        known.is_new(f"run_{number}", "x")
    assert known.is_new("run_0", "x"), "the oldest is not known any more"
    assert not known.is_new(f"run_{MOST_KNOWN}", "x")
