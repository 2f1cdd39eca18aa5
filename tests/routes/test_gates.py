"""The first gate that holds says which route a message takes, incidents before all else."""

from __future__ import annotations

import pytest

from sulla.routes.gates import SLICE_WORDS, TurnFacts, route_of
from sulla.routes.plan import Gate, GateFacts, RouteTable, default_of

ROUTES = {
    "fire": default_of("incident", "fire"),
    "ask": default_of("clarify", "ask"),
    "rest": default_of("default", "rest"),
}

NOTHING = TurnFacts()


def taken(gates: list[Gate], message: str, facts: TurnFacts = NOTHING) -> str | None:
    """The gate that holds."""
    plan = route_of(RouteTable(ROUTES, gates), message, facts)
    return plan.gate if plan is not None else None


def test_an_incidents_gate_is_asked_before_those_that_stand_above_it() -> None:
    gates = [Gate("smoke", "ask", ("smoke",)), Gate("fire", "fire", ("fire",)), Gate("burns", "fire", ("burns",))]
    assert taken(gates, "smoke, and it burns, a fire") == "fire"
    assert taken(gates, "smoke, and it burns") == "burns"
    assert taken(gates, "smoke") == "smoke"
    assert taken(gates, "nothing") is None


def test_the_default_route_is_for_those_who_ask_after_all_else() -> None:
    assert taken([], "fire") is None
    assert RouteTable(ROUTES).default is ROUTES["rest"]


def test_a_plan_says_which_words_led_there() -> None:
    table = RouteTable(ROUTES, [Gate("fire", "fire", ("don't ... fire", "smoke"), ("help",))])
    plan = route_of(table, "Smoke! I DON\u2019T know, a fire. Help", TurnFacts())
    assert plan is not None
    assert (plan.route, plan.gate, plan.query) == (ROUTES["fire"], "fire", "Smoke! I DON\u2019T know, a fire. Help")
    assert plan.why == ("smoke", "don't know a fire", "help")


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("a fire in the house", True),
        ("a fire", False),
        ("a house", False),
        ("fire drill in the house", False),
        ("fire drill, and a fire in the house", True),
        ("The fire drill is over. Fire! In the house", True),
        ("a fire in the house of cards", False),
        ("we had no fire drill in this house, but a fire", True),
        ('she cried "fire" in the house', False),
        ("`fire` in the house", False),
    ],
)
def test_a_gate_holds_where_one_is_said_and_all_are_and_none_is_taken_back(message: str, holds: bool) -> None:
    gate = Gate("g", "fire", ("fire", "flames"), ("house",), ("fire drill", "house of cards"))
    assert taken([gate], message) == ("g" if holds else None)


def test_a_gate_that_looks_at_what_is_quoted_says_so() -> None:
    gates = [Gate("own", "fire", ("fire",)), Gate("quoted", "ask", ("fire",), quoted=True)]
    assert taken(gates, 'she cried "fire"') == "quoted"
    assert taken(gates, "fire") == "own"


@pytest.mark.parametrize(
    ("message", "careful"),
    [
        ("why?\n```\ntake a break", "g"),
        ("why?\n~~~\ntake a break", "g"),
        ("why:\n    take a break", "g"),
        ("- > take a break", "g"),
        ('"take a break"', "g"),
        ("why `take\na break`", None),
        ("why <code>take a break</code>", None),
        ("why\n<blockquote>take a break</blockquote>", None),
    ],
)
def test_what_may_be_quoted_is_heard_by_gates_that_must_not_miss_and_by_no_other(
    message: str, careful: str | None
) -> None:
    routes = {**ROUTES, "led": default_of("grounded", "led")}
    assert route_of(RouteTable(routes, [Gate("led", "led", ("take a break",))]), message, NOTHING) is None
    assert taken([Gate("g", "ask", ("take a break",))], message) == careful


def test_all_of_a_long_message_is_heard_however_often_something_is_taken_back_in_it() -> None:
    gate = Gate("g", "fire", ("fire",), unless=("fire drill",))
    drills = "a fire drill, then. " * 4_000
    assert taken([gate], drills) is None
    assert taken([gate], f"{drills[:40_000]} fire! {drills[:40_000]}") == "g"
    both = Gate("g", "fire", ("fire",), ("smoke",), ("fire drill",))
    assert taken([both], f"smoke. {drills} fire!") == "g"
    assert taken([both], f"fire! {drills} smoke") == "g"
    assert taken([both], f"smoke. {drills}") is None


@pytest.mark.parametrize("at", range(SLICE_WORDS - 4, SLICE_WORDS + 4))
def test_what_stands_over_the_border_of_two_slices_is_found_and_taken_back(at: int) -> None:
    gate = Gate("g", "fire", ("a ...2 fire",), unless=("a ...2 fire ...5 drill",))
    before = "no " * at
    assert taken([gate], f"{before} a very big fire") == "g"
    assert taken([gate], f"{before} a very big fire and so on drill") is None


def test_what_one_gate_takes_back_another_may_find() -> None:
    gates = [Gate("one", "fire", ("fire",), unless=("no fire",)), Gate("two", "ask", ("fire",))]
    assert taken(gates, "no fire") == "two"


@pytest.mark.parametrize(
    ("wanted", "so", "not_so"),
    [
        (GateFacts(agent=("a", "b")), TurnFacts(agent="b"), TurnFacts(agent="c")),
        (GateFacts(project=("p",)), TurnFacts(project="p"), TurnFacts()),
        (GateFacts(last_route=("ask",)), TurnFacts(last_route="ask"), TurnFacts(last_route="fire")),
        (GateFacts(first=True), TurnFacts(first=True), TurnFacts()),
        (GateFacts(first=False), TurnFacts(), TurnFacts(first=True)),
        (GateFacts(procedure=True), TurnFacts(procedure=True), TurnFacts()),
        (GateFacts(procedure=False), TurnFacts(), TurnFacts(procedure=True)),
    ],
)
def test_facts_have_to_be_so_with_words_and_without(wanted: GateFacts, so: TurnFacts, not_so: TurnFacts) -> None:
    for gate in (Gate("g", "ask", ("yes",), facts=wanted), Gate("g", "ask", facts=wanted)):
        assert taken([gate], "yes", so) == "g"
        assert taken([gate], "yes", not_so) is None
