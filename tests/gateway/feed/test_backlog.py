from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.gateway.commands import Event
from sulla.gateway.feed.backlog import MERGED_CHARS, Backlog, EventFrames
from sulla.gateway.feed.feed import REASONING, TEXT
from sulla.gateway.rpc import event_frame


def delta(offset: int, text: str, message_id: str = "m1", type_: str = TEXT, thread_id: str = "thr") -> Event:
    data: dict[str, Any] = {"message_id": message_id, "offset": offset, "delta": text}
    return Event(thread_id, None, "run_1", None, "sulla", 0, type_, 0, data)


def durable(seq: int) -> Event:
    return Event("thr", seq, "run_1", None, "sulla", 0, "INPUT", 0, {"message_id": "m1", "offset": 0, "delta": "x"})


def taken(backlog: Backlog) -> list[dict[str, Any]]:
    found = []
    while backlog:
        found.append(json.loads(backlog.take()))
    return [frame.get("params", frame) for frame in found]


def test_waiting_deltas_of_a_text_become_one() -> None:
    backlog = Backlog()
    for offset, piece in ((0, "Hel"), (3, "lo"), (5, "🦉")):
        backlog.add_event(delta(offset, piece))
    (event,) = taken(backlog)
    assert event["data"] == {"message_id": "m1", "offset": 0, "delta": "Hello🦉"}
    assert backlog.size == 0


def test_what_was_taken_is_not_merged_with() -> None:
    backlog = Backlog()
    backlog.add_event(delta(0, "Hel"))
    backlog.take()
    backlog.add_event(delta(3, "lo"))
    (event,) = taken(backlog)
    assert event["data"]["offset"] == 3


def test_different_texts_stay_apart() -> None:
    backlog = Backlog()
    for event in (delta(0, "a"), delta(1, "b", "m2"), delta(1, "c", type_=REASONING), delta(1, "d", thread_id="other")):
        backlog.add_event(event)
    assert [event["data"]["delta"] for event in taken(backlog)] == ["a", "b", "c", "d"]


def test_what_does_not_go_on_where_the_other_ends_stays_apart() -> None:
    backlog = Backlog()
    for offset, piece in ((0, "Hel"), (0, "Hel"), (3, "lo")):
        backlog.add_event(delta(offset, piece))
    assert [event["data"]["delta"] for event in taken(backlog)] == ["Hel", "Hello"]


def test_kept_events_are_never_merged_and_keep_their_place() -> None:
    backlog = Backlog()
    backlog.add_event(delta(0, "a"))
    backlog.add_event(durable(1))
    backlog.add(b'{"id":1}')
    backlog.add_event(durable(2))
    assert [event.get("seq", event.get("id")) for event in taken(backlog)] == [None, 1, 1, 2]


def test_merging_ends_at_a_bound() -> None:
    backlog = Backlog()
    for number in range(40):
        backlog.add_event(delta(number * 1000, "x" * 1000))
    lengths = [len(event["data"]["delta"]) for event in taken(backlog)]
    assert sum(lengths) == 40_000
    assert max(lengths) <= MERGED_CHARS + 1000


def test_nothing_is_taken_from_an_empty_one() -> None:
    with pytest.raises(IndexError):
        Backlog().take()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["delta", "durable", "frame", "take"]), max_size=60))
def test_no_text_is_lost_and_the_size_returns_to_zero(steps: list[str]) -> None:
    backlog, offset, got, kept = Backlog(), 0, "", 0
    frames: list[dict[str, Any]] = []
    for step in steps:
        if step == "delta":
            backlog.add_event(delta(offset, "ab"))
            offset += 2
        elif step == "durable":
            kept += 1
            backlog.add_event(durable(kept))
        elif step == "frame":
            backlog.add(b"{}")
        elif backlog:
            frames.append(json.loads(backlog.take()).get("params", {}))
    frames.extend(taken(backlog))
    for frame in frames:
        if frame.get("type") == TEXT:
            assert frame["data"]["offset"] == len(got)
            got += frame["data"]["delta"]
    assert got == "ab" * (offset // 2)
    assert [frame["seq"] for frame in frames if frame.get("type") == "INPUT"] == list(range(1, kept + 1))
    assert backlog.size == 0


def test_what_waits_takes_no_more_room_than_its_size() -> None:
    backlog = Backlog()
    tracemalloc.start()
    try:
        for seq in range(1, 501):
            backlog.add_event(durable(seq))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 2 * backlog.size


def test_the_frame_of_an_event_that_many_are_shown_is_made_once_and_each_event_gets_its_own() -> None:
    frames = EventFrames()
    first, other = delta(0, "a"), delta(0, "b")
    made = frames.of(first)
    assert made == event_frame(first)
    assert frames.of(first) is made
    assert frames.of(other) == event_frame(other)
    assert frames.of(first) == made
