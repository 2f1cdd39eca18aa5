"""Where a client of ``/hub`` was."""

from __future__ import annotations

import pytest

from sulla.gateway.bookmarks import BOOKMARK_BYTES
from sulla.gateway.dialects.hub.places import MOST_PLACES, HubPlace, HubPlaces, MessageMeaning, places_key


def back(places: HubPlaces, before: str | None = None) -> HubPlaces:
    """What the next connection learns."""
    found = HubPlaces()
    found.learn(places.noted(before))
    return found


def test_what_was_noted_is_known_to_the_next_connection() -> None:
    places = HubPlaces()
    places.enter(HubPlace("thr_1", "one", 3))
    places.enter(HubPlace("thr_2", "one", 1, "thr_1"))
    places.give("m1", MessageMeaning("thr_1", "approval:1", ("a", "b")))
    assert places.move("thr_1", 7)
    assert not places.move("thr_1", 5)
    assert not places.move("thr_9", 5)
    learnt = back(places)
    assert [*learnt.all.values()] == [HubPlace("thr_1", "one", 7), HubPlace("thr_2", "one", 1, "thr_1")]
    assert learnt.given == {"m1": MessageMeaning("thr_1", "approval:1", ("a", "b"))}
    assert learnt.current == "thr_1"


def test_the_one_talked_in_last_is_the_current_one() -> None:
    places = HubPlaces()
    assert places.current == ""
    for thread_id in ("thr_1", "thr_2", "thr_1"):
        places.enter(HubPlace(thread_id, thread_id, 0))
    assert back(places).current == "thr_1"


def test_what_another_connection_has_noted_stays_and_nobody_goes_back() -> None:
    other, mine = HubPlaces(), HubPlaces()
    other.enter(HubPlace("thr_1", "one", 9))
    other.enter(HubPlace("thr_2", "two", 2))
    mine.enter(HubPlace("thr_1", "one", 4))
    learnt = back(mine, other.noted(None))
    assert {place.thread_id: place.seq for place in learnt.all.values()} == {"thr_1": 9, "thr_2": 2}


def test_a_conversation_that_was_left_is_not_noted_again() -> None:
    places = HubPlaces()
    places.enter(HubPlace("thr_1", "one", 0))
    before = places.noted(None)
    places.leave("thr_1")
    assert back(places, before).all == {}
    places.enter(HubPlace("thr_1", "one", 0))
    assert [*back(places, before).all] == ["thr_1"]


def test_there_are_no_more_than_so_many_and_they_fit() -> None:
    places = HubPlaces()
    left = [gone for number in range(MOST_PLACES + 3) for gone in places.enter(HubPlace(f"thr_{number}", "ä" * 200, 0))]
    assert [place.thread_id for place in left] == ["thr_0", "thr_1", "thr_2"]
    for number in range(20):
        places.give(f"m{number}" * 30, MessageMeaning("thr_1", "approval:" + "x" * 200, ("y" * 400,)))
    noted = places.noted(None)
    assert len(noted.encode()) <= BOOKMARK_BYTES
    learnt = HubPlaces()
    learnt.learn(noted)
    assert learnt.current == f"thr_{MOST_PLACES + 2}"
    assert all(given.choices == () for given in learnt.given.values())


def test_each_token_and_channel_has_its_own() -> None:
    assert len({places_key(*pair) for pair in (("a", "b"), ("a", "c"), ("b", "b"), ("ab", ""))}) == 4


@pytest.mark.parametrize(
    "noted", ["", "[]", "{}", '{"places": [{"thread": 1}], "given": {}}', '{"places": 1, "given": 2}']
)
def test_what_another_version_has_noted_is_nothing(noted: str) -> None:
    places = HubPlaces()
    places.learn(noted)
    assert places.all == {}
    places.enter(HubPlace("thr_1", "one", 1))
    assert "thr_1" in places.noted(noted)
