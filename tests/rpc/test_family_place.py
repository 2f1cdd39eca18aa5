from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.rpc.family_place import MOST_NAMED, FamilyPlace, place_of_text


def begun(*children: str) -> FamilyPlace:
    place = FamilyPlace("thr_1")
    for seq, child in enumerate(children, 1):
        place.take("thr_1", seq, "CHILD_STARTED", {"thread_id": child})
    return place


def test_it_knows_the_last_number_of_each() -> None:
    place = begun("thr_a", "thr_b")
    place.take("thr_a", 1, "THREAD_CREATED", {})
    place.take("thr_a", 2, "CHILD_STARTED", {"thread_id": "thr_deep"})
    place.take("thr_other", 9, "INPUT", {})
    assert (place.after, place.children) == (2, {"thr_a": 2, "thr_b": 0, "thr_deep": 0})


def test_it_lets_go_who_has_reported() -> None:
    place = begun("thr_a")
    place.take("thr_a", 1, "RUN_FINISHED", {})
    assert place.children == {"thr_a": 1}
    place.take("thr_a", 2, "CHILD_REPORTED", {})
    assert place.children == {}


def test_who_has_reported_to_wait_for_a_person_is_kept_to_its_end() -> None:
    place = begun("thr_a")
    for seq, type_ in enumerate(("SUSPENDED", "CHILD_REPORTED", "RESUMED"), 1):
        place.take("thr_a", seq, type_, {})
    assert place.children == {"thr_a": 3}
    place.take("thr_a", 4, "RUN_ERROR", {})
    assert place.children == {}


def test_a_place_is_a_text_and_back() -> None:
    place = begun("thr_a", "thr_b")
    place.take("thr_b", 7, "INPUT", {})
    assert place.text == "2,thr_b=7,thr_a=0"
    again = place_of_text("thr_1", place.text)
    assert (again.after, again.children) == (2, {"thr_a": 0, "thr_b": 7})


def test_a_text_names_those_of_which_most_is_known() -> None:
    place = begun(*(f"thr_{number}" for number in range(MOST_NAMED + 9)))
    place.take(f"thr_{MOST_NAMED}", 3, "INPUT", {})
    again = place_of_text("thr_1", place.text)
    assert len(again.children) == MOST_NAMED
    assert again.children[f"thr_{MOST_NAMED}"] == 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("abc", id="no number"),
        pytest.param(str(2**53 + 1), id="a number that is too large"),
        pytest.param("1,thr_a", id="a name without a number"),
        pytest.param("1,=3", id="no name"),
        pytest.param("1,thr a=1", id="a name that is none"),
        pytest.param("1," + ",".join(f"thr_{number}=1" for number in range(MOST_NAMED + 1)), id="too many"),
    ],
)
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected the number of an event"):
        place_of_text("thr_1", text)


def test_of_a_name_that_stands_there_twice_the_last_number_counts() -> None:
    assert place_of_text("thr_1", "1,thr_a=1,thr_a=2").children == {"thr_a": 2}
