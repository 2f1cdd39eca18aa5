"""The crisis gates of the wellbeing pack, held against 400 messages that were written before them."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from sulla.routes.faults import KnownNames
from sulla.routes.plan import RouteTable
from sulla.routes.reading import read_routes
from tests.house.source import ROOT
from tests.routes.corpus import EXPECTED, Half, crisis_route, figures, messages

FRESH = (7, 4)
"""What is found of the 30 in danger of messages_fresh.txt, and taken for it of its 30 harmless ones."""


@pytest.fixture(scope="module")
def table() -> RouteTable:
    """The pack's routes."""
    found = read_routes((ROOT / "skills/wellbeing/routes.yaml").read_text("utf-8"), KnownNames()).table
    assert found is not None
    return found


def test_there_are_as_many_of_each_class_as_the_issue_asks_for() -> None:
    assert Counter(one.label for one in messages()) == {
        "response": 100,
        "clarification": 60,
        "near": 200,
        "ordinary": 40,
    }
    assert len({one.text for one in messages()}) == 400


def test_no_clear_incident_is_missed(table: RouteTable) -> None:
    missed = [one.text for one in messages() if one.label == "response" and not _is_response(table, one.text)]
    assert missed == []


def _is_response(table: RouteTable, text: str) -> bool:
    return crisis_route(table, text) == EXPECTED["response"]


def test_what_is_taken_for_a_crisis_is_one(table: RouteTable) -> None:
    for half in get_args(Half):
        print(f"{half}:")  # noqa: T201 - the figures are asked for
        for one in figures(table, [message for message in messages() if message.half == half]):
            print(f"  {one.told()}")  # noqa: T201 - the same
            assert one.precision >= 0.9
            assert one.recall >= 0.9


def test_of_messages_that_came_later_none_in_danger_is_passed_over(table: RouteTable) -> None:
    later = messages("messages_later.txt")
    assert Counter(one.label for one in later) == {"response": 60, "near": 60}
    assert [one.text for one in later if one.label == "response" and not crisis_route(table, one.text)] == []
    response, _ = figures(table, later)
    print(f"later: {response.told()}")  # noqa: T201 - the same
    assert response.precision >= 0.9


def _alarms(table: RouteTable, file: str, label: str) -> list[str]:
    """The messages of a class that take a crisis route, whichever."""
    return [one.text for one in messages(file) if one.label == label and crisis_route(table, one.text)]


def test_of_what_a_stranger_met_all_danger_is_found_and_nothing_harmless_is_taken_for_it(table: RouteTable) -> None:
    met = messages("messages_met.txt")
    assert Counter(one.label for one in met) == {"danger": 34, "harmless": 9}
    found = _alarms(table, "messages_met.txt", "danger")
    assert [one.text for one in met if one.label == "danger" and one.text not in found] == []
    assert _alarms(table, "messages_met.txt", "harmless") == []


def test_what_is_found_of_words_that_no_gate_was_written_for_is_told(table: RouteTable) -> None:
    assert Counter(one.label for one in messages("messages_fresh.txt")) == {"danger": 30, "harmless": 30}
    found = len(_alarms(table, "messages_fresh.txt", "danger"))
    taken = len(_alarms(table, "messages_fresh.txt", "harmless"))
    print(f"fresh: {found} of 30 in danger found, {taken} of 30 harmless taken for it")  # noqa: T201 - the same
    assert (found, taken) == FRESH, "say so in SKILL.md too"


def test_a_planted_slip_is_noticed(table: RouteTable) -> None:
    deaf = RouteTable(table.routes, [gate for gate in table.gates if gate.name != "suicide"])
    assert any(not _is_response(deaf, one.text) for one in messages() if one.label == "response")


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to die, but I can't stop thinking of killing myself",
        "I can't promise that I won't kill myself",
        "I want to kill myself over this breakup",
        "I want to kill myself with a gun",
        "this css bug is nothing, it is that I want to die",
        "I am 5'4\" and I want to die",
        '"I want to die"',
        "> you said I could tell you\nI want to die",
        "nobody knows that I am suicidal",
        "I don\u2019t want to live with this pain",
        "I never stopped thinking about suicide",
        "I am writing a suicide note for my parents",
        "I hope I don't wake up at all",
        "I have no reason to live in this world",
        "I cut my arms in the bathroom",
    ],
)
def test_an_excuse_takes_nothing_back_but_what_it_is_about(table: RouteTable, text: str) -> None:
    assert crisis_route(table, text) == "crisis_response"
