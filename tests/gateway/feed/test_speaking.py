from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.gateway.commands import Event
from sulla.gateway.feed import speaking as module
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.speaking import SPEAK, Speaking
from sulla.threads.log.records import ModelAbandoned, TextMessageEnd
from tests.speech.sentences.cases import CASES

REPLY = "Hello Dr. Brown. It costs 3.50 today. Shall I go on"
SPOKEN = ["Hello Dr. Brown.", "It costs 3.50 today.", "Shall I go on"]


def delta(offset: int, text: str, message_id: str = "m1", at_ms: int = 0) -> Event:
    data: dict[str, Any] = {"message_id": message_id, "offset": offset, "delta": text}
    return Event("thr", None, "run_1", "run_0", "nero", 2, TEXT, at_ms, data)


def ended(text: str, message_id: str = "m1", **more: bool) -> Event:
    data: dict[str, Any] = {"call_id": "c1", "message_id": message_id, "text": text, **more}
    return Event("thr", 7, "run_1", "run_0", "nero", 2, TextMessageEnd.kind, 0, data)


def abandoned(message_id: str = "m1") -> Event:
    data: dict[str, Any] = {"call_id": "c1", "message_id": message_id}
    return Event("thr", 7, "run_1", "run_0", "nero", 2, ModelAbandoned.kind, 0, data)


def hear(*events: Event, speaking: Speaking | None = None) -> list[dict[str, Any]]:
    """The data of what is to be spoken."""
    speaking = speaking or Speaking()
    return [dict(spoken.data) for event in events for spoken in speaking.hear(event)]


def texts(found: list[dict[str, Any]]) -> list[str]:
    return [str(data["text"]) for data in found]


def streamed(text: str, size: int = 5) -> list[Event]:
    return [delta(at, text[at : at + size]) for at in range(0, len(text), size)]


def test_the_kinds_it_looks_at_are_those_that_threads_keep() -> None:
    assert (TextMessageEnd.kind, ModelAbandoned.kind) == (module._ENDS, module._ABANDONED)


def test_a_sentence_can_be_spoken_when_it_has_come_and_the_rest_at_the_end() -> None:
    speaking = Speaking()
    assert texts(hear(*streamed(REPLY), speaking=speaking)) == SPOKEN[:2]
    assert texts(hear(ended(REPLY), speaking=speaking)) == SPOKEN[2:]


def test_it_says_which_part_of_which_message_it_is_and_is_not_kept() -> None:
    (event,) = Speaking().hear(delta(0, "One. Two", at_ms=5))
    assert event == Event(
        "thr",
        None,
        "run_1",
        "run_0",
        "nero",
        2,
        SPEAK,
        5,
        {"message_id": "m1", "index": 0, "offset": 0, "end": 4, "text": "One."},
    )


def test_the_places_are_those_of_the_visible_text() -> None:
    found = hear(*streamed(REPLY), ended(REPLY))
    assert [REPLY[data["offset"] : data["end"]] for data in found] == SPOKEN
    assert [data["index"] for data in found] == [0, 1, 2]


def test_a_reply_that_comes_whole_is_spoken_as_one_that_streamed() -> None:
    assert hear(ended(REPLY)) == hear(*streamed(REPLY), ended(REPLY))


def test_who_comes_in_the_middle_gets_the_same_pieces() -> None:
    for size in (5, 1, 1000):
        early = hear(*streamed(REPLY), ended(REPLY))
        assert hear(delta(0, REPLY[:30]), *(delta(30 + at, REPLY[30 + at]) for at in range(10)), ended(REPLY)) == early
        assert hear(*streamed(REPLY, size), ended(REPLY)) == early


@given(case=st.sampled_from(CASES), cuts=st.lists(st.integers(0, 200)), whole=st.booleans(), stop=st.integers(0, 200))
def test_whatever_was_streamed_the_pieces_of_a_reply_are_the_same(
    case: str, cuts: list[int], whole: bool, stop: int
) -> None:
    text = case.replace("¦", "")
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    events = [delta(low, text[low:high]) for low, high in pairwise(places)]
    heard = events if whole else [event for event in events if int(str(event.data["offset"])) < stop]
    assert hear(*heard, ended(text)) == hear(ended(text))


def test_what_came_before_is_not_looked_at_again() -> None:
    assert texts(hear(delta(0, "One. Tw"), delta(0, "One. Two. "), delta(5, "Two. Three. "))) == [
        "One.",
        "Two.",
        "Three.",
    ]


def test_what_comes_behind_a_hole_waits_for_the_end() -> None:
    speaking = Speaking()
    assert texts(hear(delta(0, "One. "), delta(10, "Three. "), speaking=speaking)) == ["One."]
    assert texts(hear(ended("One. Two. Three."), speaking=speaking)) == ["Two.", "Three."]


def test_an_abandoned_reply_is_spoken_no_further() -> None:
    speaking = Speaking()
    assert texts(hear(delta(0, "One. Two"), abandoned(), speaking=speaking)) == ["One."]
    assert speaking._replies == {}


@pytest.mark.parametrize("seen", [0, 3, 20, len(REPLY)])
def test_of_a_reply_that_was_cut_its_whole_sentences_are_spoken(seen: int) -> None:
    assert texts(hear(*streamed(REPLY[:seen]), ended(REPLY, cut=True))) == SPOKEN[:2]


def test_what_is_not_for_people_is_not_spoken() -> None:
    assert hear(ended("Are you done? Yes.", hidden=True)) == []


def test_a_reply_of_tool_calls_alone_is_not_spoken() -> None:
    assert hear(ended("")) == []


def test_replies_side_by_side_are_told_apart() -> None:
    found = hear(delta(0, "One. ", "a"), delta(0, "Eins. ", "b"), delta(5, "Two. ", "a"), delta(6, "Zwei. ", "b"))
    assert [(data["message_id"], data["index"], data["text"]) for data in found] == [
        ("a", 0, "One."),
        ("b", 0, "Eins."),
        ("a", 1, "Two."),
        ("b", 1, "Zwei."),
    ]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"message_id": 1, "offset": 0, "delta": "One. "},
        {"message_id": "m", "offset": "0", "delta": "One. "},
        {"text": "x"},
    ],
)
@pytest.mark.parametrize("type_", [TEXT, TextMessageEnd.kind, ModelAbandoned.kind, "RUN_STARTED", SPEAK])
def test_odd_events_say_nothing(type_: str, data: dict[str, Any]) -> None:
    assert list(Speaking().hear(Event("thr", None, None, None, "", 0, type_, 0, data))) == []


def test_what_it_remembers_is_bounded() -> None:
    speaking = Speaking()
    hear(*(delta(0, "One. Two", f"m{number}") for number in range(1000)), speaking=speaking)
    assert len(speaking._replies) == 64


def test_a_long_reply_is_looked_at_as_it_is_taken() -> None:
    looked_at: list[int] = []

    class Long(str):
        """A text that knows up to where it was looked at."""

        __slots__ = ()

        def __getitem__(self, part: Any) -> str:
            looked_at.append(part.stop)
            return super().__getitem__(part)

    found = iter(Speaking().hear(ended(Long("One. " * 1000))))
    assert next(found).data["index"] == 0
    assert len(looked_at) == 1
    assert sum(1 for _ in found) == 999
    assert looked_at[-1] >= 5000
